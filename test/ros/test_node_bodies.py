"""Robots of different speeds, sizes and turns, in the node and in the simulator together."""
import itertools
import math

import pytest
from fleet import Fleet, place, texts
from graph import DEEP, LATCHED, Robot, grid_map, nanoseconds, points, timed_path
from nav_msgs.msg import Path
from rcl_interfaces.srv import GetParameters, SetParametersAtomically
from rclpy.parameter import Parameter, parameter_value_to_python

MIXED = {
    'footprints': texts(['', '2x2', '3x1', '', '2x2', '3x1', '', '0,0;1,0;0,1', '', '']),
    'ticks_per_move': '[1, 1, 1, 2, 1, 2, 1, 1, 3, 1]',
    'turn_ticks': '[0, 0, 2, 0, 0, 1, 1, 2, 0, 0]',
}


def yaw(pose):
    return 2 * math.atan2(pose.pose.orientation.z, pose.pose.orientation.w)


def stamps(path):
    return [nanoseconds(p.header.stamp) * 1e-9 for p in path.poses]


def moves(path):
    """(seconds, metres, radians) from each pose to the next."""
    for a, b in itertools.pairwise(path.poses):
        seconds = (nanoseconds(b.header.stamp) - nanoseconds(a.header.stamp)) * 1e-9
        p, q = a.pose.position, b.pose.position
        yield seconds, math.hypot(q.x - p.x, q.y - p.y), abs(math.remainder(yaw(b) - yaw(a), 2 * math.pi))


@pytest.mark.parametrize('mode', ['dependency', 'timed'])
@pytest.mark.parametrize('connectivity', [4, 8])
def test_a_mixed_fleet_reaches_goals_without_overlaps_while_planners_change(graph, start, mode, connectivity):
    names = [f'robot_{k}' for k in range(10)]
    planner = {'execution_mode': mode, 'connectivity': connectivity, 'sweeps_sides': str(connectivity == 8).lower()}
    simulator = {'map': 'warehouse:37x25,shelf=6,aisle=4,lane=5,seed=1'}
    fleet = Fleet(graph, start, names, planner, simulator, MIXED)
    fleet.wait(lambda: graph.planner('plan_by') == 'auto', 'a first plan')
    for name in ('hca', 'whca', 'hca'):
        assert graph.set_parameters(planner=name)[0].successful
        fleet.wait(lambda: graph.planner('plan_by') == name, f'a plan by {name}')
        fleet.reach(6, f'goals with {name}', bound=240)
    fleet.check()
    assert graph.message('planner') == 'planning', graph.output()


def alone(graph, rows, goal, at=(0, 0), **parameters):
    a, = graph.start('a', use_sim_time=True, execution_mode='timed', speed=1.0, **parameters)
    graph.map_publisher.publish(grid_map(rows))
    a.stand(*place(*at))
    graph.until(lambda: a.path, 'a first path')
    a.send_goal(*place(*goal))
    graph.until(lambda: a.reaches(*place(*goal)), 'a path to the goal')
    return a


def test_a_slow_robot_has_three_ticks_for_a_move(sim_graph):
    a = alone(sim_graph, ['.' * 8], (7, 0), ticks_per_move='[3]')
    driven = [(s, d) for s, d, _ in moves(a.path) if d > 1e-6]
    assert len(driven) == 7
    assert all(abs(s - 1.5) < 1e-6 and abs(d - 0.5) < 1e-6 for s, d in driven), driven
    sim_graph.until(lambda: math.dist((a.x, a.y), place(7, 0)) < 1e-6, 'arrival', bound=240)


def test_a_robot_that_turns_drives_straight_ahead_only(sim_graph):
    """Down, then along: two quarter turns of three ticks each, on the spot."""
    a = alone(sim_graph, ['.....', '.####', '.....'], (4, 0), at=(0, 2), turn_ticks='[3]')
    turned = [(s, d, r) for s, d, r in moves(a.path) if r > 1e-6]
    assert [round(r, 3) for _, _, r in turned] == [round(math.pi / 2, 3)] * 2
    assert all(abs(s - 1.5) < 1e-6 and d < 1e-6 for s, d, _ in turned), turned
    for one, two in itertools.pairwise(a.path.poses):
        dx = two.pose.position.x - one.pose.position.x
        dy = two.pose.position.y - one.pose.position.y
        if math.hypot(dx, dy) > 1e-6:
            assert math.cos(yaw(one) - math.atan2(dy, dx)) > 0.999


def test_headings_go_with_the_map(sim_graph):
    """On a map that is turned by 30 degrees east is its x axis."""
    a, = sim_graph.start('a', use_sim_time=True, execution_mode='timed', speed=1.0, turn_ticks='[2]')
    sim_graph.map_publisher.publish(grid_map(['....', '....'], yaw=math.pi / 6))
    c, s = math.cos(math.pi / 6), math.sin(math.pi / 6)
    where = lambda x, y: (c * x - s * y, s * x + c * y)
    a.stand(*where(0.25, 0.25))
    sim_graph.until(lambda: a.path, 'a first path')
    a.send_goal(*where(0.25, 0.75))
    sim_graph.until(lambda: a.reaches(*where(0.25, 0.75)), 'a path')
    assert abs(math.remainder(yaw(a.path.poses[-1]) - (math.pi / 6 + math.pi / 2), 2 * math.pi)) < 1e-6


def test_a_large_robot_does_not_go_where_it_does_not_fit(sim_graph):
    rows = ['......#......', '......#......', '.............', '......#......']
    a, b = sim_graph.start('a', 'b', use_sim_time=True, execution_mode='timed', footprints='["2x2", ""]')
    sim_graph.map_publisher.publish(grid_map(rows))
    a.stand(*place(0, 0))
    b.stand(*place(0, 3))
    sim_graph.until(lambda: a.path and b.path, 'first paths')
    b.send_goal(*place(12, 3))
    sim_graph.until(lambda: b.reaches(*place(12, 3)), 'a way for the small one')
    a.send_goal(*place(5, 0))
    sim_graph.until(lambda: sim_graph.error('a') == 206, 'a goal half in a wall')
    a.send_goal(*place(9, 0))
    sim_graph.until(lambda: sim_graph.error('a') == 208, 'a goal behind a door that is too narrow')
    a.send_goal(*place(4, 2))
    sim_graph.until(lambda: sim_graph.error('a') == 0 and a.reaches(*place(4, 2)), 'a goal beside the wall')


def test_two_large_robots_keep_their_goals_apart(sim_graph):
    a, b = sim_graph.start('a', 'b', use_sim_time=True, execution_mode='timed', footprints='["2x2", "2x2"]')
    sim_graph.map_publisher.publish(grid_map(['.' * 12] * 4))
    a.stand(*place(0, 0))
    b.stand(*place(10, 0))
    sim_graph.until(lambda: a.path and b.path, 'first paths')
    a.send_goal(*place(5, 1))
    sim_graph.until(lambda: a.reaches(*place(5, 1)), 'a path')
    b.send_goal(*place(6, 2))
    sim_graph.until(lambda: sim_graph.error('b') == 206 and 'a' in sim_graph.message('b'), 'a goal that is taken')
    b.send_goal(*place(7, 2))
    sim_graph.until(lambda: sim_graph.error('b') == 0 and b.reaches(*place(7, 2)), 'one that is not')


def test_a_large_robot_that_goes_silent_blocks_all_its_cells(sim_graph):
    rows = ['.' * 9, '#' * 3 + '...' + '#' * 3, '.' * 9]
    a, b = sim_graph.start(
        'a', 'b', use_sim_time=True, execution_mode='timed', footprints='["3x1", ""]', odom_timeout=0.5)
    sim_graph.map_publisher.publish(grid_map(rows))
    a.stand(*place(4, 1))
    b.stand(*place(0, 0))
    sim_graph.until(lambda: a.path and b.path, 'first paths')
    a.leave()
    sim_graph.until(lambda: sim_graph.state('a') == 'stale', 'a silent robot')
    b.send_goal(*place(0, 2))
    sim_graph.until(lambda: sim_graph.error('b') == 208, 'no way past it')


def test_nothing_is_released_onto_any_cell_of_a_large_robot_that_does_not_stand_yet(sim_graph):
    """Until it stands it has no plan, so the others must go around all of its cells, not only that of its centre."""
    class Wavering(Robot):
        def drive(self, now_ns):
            if self.x is not None:
                x, y = place(4, 2)
                self.stand(x + (0.07 if self.x == x else 0.0), y)

    sim_graph.start(
        'a', 'b', use_sim_time=True, execution_mode='dependency', speed=1.0, footprints='["", "0,0;1,0;0,1"]')
    a, b = sim_graph.robots['a'], Wavering(sim_graph, 'b')
    a.drives = False
    sim_graph.robots['b'] = b
    releases = []
    sim_graph.node.create_subscription(Path, 'a/released_path', releases.append, DEEP)
    sim_graph.map_publisher.publish(grid_map(['.' * 9] * 5))
    a.stand(*place(3, 3))
    b.stand(*place(4, 2))
    a.send_goal(*place(5, 3))
    # The straight way leads over the robot's third cell, (4, 3).
    sim_graph.until(lambda: a.reaches(*place(5, 3)), 'a path around the other')
    sim_graph.pass_diagnostics(4)
    covered = {place(4, 2), place(5, 2), place(4, 3)}
    for path in a.paths + releases:
        assert not covered & set(points(path)), points(path)
    assert any(release.poses for release in releases)


def test_a_closure_on_any_of_its_cells_stops_a_large_robot(sim_graph):
    a, = sim_graph.start(
        'a', use_sim_time=True, execution_mode='timed', speed=1.0, footprints='["2x2"]', closures='[door]')
    sim_graph.map_publisher.publish(grid_map(['.' * 12] * 2))
    a.stand(*place(0, 0))
    sim_graph.until(lambda: a.path, 'a first path')
    door = sim_graph.node.create_publisher(Path, 'door/closed_path', LATCHED)
    begin = sim_graph.now_ns()
    door.publish(timed_path([(begin, *place(6, 1)), (begin + 15 * 10**9, *place(6, 1))]))
    sim_graph.until(lambda: sim_graph.message('door') == 'closed', 'the door')
    a.send_goal(*place(9, 0))
    sim_graph.until(lambda: a.reaches(*place(9, 0)), 'a path')
    # It reaches one cell farther than its own.
    entered = [t for t, (x, _) in zip(stamps(a.path), points(a.path)) if x > place(4.5, 0)[0]]
    assert entered[0] > begin * 1e-9 + 14.5
    sim_graph.until(lambda: math.dist((a.x, a.y), place(9, 0)) < 1e-6, 'arrival', bound=240)
    assert sim_graph.now_ns() > begin + 15 * 10**9


@pytest.mark.parametrize('values, words', [
    ({'footprints': ['2x2']}, 'footprints has 1 values for 2 robots'),
    ({'footprints': ['2y2', '']}, 'WxH'),
    ({'footprints': ['1,0;2,0', '']}, 'own cell'),
    ({'footprints': ['0,0;0,0', '']}, 'twice'),
    ({'footprints': ['100x1', '']}, 'WxH'),
    ({'ticks_per_move': [1, 9]}, 'between 1 and 8'),
    ({'ticks_per_move': [0, 1]}, 'between 1 and 8'),
    ({'turn_ticks': [1]}, 'turn_ticks has 1 values'),
    ({'turn_ticks': [-1, 0]}, 'between 0 and 8'),
])
def test_bodies_that_make_no_sense_are_refused(graph, values, words):
    graph.start('a', 'b')
    result = graph.set_parameters(**values)[0]
    assert not result.successful and words in result.reason


def test_bodies_can_change_while_the_node_runs(sim_graph):
    a, = sim_graph.start('a', use_sim_time=True, execution_mode='timed', speed=1.0)
    sim_graph.map_publisher.publish(grid_map(['.' * 20]))
    a.stand(*place(0, 0))
    sim_graph.until(lambda: a.path, 'a first path')
    a.send_goal(*place(19, 0))
    sim_graph.until(lambda: a.x > 1.0, 'the robot on its way')
    assert sim_graph.set_parameters(ticks_per_move=[2])[0].successful
    sim_graph.until(lambda: any(abs(s - 1.0) < 1e-6 and d > 0 for s, d, _ in moves(a.path)), 'slower moves')
    sim_graph.until(lambda: math.dist((a.x, a.y), place(19, 0)) < 1e-6, 'arrival', bound=240)


def set_together(graph, **values):
    request = SetParametersAtomically.Request()
    request.parameters = [Parameter(n, value=v).to_parameter_msg() for n, v in values.items()]
    return graph.call(SetParametersAtomically, 'set_parameters_atomically', request).result


def parameters(graph, names):
    values = graph.call(GetParameters, 'get_parameters', GetParameters.Request(names=list(names))).values
    return [parameter_value_to_python(value) for value in values]


BAR = '[[0.7, 0.2], [0.7, -0.2], [-0.7, -0.2], [-0.7, 0.2]]'
SMALL = '[[0.15, 0.1], [0.15, -0.1], [-0.15, -0.1], [-0.15, 0.1]]'


def test_a_robot_in_metres_and_seconds(sim_graph):
    """0.4 m/s at a fleet's 1 m/s: 3 ticks of 0.5 s per cell; a quarter turn in 1.2 s: 3 ticks."""
    a = alone(sim_graph, ['.....', '.####', '.....'], (4, 0), at=(0, 2), footprints_m=texts([SMALL]), speeds='[0.4]',
              turn_seconds='[1.2]')
    driven = [(s, d) for s, d, _ in moves(a.path) if d > 1e-6]
    turned = [(s, r) for s, _, r in moves(a.path) if r > 1e-6]
    assert driven and all(abs(s - 1.5) < 1e-6 for s, _ in driven), driven
    assert turned and all(abs(s - 1.5) < 1e-6 and abs(r - math.pi / 2) < 1e-3 for s, r in turned), turned
    # The speed of the fleet is set while it drives: ticks of 1 s, of which it needs two for each.
    assert sim_graph.set_parameters(speed=0.5)[0].successful
    a.send_goal(*place(4, 2))
    sim_graph.until(
        lambda: a.reaches(*place(4, 2)) and all(abs(s - 2.0) < 1e-6 for s, d, _ in moves(a.path) if d > 1e-6),
        'a path with other ticks', bound=240)


def test_a_long_robot_in_metres_does_not_go_where_it_does_not_fit(sim_graph):
    """It covers three cells in a row, and three by three while it turns: only before the door."""
    rows = ['.......', '.......', '##...##', '.......', '.......']
    a, b = sim_graph.start(
        'a', 'b', use_sim_time=True, execution_mode='timed', footprints_m=texts([BAR, '']), turn_seconds='[4.0, 0.0]')
    sim_graph.map_publisher.publish(grid_map(rows))
    a.stand(*place(1, 1))
    b.stand(*place(6, 0))
    sim_graph.until(lambda: a.path and b.path, 'first paths')
    a.send_goal(*place(1, 2))
    sim_graph.until(lambda: sim_graph.error('a') == 206, 'a goal in a wall')
    a.send_goal(*place(3, 3))
    sim_graph.until(lambda: sim_graph.error('a') == 0 and a.reaches(*place(3, 3)), 'a way through the door')


def test_lists_in_metres_may_have_whole_numbers(graph):
    graph.start('a', 'b')
    assert graph.set_parameters(speeds=[1, 2], turn_seconds=[])[0].successful
    assert list(parameters(graph, ['speeds'])[0]) == [1.0, 2.0]


@pytest.mark.parametrize('values, words', [
    ({'footprints_m': [BAR]}, 'footprints_m has 1 values for 2 robots'),
    ({'speeds': [0.5, 0.5, 0.5]}, 'speeds has 3 values for 2 robots'),
    ({'turn_seconds': [0.5]}, 'turn_seconds has 1 values for 2 robots'),
    ({'footprints_m': ['', '[[0.1, 0.1]]']}, "robot 'b': footprint_m has 1 corners; it must have at least 3"),
    ({'footprints_m': ['2x2', '']}, "robot 'a': footprint_m must be [[x, y]"),
    ({'footprints_m': [BAR, ''], 'footprints': ['2x2', '']}, "robot 'a': it has footprint_m and footprint"),
    ({'speeds': [0.1, 0.0], 'ticks_per_move': [2, 1]}, 'speed and ticks_per_move'),
    ({'speeds': [-0.1, 0.0]}, 'speeds must be between 0 and 100, not -0.1'),
    ({'turn_seconds': [0.0, 1e9]}, 'between 0 and 3600'),
    ({'speeds': ['fast', 'slow']}, 'speeds must be of type double array'),
    # These need the planning grid: cells of 0.5 m, ticks of 1 s.
    ({'speeds': [0.5, 0.05]}, "robot 'b': speed 0.05 m/s is 10 ticks of 1 s per move of 0.5 m, and 1 to 8"),
    ({'turn_seconds': [9.0, 0.0]}, "robot 'a': turn_seconds 9 is 9 ticks of 1 s per quarter turn, and 1 to 8"),
    ({'speeds': [0.5, 0.05], 'speed': 0.4, 'turn_seconds': [11.0, 0.0]}, "robot 'a': turn_seconds 11 is 9 ticks"),
    ({'footprints_m': ['[[30, 1], [30, -1], [-1, -1], [-1, 1]]', '']}, "robot 'a': footprint_m reaches 30.0167 m"),
])
def test_robots_in_metres_that_make_no_sense_are_refused_and_nothing_changes(graph, values, words):
    a, b = graph.start('a', 'b')
    graph.map_publisher.publish(grid_map(['.' * 8] * 3))
    a.stand(*place(0, 0))
    b.stand(*place(0, 2))
    graph.until(lambda: a.path and b.path, 'first paths')
    before = parameters(graph, values)
    result = set_together(graph, **values)
    assert not result.successful and words in result.reason, result.reason
    assert parameters(graph, values) == before


def test_what_fits_only_together_is_set_together(graph):
    """At 0.5 m/s the robot would need ten ticks per move; with the fleet's new speed it needs five."""
    a, = graph.start('a')
    graph.map_publisher.publish(grid_map(['.' * 8] * 3))
    a.stand(*place(0, 0))
    graph.until(lambda: a.path, 'a first path')
    assert not graph.set_parameters(speeds=[0.05])[0].successful
    assert set_together(graph, speeds=[0.05], speed=0.25).successful
    a.send_goal(*place(3, 0))
    graph.until(lambda: a.reaches(*place(3, 0)), 'a path')
    graph.until(lambda: any(abs(s - 10.0) < 1e-6 for s, d, _ in moves(a.path) if d > 1e-6), 'slow moves')
