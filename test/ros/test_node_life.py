"""Start and end, names, time."""
import os
import signal

import pytest
from graph import Graph, LATCHED, grid_map, nanoseconds
from rcl_interfaces.msg import Log
from rclpy.qos import DurabilityPolicy, QoSProfile

HALL = grid_map(['........'] * 6)


def place(x, y):
    return 0.5 * x + 0.25, 0.5 * y + 0.25


@pytest.mark.parametrize('number', [signal.SIGINT, signal.SIGTERM])
def test_signals_end_it_cleanly(graph, number):
    graph.start('a')
    graph.pass_diagnostics(1)
    assert graph.stop(number) == 0


def test_signal_right_after_the_start(graph):
    graph.start('a')
    graph.until(lambda: 'planner auto' in graph.output(), 'its first words')
    assert graph.stop() == 0


def test_signal_in_the_middle_of_a_solve(graph):
    """Twenty robots in a corridor that want to stand in the opposite order: no order of planning will do."""
    names = [f'r{k}' for k in range(20)]
    robots = graph.start(*names, time_limit=3000.0, planner='hca', hca__orders=1000000)
    graph.map_publisher.publish(grid_map(['.' * 60]))
    for k, robot in enumerate(robots):
        robot.stand(*place(k, 0))
    graph.until(lambda: all(r.path for r in robots), 'first paths')
    graph.pass_diagnostics(1)
    for k, robot in enumerate(robots):
        robot.send_goal(*place(19 - k, 0))
    graph.pass_diagnostics(2)
    rounds = graph.rounds()
    graph.replan()
    graph.pass_diagnostics(2)
    assert graph.rounds() == rounds, 'it is still solving'
    assert graph.stop() == 0


def test_without_robots_it_waits(graph):
    graph.launch([os.environ['FLEETWEAVE_PLANNER_NODE']])
    graph.map_publisher.publish(HALL)
    graph.until(lambda: graph.message('planner') == 'the parameter robots is empty', 'the planner status')
    assert graph.stop() == 0


def test_bad_arguments_end_it(graph):
    graph.launch([os.environ['FLEETWEAVE_PLANNER_NODE'], '--ros-args', '-p', 'speed'])
    assert graph.process.wait(20) == 1


def test_log_goes_to_rosout(graph):
    lines = []
    graph.node.create_subscription(
        Log, '/rosout', lines.append, QoSProfile(depth=1000, durability=DurabilityPolicy.TRANSIENT_LOCAL))
    a, = graph.start('a')
    graph.map_publisher.publish(HALL)
    graph.until(lambda: any('planning cells' in m.msg and m.name == 'fleetweave_planner' for m in lines), 'the log')


def test_log_level(graph):
    a, = graph.start('a', arguments=['--log-level', 'fleetweave_planner:=debug'])
    graph.map_publisher.publish(HALL)
    a.stand(*place(0, 0))
    graph.until(lambda: a.path, 'a path')
    assert 'planning: ' in graph.output()


def test_namespace_and_remaps():
    graph = Graph(namespace='/north')
    try:
        a, = graph.start('a', arguments=['-r', '__ns:=/north', '-r', '__node:=boss', '-r', 'map:=/hall'])
        hall = graph.node.create_publisher(type(HALL), '/hall', LATCHED)
        hall.publish(HALL)
        a.stand(*place(0, 0))
        a.send_goal(*place(3, 0))
        graph.until(lambda: a.reaches(*place(3, 0)), 'a path in the namespace')
        names = dict(graph.node.get_topic_names_and_types())
        assert '/north/a/timed_path' in names and '/north/fleet_markers' in names and '/diagnostics' in names
        services = dict(graph.node.get_service_names_and_types())
        assert '/north/boss/replan' in services and '/north/boss/set_parameters_atomically' in services
        assert 'north/boss: planner' in {s.name for s in graph.statuses.values()} or graph.until(
            lambda: 'north/boss: planner' in {s.name for s in graph.statuses.values()}, 'its own name') is None
    finally:
        assert graph.close() == 0


def test_sim_time_stamps(sim_graph):
    a, = sim_graph.start('a', use_sim_time=True)
    sim_graph.map_publisher.publish(HALL)
    a.stand(*place(0, 0))
    a.send_goal(*place(3, 0))
    sim_graph.until(lambda: a.reaches(*place(3, 0)), 'a path')
    assert 100 * 10**9 < nanoseconds(a.path.header.stamp) < 200 * 10**9
    sim_graph.until(lambda: sim_graph.state('a') == 'arrived', 'arrival in sim time')


def test_without_a_clock_nothing_is_planned(graph):
    a, = graph.start('a', use_sim_time=True)
    graph.map_publisher.publish(HALL)
    a.stand(*place(0, 0))
    graph.until(lambda: graph.message('planner') == 'no message has arrived on /clock yet', 'the planner status')
    assert a.path is None


def test_time_that_jumps_back_drops_the_plans(sim_graph):
    a, = sim_graph.start('a', use_sim_time=True)
    sim_graph.map_publisher.publish(HALL)
    a.stand(*place(0, 0))
    sim_graph.until(lambda: a.path, 'a first path')
    a.send_goal(*place(7, 5))
    sim_graph.until(lambda: a.reaches(*place(7, 5)), 'a path')
    a.drives = False
    sim_graph.time_ns = 20 * 10**9
    sim_graph.until(
        lambda: a.reaches(*place(7, 5)) and nanoseconds(a.path.header.stamp) < 60 * 10**9, 'a path in the new time')
    assert 'time went back' in sim_graph.output()
    assert sim_graph.state('a') != 'stale'


def test_sim_time_switched_on_while_running(sim_graph):
    a, = sim_graph.start('a', pose_age_max=0.0)  # its stamps are those of simulated time from the beginning
    sim_graph.map_publisher.publish(HALL)
    a.drives = False
    a.stand(*place(0, 0))
    sim_graph.until(lambda: a.path, 'a path in wall time')
    assert nanoseconds(a.path.header.stamp) > 10**18
    assert sim_graph.set_parameters(use_sim_time=True)[0].successful
    a.send_goal(*place(5, 5))
    sim_graph.until(
        lambda: a.reaches(*place(5, 5)) and nanoseconds(a.path.header.stamp) < 10**12, 'a path in sim time')
