"""A node that dies in the middle of a run: robots stop where they may drive to, and the next one takes over."""
import pytest
from fleet import Fleet


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
