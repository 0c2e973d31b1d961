"""Planners and their parameters changed while a simulated fleet drives, all of them real processes."""
import os

import pytest
from sim import FAST

ROBOTS = 14
MAP = 'warehouse:33x17,shelf=6,aisle=2,seed=3'


@pytest.fixture
def fleet(graph, start):
    """A fleet under way: the planner's side and the simulator's."""
    names = [f'robot_{k}' for k in range(ROBOTS)]
    sim = start({'robots': ROBOTS, 'map': MAP, 'max_speed': 1.5, **FAST, 'rate_factor': 2.0})
    # Time runs twice as fast as the clock on the wall, so the lead is twice the usual one.
    settings = {'use_sim_time': 'true', 'speed': 1.0, 'plan_lead_seconds': 1.0, 'time_limit': 1.0, 'planner': 'hca'}
    words = [word for name, value in settings.items() for word in ('-p', f'{name}:={value}')]
    graph.launch([
        os.environ['FLEETWEAVE_PLANNER_NODE'], '--ros-args', '-p', f'robots:=[{",".join(names)}]', *words])

    class Fleet:
        def wait(self, condition, what, bound=60):
            def spin_both():
                sim.executor.spin_once(timeout_sec=0)
                assert sim.process.poll() is None, f'the simulator has ended\n{sim.log()}'
                return condition()
            graph.until(spin_both, what, bound=bound)

        def goals(self):
            return sim.count('goals_reached')

        def reach(self, more, what):
            target = self.goals() + more
            self.wait(lambda: self.goals() >= target, f'{more} more goals {what}')

        def check(self):
            assert sim.count('overlaps') == 0, sim.log()
            assert graph.message('planner') == 'planning'

    fleet = Fleet()
    fleet.wait(lambda: graph.planner('plan_by') == 'hca', 'a first plan')
    yield fleet
    fleet.check()


def switch(graph, fleet, planner):
    assert graph.set_parameters(planner=planner)[0].successful
    fleet.wait(lambda: graph.planner('planner') == planner and graph.planner('plan_by') == planner, f'a plan by {planner}')


def test_goals_are_reached_with_each_planner_while_they_change(graph, fleet):
    fleet.reach(4, 'with the first planner')
    for planner in ('whca', 'hca', 'whca', 'ca', 'whca', 'hca'):
        switch(graph, fleet, planner)
        fleet.reach(5, f'with {planner}')
        assert graph.planner('planner') == graph.planner('plan_by') == planner
        fleet.check()


def test_a_storm_of_changes_does_not_stop_the_fleet(graph, fleet):
    """Faster than rounds are made: the last one counts."""
    for turn in range(8):
        assert graph.set_parameters(planner=('hca', 'whca', 'ca', 'lra')[turn % 4])[0].successful
    switch(graph, fleet, 'whca')
    fleet.reach(6, 'after the storm')


def test_the_window_changes_while_robots_drive(graph, fleet):
    switch(graph, fleet, 'whca')
    for window, horizon in ((8, 3), (64, 15), (2, 0), (16, 7)):
        rounds = graph.rounds()
        assert all(r.successful for r in graph.set_parameters(whca__window=window, horizon=horizon))
        fleet.wait(lambda: graph.rounds() > rounds, f'a round with a window of {window}')
        fleet.reach(4, f'with a window of {window}')
        assert graph.planner('plan_by') == 'whca'
        fleet.check()
