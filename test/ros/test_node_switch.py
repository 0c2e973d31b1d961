"""Planners and their parameters changed while a simulated fleet drives, all of them real processes."""
import pytest
from fleet import Fleet

ROBOTS = [f'robot_{k}' for k in range(14)]
MAP = 'warehouse:33x17,shelf=6,aisle=2,seed=3'


@pytest.fixture(params=['dependency', 'timed'])
def fleet(graph, start, request):
    """A fleet under way: the planner's side and the simulator's."""
    fleet = Fleet(graph, start, ROBOTS, {'execution_mode': request.param}, {'map': MAP})
    fleet.wait(lambda: graph.planner('plan_by') == 'auto', 'a first plan')
    yield fleet
    check(graph, fleet)


def check(graph, fleet):
    assert fleet.overlaps() == 0 or not fleet.is_on_time(), fleet.sim.log()
    assert graph.message('planner') == 'planning'


def switch(graph, fleet, planner):
    assert graph.set_parameters(planner=planner)[0].successful
    fleet.wait(lambda: graph.planner('planner') == planner and graph.planner('plan_by') == planner,
               f'a plan by {planner}')


def test_goals_are_reached_with_each_planner_while_they_change(graph, fleet):
    fleet.reach(4, 'with the first planner')
    for planner in ('whca', 'hca', 'whca', 'ca', 'whca', 'hca'):
        switch(graph, fleet, planner)
        fleet.reach(5, f'with {planner}')
        assert graph.planner('planner') == graph.planner('plan_by') == planner
        check(graph, fleet)


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
        check(graph, fleet)
