"""Areas with traffic rules from a file: robots and get_plan keep to them, and bad files are refused."""
from fleet import fleet_on, place
from graph import LATCHED, grid_map, points, pose_stamped
from nav_msgs.srv import GetPlan
from visualization_msgs.msg import Marker, MarkerArray

ROWS = ['.........', '.#######.', '.........']

LOWER_TO_THE_LEFT = """
areas:
  - name: lower aisle
    kind: one_way
    direction: 180
    polygon: [[0.5, 0.0], [4.0, 0.0], [4.0, 0.5], [0.5, 0.5]]
"""


def cells(path):
    return [(round((x - 0.25) / 0.5), round((y - 0.25) / 0.5)) for x, y in points(path)]


def ask(graph, start, goal):
    request = GetPlan.Request(start=pose_stamped(*place(*start)), goal=pose_stamped(*place(*goal)))
    return cells(graph.call(GetPlan, 'get_plan', request).plan)


def test_robots_and_get_plan_keep_to_one_way_areas(graph, tmp_path):
    file = tmp_path / 'areas.yaml'
    file.write_text(LOWER_TO_THE_LEFT)
    a, = graph.start('a', areas=str(file))
    graph.map_publisher.publish(grid_map(ROWS))
    a.stand(*place(0, 0))
    graph.until(lambda: graph.planner('map') == '9x3', 'the map')
    assert (4, 2) in ask(graph, (0, 0), (8, 0)), 'get_plan takes the upper aisle'
    assert (4, 0) in ask(graph, (8, 0), (0, 0)), 'and back the lower one'
    a.send_goal(*place(8, 0))
    graph.until(lambda: a.reaches(*place(8, 0)), 'a path to the goal')
    assert (4, 2) in cells(a.path) and (4, 0) not in cells(a.path)
    # The file changes, and the parameter is set again.
    file.write_text(LOWER_TO_THE_LEFT.replace('180', '0'))
    assert graph.set_parameters(areas=str(file))[0].successful
    graph.until(lambda: (4, 0) in ask(graph, (0, 0), (8, 0)), 'the other direction')
    assert graph.set_parameters(areas='')[0].successful
    graph.until(lambda: (4, 0) in ask(graph, (8, 0), (0, 0)), 'both directions')


def test_a_goal_in_a_no_waiting_area_is_refused(graph, tmp_path):
    file = tmp_path / 'areas.yaml'
    file.write_text('areas:\n- {name: door, kind: no_waiting, rectangle: [1.0, 0.0, 2.0, 0.5]}\n')
    a, = graph.start('a', areas=str(file))
    markers = []
    graph.node.create_subscription(
        MarkerArray, 'fleet_markers', lambda message: markers.extend(message.markers), LATCHED)
    graph.map_publisher.publish(grid_map(['......']))
    a.stand(*place(0, 0))
    graph.until(lambda: a.path, 'a first path')
    a.send_goal(*place(3, 0))
    graph.until(lambda: graph.error('a') == 206 and 'in a no-waiting area' in graph.message('a'), 'the reason')
    a.send_goal(*place(5, 0))
    graph.until(lambda: a.reaches(*place(5, 0)), 'a goal behind it')
    request = GetPlan.Request(start=pose_stamped(*place(0, 0)), goal=pose_stamped(*place(3, 0)))
    assert not graph.call(GetPlan, 'get_plan', request).plan.poses
    graph.until(lambda: any(m.ns == 'areas' and m.action == Marker.ADD and len(m.points) == 8 for m in markers),
                'the outline of the area')


def test_bad_files_and_planners_without_rules_are_refused(graph, tmp_path):
    file = tmp_path / 'areas.yaml'
    graph.start('a')
    answer, = graph.set_parameters(areas=str(file))
    assert not answer.successful and 'areas.yaml' in answer.reason
    file.write_text('areas:\n- name: aisle\n  kind: one_way\n  rectangle: [0, 0, 1, 1]\n')
    answer, = graph.set_parameters(areas=str(file))
    assert not answer.successful
    assert "areas.yaml:2: area 'aisle': kind one_way needs a direction" in answer.reason
    file.write_text(LOWER_TO_THE_LEFT)
    assert graph.set_parameters(areas=str(file))[0].successful
    answer, = graph.set_parameters(planner='rtaa')
    assert not answer.successful and 'rtaa does not support one-way or no-waiting areas' in answer.reason


def test_a_fleet_drives_through_areas(graph, start, tmp_path):
    """Four robots cross a no-waiting area in both directions: all arrive, and it is empty in the end."""
    file = tmp_path / 'areas.yaml'
    file.write_text('areas:\n'
                    '- {name: crossing, kind: no_waiting, rectangle: [4.0, 0.0, 6.0, 3.5]}\n'
                    '- {name: lane, kind: one_way, direction: 0, rectangle: [2.0, 1.5, 8.0, 2.0]}\n')
    starts = [(0, 1), (0, 5), (19, 1), (19, 5)]
    fleet = fleet_on(graph, start, tmp_path, ['.' * 20] * 7, starts)
    assert graph.set_parameters(areas=str(file))[0].successful
    for name, goal in zip(('robot_0', 'robot_1', 'robot_2', 'robot_3'), ((19, 5), (19, 1), (0, 5), (0, 1))):
        fleet.send(name, *goal)
    fleet.arrive(robot_0=(19, 5), robot_1=(19, 1), robot_2=(0, 5), robot_3=(0, 1))
    fleet.check()
