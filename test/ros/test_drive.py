"""Robots that drive by released paths, as the node has them do it."""
import itertools

from fleet import CELL, Fleet, fleet_on, place, places
from graph import nanoseconds, points
from std_srvs.srv import Trigger

BAY = [
    '@@@@.@@@@@',
    '..........',
]


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
        nanoseconds(p.poses[-1].header.stamp) for p in fleet.paths['robot_1']
        if p.poses and points(p)[-1] == place(21, 0)]
    first = ends()[0]
    fleet.wait(lambda: graph.value('robot_1', 'waits_for') == 'robot_0', 'whom it waits for')
    assert graph.value('robot_1', 'because_of') == 'robot_0'
    assert graph.value('robot_1', 'execution') == 'waiting' and graph.error('robot_1') == 0
    fleet.wait(lambda: float(graph.value('robot_1', 'delay_s')) > 3, 'its delay')
    fleet.wait(lambda: fleet.is_at('robot_1', 21, 0), 'arrival', bound=240)
    arrival = fleet.sim.now('robot_1')
    assert arrival - first * 1e-9 > 5, 'it was late'
    assert abs(arrival - ends()[-1] * 1e-9) < 2, 'and had said so'
    fleet.check()


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


def test_pause_needs_execution_mode_dependency(graph):
    graph.start('a', execution_mode='none')
    answer = graph.call(Trigger, 'pause', Trigger.Request())
    assert not answer.success and 'dependency' in answer.message


def test_a_ring_of_robots_rotates(graph, start, tmp_path):
    """Each enters what the next one leaves, all at once: only without robust ticks, and for robots that are small."""
    ring = [(0, 0), (1, 0), (1, 1), (0, 1)]
    fleet = fleet_on(
        graph, start, tmp_path, ['..@......'] * 2, ring,
        {'planner': 'lazy_sat', 'robust_ticks': 0, 'robot_radius': 0.12, 'speed': 0.2}, robot_radius=0.12, max_speed=0.2,
        rate_factor=1.0)
    fleet.arrive(**{f'robot_{k}': ring[(k + 1) % 4] for k in range(4)})
    fleet.check()


def test_by_the_stamps_everything_is_released_at_once(graph, start, tmp_path):
    fleet = fleet_on(graph, start, tmp_path, ['.' * 12], [(0, 0)], {'execution_mode': 'timed'})
    fleet.send('robot_0', 11, 0)
    fleet.wait(lambda: fleet.releases['robot_0'] and points(fleet.releases['robot_0'][-1])[-1] == place(11, 0),
               'all of it')
    fleet.wait(lambda: points(fleet.paths['robot_0'][-1]) == points(fleet.releases['robot_0'][-1]), 'the same path')
    fleet.arrive(robot_0=(11, 0))


def test_without_execution_nothing_is_released(graph, start, tmp_path):
    fleet = fleet_on(graph, start, tmp_path, ['.' * 12], [(0, 0)], {'execution_mode': 'none'})
    fleet.arrive(robot_0=(11, 0))
    assert not any(release.poses for release in fleet.releases['robot_0'])
