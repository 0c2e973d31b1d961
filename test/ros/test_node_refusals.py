"""Bad messages: a clear error each, the last good state stays in force, and nothing crashes."""
import math
import time

import pytest
from geometry_msgs.msg import PoseStamped
from graph import grid_map, points, pose_stamped
from nav_msgs.msg import OccupancyGrid

HALL = grid_map(['........'] * 6)


def place(x, y):
    return 0.5 * x + 0.25, 0.5 * y + 0.25


def one_robot(graph, map_message=HALL, **parameters):
    a, = graph.start('a', **parameters)
    graph.map_publisher.publish(map_message)
    a.stand(*place(0, 0))
    graph.until(lambda: a.path, 'a first path')
    return a


# ---- goals

@pytest.mark.parametrize('name, goal, number, words', [
    ('in an obstacle', (*place(3, 3), 'map'), 206, 'in an obstacle'),
    ('outside the map', (50.0, 1.0, 'map'), 204, 'outside the map'),
    ('far outside', (1e300, -1e300, 'map'), 204, 'outside the map'),
    ('nan', (math.nan, 1.0, 'map'), 200, 'not finite'),
    ('infinite', (1.0, math.inf, 'map'), 200, 'not finite'),
    ('wrong frame', (*place(4, 4), 'base_link'), 202, "'base_link', not 'map'"),
])
def test_bad_goal_leaves_the_last_good_one(graph, name, goal, number, words):
    a = one_robot(graph, grid_map(['........', '........', '...#....', '........', '........', '........']))
    a.send_goal(*place(6, 0))
    graph.until(lambda: a.reaches(*place(6, 0)), 'a path')
    a.send_goal(goal[0], goal[1], goal[2])
    graph.until(lambda: graph.error('a') == number, f'error {number}')
    assert words in graph.message('a')
    graph.until(lambda: graph.value('a', 'goal_cell') == '6,0', 'the old goal')
    before = len(a.paths)
    graph.replan()
    graph.until(lambda: len(a.paths) > before, 'a new round')
    assert a.reaches(*place(6, 0)), 'the old goal is still the goal'
    assert graph.output().count(f'a: error {number}') == 1, 'logged once'
    a.send_goal(*place(0, 5))
    graph.until(lambda: a.reaches(*place(0, 5)) and graph.error('a') == 0, 'a good goal to end the error')


def test_goals_for_unknown_robots_do_nothing(graph):
    one_robot(graph)
    stranger = graph.node.create_publisher(PoseStamped, 'stranger/goal_pose', 10)
    for _ in range(5):
        stranger.publish(pose_stamped(*place(3, 3)))
    graph.pass_diagnostics()
    assert set(graph.statuses) == {'planner', 'a'}
    assert graph.message('planner') == 'planning' and graph.error('a') == 0
    assert stranger.get_subscription_count() == 0


# ---- maps

def broken(**changes):
    message = grid_map(['........'] * 6)
    for name, value in changes.items():
        if name == 'frame_id':
            message.header.frame_id = value
        elif name == 'data':
            message.data = value
        elif name == 'x':
            message.info.origin.position.x = value
        else:
            setattr(message.info, name, value)
    return message


BAD_MAPS = [
    ('data too short', broken(data=[0] * 47), '8 x 6 cells but 47 values'),
    ('data too long', broken(data=[0] * 49), '8 x 6 cells but 49 values'),
    ('no data', broken(data=[]), 'but 0 values'),
    ('size that overflows', broken(width=2**31, height=2**31), 'values'),
    ('zero resolution', broken(resolution=0.0), 'resolution is 0'),
    ('negative resolution', broken(resolution=-0.5), 'resolution is -0.5'),
    ('resolution is no number', broken(resolution=math.nan), 'resolution is '),
    ('infinite resolution', broken(resolution=math.inf), 'resolution is inf'),
    ('0x0', broken(width=0, height=0, data=[]), '0 x 0 cells'),
    ('origin is no number', broken(x=math.nan), 'origin is not finite'),
    ('wrong frame', broken(frame_id='world'), "'world', not 'map'"),
    ('smaller than a cell', broken(width=1, height=1, data=[0], resolution=0.01), 'smaller than one planning cell'),
]


@pytest.mark.parametrize('name, message, words', BAD_MAPS, ids=[name for name, _, _ in BAD_MAPS])
def test_bad_map_leaves_the_last_good_one(graph, name, message, words):
    a = one_robot(graph)
    graph.map_publisher.publish(message)
    graph.until(lambda: words in graph.message('planner'), f'the words "{words}"')
    assert 'map refused' in graph.message('planner')
    a.send_goal(*place(7, 5))
    graph.until(lambda: a.reaches(*place(7, 5)), 'a path on the old map')
    graph.map_publisher.publish(grid_map(['.........'] * 6))
    graph.until(lambda: graph.planner('map') == '9x6' and graph.message('planner') == 'planning', 'a good map')


def test_bad_map_as_the_first_one(graph):
    a, = graph.start('a')
    a.stand(*place(0, 0))
    graph.map_publisher.publish(broken(data=[0] * 47))
    graph.until(lambda: 'map refused' in graph.message('planner'), 'the refusal')
    graph.map_publisher.publish(HALL)
    a.send_goal(*place(7, 5))
    graph.until(lambda: a.reaches(*place(7, 5)), 'a path')


def test_large_map(graph):
    message = OccupancyGrid()
    message.header.frame_id = 'map'
    message.info.resolution = 0.05
    message.info.width = message.info.height = 4000
    message.info.origin.orientation.w = 1.0
    message.data.frombytes(bytes(4000 * 4000))
    a, = graph.start('a')
    a.stand(1.25, 1.25)
    graph.map_publisher.publish(message)
    graph.until(lambda: graph.planner('map') == '400x400', 'the map', bound=60)
    a.send_goal(190.25, 180.25)
    graph.until(lambda: a.reaches(190.25, 180.25), 'a path', bound=60)


# ---- poses

def test_bad_poses(graph):
    a = one_robot(graph)
    a.drives = False
    a.frame_id = 'a/odom'
    # After a second without a good pose the robot is reported as silent, which the diagnostics may show first.
    graph.until(lambda: (
        "a: error 202: pose refused: its frame_id is 'a/odom', not 'map'; if tf has the transforms between them, use "
        "pose_source: tf") in graph.output(), 'error 202')
    graph.until(lambda: graph.error('a') != 0, 'an error in the diagnostics')
    a.frame_id = 'map'
    graph.until(lambda: graph.error('a') == 0, 'the end of the error')
    a.stand(math.nan, 1.0)
    graph.until(lambda: 'a: error 200: ' in graph.output(), 'error 200')
    graph.until(lambda: graph.error('a') != 0, 'an error in the diagnostics')
    a.stand(*place(0, 0))
    graph.until(lambda: graph.error('a') == 0, 'the end of the error')


def test_robot_outside_and_inside_an_obstacle(graph):
    a, b, c = graph.start('a', 'b', 'c')
    graph.map_publisher.publish(grid_map(['....', '.#..', '....']))
    a.stand(50, 50)
    b.stand(*place(1, 1))
    c.stand(*place(0, 0))
    c.send_goal(*place(3, 2))
    graph.until(lambda: graph.error('a') == 203 and graph.error('b') == 205, 'errors 203 and 205')
    graph.until(lambda: c.reaches(*place(3, 2)), 'a path for the third robot')
    assert graph.error('c') == 0


def test_two_robots_in_one_cell(graph):
    a, b, c = graph.start('a', 'b', 'c')
    graph.map_publisher.publish(HALL)
    a.stand(0.2, 0.2)
    b.stand(0.3, 0.3)
    c.stand(*place(7, 5))
    c.send_goal(*place(7, 0))
    graph.until(lambda: {graph.error('a'), graph.error('b')} == {0, 205}, 'error 205 for one of the two')
    graph.until(lambda: c.reaches(*place(7, 0)), 'a path for the third robot')


def test_odometry_that_stops_makes_an_obstacle(graph):
    a, b = graph.start('a', 'b', odom_timeout=0.5)
    graph.map_publisher.publish(grid_map(['........', '........', '........']))
    a.stand(*place(0, 1))
    b.stand(*place(4, 1))
    graph.until(lambda: a.path and b.path, 'first paths')
    b.leave()
    graph.until(lambda: graph.state('b') == 'stale', 'the robot to become stale')
    a.send_goal(*place(7, 1))
    graph.until(lambda: a.reaches(*place(7, 1)), 'a way around')
    assert place(4, 1) not in points(a.path)
    a.send_goal(*place(4, 1))
    graph.until(lambda: graph.error('a') == 206, 'its cell to be taken')
    assert 'b' in graph.value('a', 'reason')
    b.stand(*place(4, 1))
    graph.until(lambda: graph.state('b') != 'stale', 'the robot to be back')
    b.send_goal(*place(0, 0))
    graph.until(lambda: a.reaches(*place(4, 1)), 'the goal to be free')


def test_nothing_else_is_stale_after_a_long_wait_for_the_map(graph):
    a, = graph.start('a', odom_timeout=0.3)
    a.stand(*place(0, 0))
    end = time.monotonic() + 1.0
    graph.until(lambda: time.monotonic() > end, 'a second')
    graph.map_publisher.publish(HALL)
    graph.until(lambda: a.path and graph.state('a') == 'idle', 'a path')


def test_a_part_of_a_plan_has_no_lower_bound(graph):
    """Two robots that cannot pass each other: what there is of paths costs less than the least cost of all of them."""
    a, b = graph.start('a', 'b', time_limit=0.5)
    graph.map_publisher.publish(grid_map(['.' * 20]))
    a.stand(*place(0, 0))
    b.stand(*place(19, 0))
    graph.until(lambda: a.path and b.path, 'first paths')
    a.send_goal(*place(19, 0))
    b.send_goal(*place(0, 0))
    graph.until(lambda: graph.planner('outcome') == 'partial', 'a partial plan')
    assert int(graph.planner('lower_bound')) == 0, graph.statuses['planner']
