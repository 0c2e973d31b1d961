"""Robots that drive by released paths: what is late, stopped or in the way costs time, never a collision."""
import itertools

import pytest
from fleet import CELL, Fleet, map_file, place, texts
from graph import LATCHED, nanoseconds, points, timed_path
from nav_msgs.msg import GridCells, Path
from geometry_msgs.msg import Point
from std_srvs.srv import Trigger

BAY = [
    '@@@@.@@@@@',
    '..........',
]
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


def fleet_on(graph, start, tmp_path, rows, starts, planner=None, **simulator):
    names = [f'robot_{k}' for k in range(len(starts))]
    simulator = {
        'map': map_file(tmp_path, rows), 'goals': 'none', 'starts': texts(f'{x},{y}' for x, y in starts), **simulator}
    fleet = Fleet(graph, start, names, planner, simulator)
    fleet.wait(lambda: all(graph.value(name, 'execution') == 'arrived' for name in names), 'everybody in the graph')
    return fleet


def places(path):
    """Without waits."""
    return [key for key, _ in itertools.groupby(points(path))]


def test_two_robots_swap_in_a_corridor_with_one_bay(graph, start, tmp_path):
    fleet = fleet_on(graph, start, tmp_path, BAY, [(0, 1), (9, 1)])
    fleet.arrive(robot_0=(9, 1), robot_1=(0, 1))
    fleet.arrive(robot_0=(0, 1), robot_1=(9, 1))
    fleet.check()


def test_an_idle_robot_steps_aside_and_comes_back(graph, start, tmp_path):
    fleet = fleet_on(graph, start, tmp_path, BAY, [(0, 1), (5, 1)])
    fleet.send('robot_0', 9, 1)
    fleet.wait(lambda: not fleet.is_at('robot_1', 5, 1), 'one that steps aside')
    fleet.wait(lambda: fleet.is_at('robot_0', 9, 1) and fleet.is_at('robot_1', 5, 1), 'both where they belong')
    fleet.wait(lambda: graph.state('robot_1') == 'idle', 'its state')
    fleet.check()


def test_releases_grow_and_are_never_taken_back(graph, start):
    names = [f'robot_{k}' for k in range(10)]
    fleet = Fleet(graph, start, names, simulator={
        'map': 'random:20x14,obstacles=15,seed=4', 'slow_chance': 0.3, 'noise': 0.02, 'stops_per_hour': 200.0})
    fleet.reach(30, bound=240)
    fleet.check()
    counted = 0
    for name in names:
        releases = [places(release) for release in fleet.releases[name] if release.poses]
        for old, new in itertools.pairwise(releases):
            # The end of the old one is on the new one, or the new one begins there.
            assert old[-1] in new, f'{name}: {old} then {new}'
            assert all(abs(a - c) + abs(b - d) < CELL + 1e-6 for (a, b), (c, d) in itertools.pairwise(new))
            counted += 1
    assert counted > 100


def test_stamps_of_timed_paths_stay_true(graph, start, tmp_path):
    """One is frozen in front of the other: both are expected later, and the path says so."""
    fleet = fleet_on(
        graph, start, tmp_path, ['.' * 24], [(2, 0), (0, 0)], {'stopped_timeout': 0.0}, freeze='["robot_0@0+25"]')
    fleet.send('robot_0', 23, 0)
    fleet.send('robot_1', 21, 0)
    fleet.wait(lambda: any(points(p)[-1] == place(21, 0) for p in fleet.paths['robot_1'] if p.poses), 'a path')
    ends = lambda: [
        nanoseconds(p.poses[-1].header.stamp) for p in fleet.paths['robot_1'] if p.poses and points(p)[-1] == place(21, 0)]
    first = ends()[0]
    fleet.wait(lambda: fleet.is_at('robot_1', 21, 0), 'arrival', bound=240)
    arrival = fleet.sim.now('robot_1')
    assert arrival - first * 1e-9 > 5, 'it was late'
    assert abs(arrival - ends()[-1] * 1e-9) < 2, 'and had said so'
    fleet.check()


@pytest.mark.parametrize('planner', ['hca', 'whca'])
def test_a_robot_that_breaks_down_in_a_doorway_is_driven_around(graph, start, tmp_path, planner):
    fleet = fleet_on(
        graph, start, tmp_path, ROOMS, [(4, 1), (0, 1), (0, 3)], {'planner': planner, 'stopped_timeout': 2.0},
        freeze='["robot_0@0"]')
    # It is told to go on, and does not: others find it in their way.
    fleet.send('robot_0', 8, 1)
    fleet.wait(lambda: graph.value('robot_0', 'execution') == 'stopped', 'one that has stopped')
    fleet.arrive(robot_1=(8, 0), robot_2=(6, 3))
    fleet.check()


def test_without_another_way_round_the_others_wait_and_say_why(graph, start, tmp_path):
    fleet = fleet_on(
        graph, start, tmp_path, ONE_DOOR, [(4, 1), (0, 1)], {'stopped_timeout': 2.0}, freeze='["robot_0@0+40"]')
    fleet.send('robot_0', 8, 1)
    fleet.wait(lambda: graph.value('robot_0', 'execution') == 'stopped', 'one that has stopped', bound=240)
    fleet.send('robot_1', 8, 0)
    fleet.wait(lambda: graph.error('robot_1') == 208 and 'robot_0' in graph.message('robot_1'), 'the reason')
    fleet.wait(
        lambda: fleet.is_at('robot_1', 8, 0) and fleet.is_at('robot_0', 8, 1), 'both, once it drives on', bound=240)
    fleet.check()


def test_a_silent_robot_keeps_what_it_holds(graph, start, tmp_path):
    """It drives to the end of its release without a word; the other one does not come near."""
    fleet = fleet_on(graph, start, tmp_path, ['.' * 20] * 2, [(0, 0), (19, 0)], {'odom_timeout': 0.5})
    fleet.send('robot_0', 12, 0)
    fleet.wait(lambda: fleet.at('robot_0')[0] > 2, 'one on its way')
    fleet.send('robot_1', 3, 0)
    fleet.arrive(robot_0=(12, 0), robot_1=(3, 0))
    fleet.check()


def blocked(*cells):
    message = GridCells()
    message.header.frame_id = 'map'
    message.cell_width = message.cell_height = 0.5
    message.cells = [Point(x=place(x, y)[0], y=place(x, y)[1]) for x, y in cells]
    return message


def test_an_obstacle_on_a_released_way_stops_a_robot_short_of_it(graph, start, tmp_path):
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
    graph.pass_diagnostics()
    assert graph.rounds() == rounds
    publisher.publish(blocked((22, 0)))
    fleet.wait(lambda: graph.rounds() > rounds, 'a round for what is in its way')
    bad = blocked((1, 1))
    bad.header.frame_id = 'elsewhere'
    publisher.publish(bad)
    fleet.wait(lambda: 'blocked_cells refused' in graph.output(), 'a refusal')
    fleet.wait(lambda: fleet.is_at('robot_0', 23, 0), 'arrival around it', bound=240)


def test_pause_and_resume(graph, start, tmp_path):
    fleet = fleet_on(graph, start, tmp_path, ['.' * 40], [(0, 0)], max_speed=1.0)
    fleet.send('robot_0', 39, 0)
    fleet.wait(lambda: fleet.at('robot_0')[0] > 3, 'one on its way')
    assert graph.call(Trigger, 'pause', Trigger.Request()).success
    fleet.wait(lambda: graph.value('robot_0', 'waits_for') == 'pause', 'the end of what is released')
    fleet.wait_seconds(1)
    at = fleet.at('robot_0')
    assert abs(at[0] - round(at[0])) < 0.01, 'in the middle of a cell'
    fleet.wait_seconds(3)
    assert fleet.at('robot_0') == at
    fleet.send('robot_0', 30, 0)  # planned, and not driven
    fleet.wait_seconds(2)
    assert fleet.at('robot_0') == at
    assert graph.call(Trigger, 'resume', Trigger.Request()).success
    fleet.wait(lambda: fleet.is_at('robot_0', 30, 0), 'arrival')


def test_pause_is_for_dependencies_alone(graph):
    graph.start('a', execution_mode='none')
    answer = graph.call(Trigger, 'pause', Trigger.Request())
    assert not answer.success and 'dependency' in answer.message


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


def test_a_new_map_of_another_size_is_taken_over_once_everybody_stands(graph, start, tmp_path):
    fleet = fleet_on(graph, start, tmp_path, ['.' * 24] * 4, [(0, 0), (23, 0)])
    fleet.send('robot_0', 22, 0)
    fleet.send('robot_1', 1, 0)
    fleet.wait(lambda: fleet.at('robot_0')[0] > 4, 'one on its way')
    assert graph.set_parameters(speed=0.7)[0].successful  # other ticks: another graph
    fleet.wait(lambda: fleet.is_at('robot_0', 22, 0) and fleet.is_at('robot_1', 1, 0), 'arrivals', bound=240)
    fleet.check()


@pytest.mark.parametrize('planner', ['hca', 'whca'])
def test_a_node_that_is_killed_and_started_again_takes_over(graph, start, planner):
    names = [f'robot_{k}' for k in range(12)]
    fleet = Fleet(graph, start, names, {'planner': planner}, {
        'map': 'warehouse:29x17,shelf=6,aisle=2,seed=3', 'noise': 0.01, 'slow_chance': 0.2})
    fleet.reach(10, bound=240)
    for _ in range(2):
        fleet.kill()
        fleet.wait_seconds(6)
        at = [fleet.sim.track(name)[-1][1:] for name in names]
        fleet.wait_seconds(2)
        for name, (x, y) in zip(names, at):
            assert abs(fleet.sim.pose(name)[0] - x) + abs(fleet.sim.pose(name)[1] - y) < 0.05, f'{name} goes on'
        fleet.launch()
        fleet.reach(10, 'goals after the restart', bound=240)
    fleet.kill()  # and at once again, while everybody drives
    fleet.launch()
    fleet.reach(10, 'goals after the next restart', bound=240)
    fleet.check()
