"""A hundred robots driven by rtaa, window by window, as real processes: goals are reached without overlaps."""
import os

import pytest
from sim import FAST

ROBOTS = 100
MAP = 'warehouse:81x45,shelf=8,aisle=2,seed=1'
SEEDS = range(1, 6 if os.environ.get('FLEETWEAVE_LONG') else 2)


@pytest.mark.parametrize('seed', SEEDS)
def test_a_hundred_robots_without_overlaps(graph, start, seed):
    world = {'robots': ROBOTS, 'map': MAP, 'seed': seed, 'max_speed': 1.5}
    sim = start({**world, **FAST, 'rate_factor': 1.0, 'follow': 'released_path'})
    settings = {'use_sim_time': 'true', 'speed': 1.0, 'time_limit': 1.0, 'planner': 'rtaa'}
    words = [word for name, value in settings.items() for word in ('-p', f'{name}:={value}')]
    names = ','.join(f'robot_{k}' for k in range(ROBOTS))
    graph.launch([os.environ['FLEETWEAVE_PLANNER_NODE'], '--ros-args', '-p', f'robots:=[{names}]', *words])

    def has_reached(goals):
        sim.executor.spin_once(timeout_sec=0)
        assert sim.process.poll() is None, f'the simulator has ended\n{sim.log()}'
        return sim.count('goals_reached') >= goals

    graph.until(lambda: has_reached(60), '60 goals', bound=240)
    assert sim.count('overlaps') == 0, sim.log()
    assert graph.planner('plan_by') == 'rtaa' and graph.message('planner') == 'planning'
