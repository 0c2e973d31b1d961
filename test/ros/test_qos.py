"""A publisher that the node cannot hear, for its quality of service: the log says so, and what to do."""
from geometry_msgs.msg import PoseStamped
from graph import grid_map, pose_stamped
from nav_msgs.msg import OccupancyGrid
from rclpy.qos import QoSProfile, ReliabilityPolicy

BEST_EFFORT = QoSProfile(depth=10, reliability=ReliabilityPolicy.BEST_EFFORT)


def warnings(graph, topic):
    """Whole lines only: the last one may still be on its way."""
    lines = [line for line in graph.output().splitlines(keepends=True) if line.endswith('\n')]
    return [line for line in lines if f': {topic}: there is a publisher whose' in line]


def test_a_volatile_map_is_warned_of(graph):
    graph.node.destroy_publisher(graph.map_publisher)
    early = graph.node.create_publisher(OccupancyGrid, 'map', 10)  # before the node is there
    graph.start('a')
    graph.until(lambda: warnings(graph, '/map'), 'a warning')
    for line in warnings(graph, '/map'):
        assert 'WARN' in line and 'transient local' in line and 'TRANSIENT_LOCAL' in line
    early.publish(grid_map(['...']))
    graph.pass_diagnostics()
    assert 'no map' in graph.message('planner'), 'a map that is not received'


def test_best_effort_goals_are_warned_of(graph):
    robot, = graph.start('a')
    robot.stand(0.25, 0.25)
    graph.map_publisher.publish(grid_map(['...']))
    graph.until(lambda: graph.state('a') == 'idle', 'the robot')
    for topic in ('a/goal_pose', 'goal_pose'):  # when the node is there
        graph.node.create_publisher(PoseStamped, topic, BEST_EFFORT).publish(pose_stamped(1.25, 0.25))
        graph.until(lambda: warnings(graph, f'/{topic}'), 'a warning')
        assert 'has to be reliable' in warnings(graph, f'/{topic}')[0]
    assert not warnings(graph, '/map'), 'nothing is wrong with that one'
