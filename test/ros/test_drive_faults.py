"""Faults while driving: robots that are stopped, silent or late, and obstacles that appear in front of them. They cost
time, never a collision."""
import pytest
from fleet import fleet_on, place
from geometry_msgs.msg import Point
from graph import LATCHED, grid_map, timed_path
from nav_msgs.msg import GridCells, Path

ROOMS = [  # two rooms, two doors
    '....@....',
    '.........',
    '....@....',
    '....@....',
    '....@....',
    '....@....',
    '.........',
    '....@....',
]
ONE_DOOR = [row if k != 6 else '....@....' for k, row in enumerate(ROOMS)]


@pytest.mark.parametrize('planner', ['hca', 'whca'])
def test_a_robot_that_breaks_down_in_a_doorway_is_driven_around(graph, start, tmp_path, planner):
    fleet = fleet_on(
        graph, start, tmp_path, ROOMS, [(4, 1), (0, 1), (0, 3)], {'planner': planner, 'stopped_timeout': 2.0},
        freeze='["robot_0@0"]')
    # It is told to go on, and does not: others find it in their way.
    fleet.send('robot_0', 8, 1)
    fleet.wait(lambda: graph.value('robot_0', 'execution') == 'stopped', 'one that has stopped')
    fleet.arrive(robot_1=(8, 4), robot_2=(6, 3))  # not behind what was released to it
    fleet.check()


def test_without_a_detour_the_others_wait_and_report_why(graph, start, tmp_path):
    fleet = fleet_on(
        graph, start, tmp_path, ONE_DOOR, [(4, 1), (0, 1)], {'stopped_timeout': 2.0}, freeze='["robot_0@0+40"]')
    fleet.send('robot_0', 8, 1)
    fleet.wait(lambda: graph.value('robot_0', 'execution') == 'stopped', 'one that has stopped', bound=240)
    fleet.send('robot_1', 8, 0)
    fleet.wait(lambda: graph.error('robot_1') == 208 and 'robot_0' in graph.message('robot_1'), 'the reason')
    fleet.wait(
        lambda: fleet.is_at('robot_1', 8, 0) and fleet.is_at('robot_0', 8, 1), 'both, once it drives on', bound=240)
    fleet.check()


def test_a_silent_robot_keeps_its_reserved_cells(graph, start, tmp_path):
    """It drives to the end of its release without a word; the other one does not come near."""
    fleet = fleet_on(
        graph, start, tmp_path, ['.' * 40] * 2, [(0, 0), (39, 0)], {'odom_timeout': 0.5}, max_speed=0.5,
        silence='["robot_0@20+12"]')
    fleet.send('robot_0', 36, 0)
    fleet.send('robot_1', 3, 0)
    fleet.wait(lambda: graph.state('robot_0') == 'stale', 'silence')
    fleet.wait(lambda: fleet.sim.count('seconds') > 30, 'the end of what it may drive')
    assert graph.value('robot_0', 'execution') == 'stale'
    fleet.wait(lambda: graph.state('robot_0') == 'moving', 'its voice')
    fleet.wait(lambda: fleet.is_at('robot_0', 36, 0) and fleet.is_at('robot_1', 3, 0), 'both there', bound=240)
    fleet.check()


def test_poses_that_are_refused_are_none(sim_graph):
    a, = sim_graph.start('a', use_sim_time=True, execution_mode='dependency', odom_timeout=0.5)
    sim_graph.map_publisher.publish(grid_map(['.' * 9]))
    a.stand(*place(0, 0))
    sim_graph.until(lambda: sim_graph.value('a', 'execution') == 'arrived', 'one in the graph')
    a.frame_id = 'elsewhere'
    sim_graph.until(lambda: sim_graph.value('a', 'execution') == 'stale', 'silence')
    a.frame_id = 'map'
    sim_graph.until(lambda: sim_graph.value('a', 'execution') == 'arrived', 'its voice')


def test_time_that_goes_back_is_survived(sim_graph):
    a, = sim_graph.start('a', use_sim_time=True, execution_mode='dependency')
    sim_graph.map_publisher.publish(grid_map(['.' * 9]))
    a.stand(*place(0, 0))
    a.drives = False
    sim_graph.until(lambda: sim_graph.value('a', 'execution') == 'arrived', 'one in the graph')
    sim_graph.time_ns = 5 * 10**9
    sim_graph.until(lambda: 'time went back' in sim_graph.output(), 'a word of it')
    sim_graph.until(lambda: sim_graph.value('a', 'execution') == 'arrived', 'one in the new graph', bound=40)
    a.send_goal(*place(8, 0))
    sim_graph.until(lambda: a.reaches(*place(8, 0)), 'a path')


def blocked(*cells):
    message = GridCells()
    message.header.frame_id = 'map'
    message.cell_width = message.cell_height = 0.5
    message.cells = [Point(x=place(x, y)[0], y=place(x, y)[1]) for x, y in cells]
    return message


def test_an_obstacle_on_a_released_path_stops_a_robot_short_of_it(graph, start, tmp_path):
    fleet = fleet_on(graph, start, tmp_path, ['.' * 24] * 3, [(0, 1)], max_speed=0.5)
    publisher = graph.node.create_publisher(GridCells, 'blocked_cells', 10)
    fleet.wait(lambda: publisher.get_subscription_count() > 0, 'a reader')
    fleet.send('robot_0', 23, 1)
    fleet.wait(lambda: fleet.at('robot_0')[0] > 4, 'one on its way')
    x = int(fleet.at('robot_0')[0]) + 3  # within what is released: four cells
    publisher.publish(blocked((x, 0), (x, 1)))
    seen = set()

    def arrives():
        seen.add((round(fleet.at('robot_0')[0]), round(fleet.at('robot_0')[1])))
        return fleet.is_at('robot_0', 23, 1)
    fleet.wait(arrives, 'arrival around it', bound=240)
    assert (x, 1) not in seen and (x, 0) not in seen and (x, 2) in seen
    fleet.check()


def test_what_is_blocked_far_away_changes_nothing(graph, start, tmp_path):
    fleet = fleet_on(graph, start, tmp_path, ['.' * 24] * 3, [(0, 0)], max_speed=0.5)
    publisher = graph.node.create_publisher(GridCells, 'blocked_cells', 10)
    fleet.wait(lambda: publisher.get_subscription_count() > 0, 'a reader')
    fleet.send('robot_0', 23, 0)
    fleet.wait(lambda: fleet.at('robot_0')[0] > 4, 'one on its way')
    rounds = graph.rounds()
    publisher.publish(blocked((20, 2), (21, 2)))
    fleet.wait(lambda: graph.planner('blocked_cells') == '2', 'blocked cells')
    publisher.publish(blocked((20, 2), (21, 2)))
    graph.pass_diagnostics()
    assert graph.rounds() == rounds
    publisher.publish(blocked((22, 0)))
    fleet.wait(lambda: graph.rounds() > rounds, 'a round for what is in its way')
    bad = blocked((1, 1))
    bad.header.frame_id = 'elsewhere'
    publisher.publish(bad)
    fleet.wait(lambda: 'blocked_cells refused' in graph.output(), 'a refusal')
    fleet.wait(lambda: fleet.is_at('robot_0', 23, 0), 'arrival around it', bound=240)


def test_a_door_is_not_passed_while_it_is_closed(graph, start, tmp_path):
    fleet = fleet_on(
        graph, start, tmp_path, ['.' * 16], [(0, 0)], {'closures': '[door]'}, freeze='["robot_0@5+4"]', max_speed=0.8)
    door = graph.node.create_publisher(Path, 'door/closed_path', LATCHED)
    begin = int(fleet.sim.now('robot_0') * 1e9)
    # Open for a while; a robot on time could pass before it closes, but this one is late.
    door.publish(timed_path([(begin + 7 * 10**9, *place(8, 0)), (begin + 25 * 10**9, *place(8, 0))]))
    fleet.wait(lambda: graph.planner('sources_heard') == '1/1', 'the door')
    fleet.send('robot_0', 15, 0)
    inside = []

    def arrives():
        if 7.3 < fleet.at('robot_0')[0] < 8.7:
            inside.append(fleet.sim.now('robot_0') - begin * 1e-9)
        return fleet.is_at('robot_0', 15, 0)
    fleet.wait(arrives, 'arrival', bound=240)
    assert inside and all(not 7 < moment < 25 for moment in inside), inside


def test_another_tick_is_used_once_all_robots_stand(graph, start, tmp_path):
    fleet = fleet_on(graph, start, tmp_path, ['.' * 24] * 4, [(0, 0), (23, 0)])
    fleet.send('robot_0', 22, 0)
    fleet.send('robot_1', 1, 0)
    fleet.wait(lambda: fleet.at('robot_0')[0] > 4, 'one on its way')
    assert graph.set_parameters(speed=0.7)[0].successful  # another graph
    fleet.wait(lambda: fleet.is_at('robot_0', 22, 0) and fleet.is_at('robot_1', 1, 0), 'arrivals', bound=240)
    fleet.check()


def test_a_new_map_of_another_size_is_used_once_all_robots_stand(graph, start, tmp_path):
    fleet = fleet_on(graph, start, tmp_path, ['.' * 24] * 4, [(0, 0), (23, 0)], max_speed=0.7)
    fleet.send('robot_0', 22, 0)
    fleet.send('robot_1', 1, 0)
    fleet.wait(lambda: fleet.at('robot_0')[0] > 4, 'one on its way')
    graph.map_publisher.publish(grid_map(['.' * 30] * 5))
    fleet.wait(lambda: graph.planner('map') == '30x5', 'the new map')
    fleet.wait(lambda: fleet.is_at('robot_0', 22, 0) and fleet.is_at('robot_1', 1, 0), 'arrivals', bound=240)
    fleet.arrive(robot_0=(22, 3), robot_1=(2, 2))
    fleet.check()


def test_a_new_map_requests_a_plan_only_if_it_affects_a_path(graph, start, tmp_path):
    fleet = fleet_on(graph, start, tmp_path, ['.' * 24] * 3, [(0, 0)], max_speed=0.5)
    fleet.send('robot_0', 23, 0)
    fleet.wait(lambda: fleet.at('robot_0')[0] > 3, 'one on its way')
    rounds = graph.rounds()
    graph.map_publisher.publish(grid_map(['.' * 20 + '#' * 4, '.' * 24, '.' * 24]))  # the first row is y = 2
    fleet.wait(lambda: graph.output().count('map: ') == 2, 'a map with a wall far away')
    graph.pass_diagnostics()
    assert graph.rounds() == rounds
    graph.map_publisher.publish(grid_map(['.' * 24, '.' * 24, '.' * 20 + '#' + '.' * 3]))
    fleet.wait(lambda: graph.rounds() > rounds, 'a round for a wall in its way')
    seen = set()

    def arrives():
        seen.add((round(fleet.at('robot_0')[0]), round(fleet.at('robot_0')[1])))
        return fleet.is_at('robot_0', 23, 0)
    fleet.wait(arrives, 'arrival', bound=240)
    assert (20, 0) not in seen and (20, 1) in seen
