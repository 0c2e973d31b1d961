"""A node that is killed in the middle of a run: robots stop at the end of their releases, and the next node takes
over."""
import math

import pytest
from fleet import Fleet, map_file, places, texts


def stands(fleet, name):
    """For two seconds."""
    track = fleet.sim.track(name)
    recent = [at for moment, *at in track if moment > track[-1][0] - 2.0]
    return track[0][0] < track[-1][0] - 2.0 and all(math.dist(at, recent[-1]) < 0.05 for at in recent)


def stands_at_an_end(fleet, name):
    """At the end of its release. A node that is killed while it sends may have reached only us, or only the simulator:
    then it is the end before, or a later pose of the plan."""
    last = places(fleet.releases[name][-1])
    plan = places(fleet.paths[name][-1]) if fleet.paths[name] else []
    later = plan[plan.index(last[-1]) + 1:] if last[-1] in plan else []
    ends = [last[-1]] + [places(release)[-1] for release in fleet.releases[name][-2:-1]] + later
    return any(math.dist(fleet.sim.pose(name), end) < 0.05 for end in ends)


@pytest.mark.parametrize('planner', ['hca', 'whca'])
def test_a_node_that_is_killed_and_started_again_takes_over(graph, start, planner):
    names = [f'robot_{k}' for k in range(12)]
    fleet = Fleet(graph, start, names, {'planner': planner}, {
        'map': 'warehouse:29x17,shelf=6,aisle=2,seed=3', 'noise': 0.01, 'slow_chance': 0.2})
    fleet.reach(10, bound=240)
    for _ in range(2):
        fleet.kill()
        fleet.wait_seconds(3)
        fleet.wait(lambda: all(stands(fleet, name) for name in names), 'everybody at rest')
        fleet.wait(lambda: all(stands_at_an_end(fleet, name) for name in names), 'everybody where its release ends')
        fleet.launch()
        fleet.reach(10, 'goals after the restart', bound=240)
    fleet.kill()  # and at once again, while everybody drives
    fleet.launch()
    fleet.reach(10, 'goals after the next restart', bound=240)
    fleet.check()


def test_with_a_journal_goals_are_reached_without_being_sent_again(graph, start, tmp_path):
    names = [f'robot_{k}' for k in range(5)]
    starts = {name: (0, 2 * k) for k, name in enumerate(names)}
    goals = {name: (23, 8 - 2 * k) for k, name in enumerate(names)}  # across the floor, and past each other
    fleet = Fleet(graph, start, names, {'journal': str(tmp_path / 'fleet.journal')}, {
        'map': map_file(tmp_path, ['.' * 24] * 9), 'goals': 'none', 'noise': 0.01,
        'starts': texts(f'{x},{y}' for x, y in starts.values())})
    for name, goal in goals.items():
        fleet.send(name, *goal)
    fleet.wait(
        lambda: any(math.dist(fleet.at(name), starts[name]) > 1.0 for name in names), 'somebody on the way')
    for _ in range(2):
        fleet.kill()
        assert not all(fleet.is_at(name, *goal) for name, goal in goals.items())
        graph.statuses.clear()
        fleet.launch()
        fleet.wait(
            lambda: all(graph.value(name, 'goal_cell') == f'{x},{y}' for name, (x, y) in goals.items()),
            'the goals after a restart')
    fleet.wait(lambda: all(fleet.is_at(name, *goal) for name, goal in goals.items()), 'everybody at its goal', bound=240)
    fleet.check()
