"""Robots that come and go while the node runs, and goals in a row."""
import math

import pytest
from fleet import Fleet, map_file, place, texts
from graph import grid_map, points, pose_stamped

Goals = pytest.importorskip('nav_msgs.msg').Goals


def sim_fleet(graph, start, tmp_path, starts, planner=None, rows=('.' * 16,) * 4, **simulator):
    names = [f'robot_{k}' for k in range(len(starts))]
    simulator = {
        'map': map_file(tmp_path, rows), 'goals': 'none', 'starts': texts(f'{x},{y}' for x, y in starts), **simulator}
    return Fleet(graph, start, names, planner, simulator)


def in_the_graph(graph, *names):
    return all(graph.value(name, 'execution') in ('arrived', 'driving', 'waiting') for name in names)


def test_robots_are_added_and_removed_by_the_parameter(graph, start, tmp_path):
    fleet = sim_fleet(graph, start, tmp_path, [(0, 0), (15, 0), (0, 3)])
    fleet.wait(lambda: in_the_graph(graph, *fleet.names), 'everybody')
    assert graph.set_parameters(robots=['robot_0'])[0].successful
    graph.statuses.clear()
    graph.pass_diagnostics()
    assert 'robot_0' in graph.statuses and 'robot_1' not in graph.statuses
    fleet.arrive(robot_0=(8, 1))
    assert graph.set_parameters(robots=['robot_2', 'robot_0', 'robot_1'])[0].successful
    fleet.wait(lambda: in_the_graph(graph, *fleet.names), 'everybody again')
    fleet.arrive(robot_0=(0, 1), robot_1=(1, 0), robot_2=(15, 0))
    fleet.check()


def test_the_space_of_a_removed_robot_is_free(sim_graph):
    # All orders of its default take half a second of one core: on a busy machine they would not be tried in time.
    a, b = sim_graph.start('a', 'b', use_sim_time=True, planner='hca', hca__orders=20)
    sim_graph.map_publisher.publish(grid_map(['.' * 9]))
    a.stand(*place(0, 0))
    b.stand(*place(4, 0))
    sim_graph.until(lambda: a.path and b.path, 'first paths')
    a.send_goal(*place(8, 0))
    sim_graph.until(lambda: sim_graph.error('a') == 208, 'no way past the other')
    b.leave()
    assert sim_graph.set_parameters(robots=['a'])[0].successful
    sim_graph.until(lambda: sim_graph.error('a') == 0 and a.reaches(*place(8, 0)), 'a way')


def test_one_takes_the_place_of_another_in_one_call(graph, start, tmp_path):
    fleet = sim_fleet(graph, start, tmp_path, [(0, 0), (15, 0)])
    fleet.wait(lambda: in_the_graph(graph, *fleet.names), 'everybody')
    assert graph.set_parameters(robots=['robot_0'])[0].successful
    assert graph.set_parameters(robots=['robot_1'])[0].successful
    graph.statuses.clear()
    fleet.wait(lambda: in_the_graph(graph, 'robot_1'), 'the other one')
    assert 'robot_0' not in graph.statuses
    fleet.arrive(robot_1=(9, 2))
    fleet.check()


def test_lists_with_a_value_per_robot_change_with_it(graph):
    graph.start('a', 'b', priorities='[1, 2]')
    refused = graph.set_parameters(robots=['a', 'b', 'c'])[0]
    assert not refused.successful and 'priorities has 2 values for 3 robots' in refused.reason
    from rcl_interfaces.srv import SetParametersAtomically
    from rclpy.parameter import Parameter
    request = SetParametersAtomically.Request()
    request.parameters = [
        Parameter('robots', value=['a', 'b', 'c']).to_parameter_msg(),
        Parameter('priorities', value=[1, 2, 3]).to_parameter_msg()]
    assert graph.call(SetParametersAtomically, 'set_parameters_atomically', request).result.successful
    graph.until(lambda: 'c' in graph.statuses, 'the third')


def test_robots_are_found_by_their_base_frames(graph, start, tmp_path):
    fleet = sim_fleet(graph, start, tmp_path, [(0, 0), (15, 0)], {'discover_robots': 'true', 'pose_age_max': 0.0})
    fleet.wait(lambda: in_the_graph(graph, *fleet.names), 'everybody')
    late = start({
        'robots': '[late]', 'map': map_file(tmp_path, ['.' * 16] * 4), 'goals': 'none', 'starts': '["8,3"]',
        'follow': 'released_path', 'report_period': 0}, ['late'], more=['-r', '__node:=second', '-r', 'map:=other_map'])
    fleet.wait(lambda: in_the_graph(graph, 'late'), 'one that shows up', bound=240)
    fleet.arrive(robot_0=(8, 2))  # past it
    late.close()


def test_a_queue_of_goals_is_driven_in_order(graph, start, tmp_path):
    fleet = sim_fleet(graph, start, tmp_path, [(0, 0), (15, 3)])
    publisher = graph.node.create_publisher(Goals, 'robot_0/goals', 10)
    fleet.wait(lambda: publisher.get_subscription_count() > 0, 'a reader')
    message = Goals()
    message.header.frame_id = 'map'
    stops = [(6, 0), (6, 3), (0, 3), (12, 1)]
    message.goals = [pose_stamped(*place(*stop), frame_id='') for stop in stops]
    publisher.publish(message)
    seen = []

    def visits():
        if graph.state('robot_0') != 'arrived':
            return False
        seen.clear()
        for _, x, y in fleet.sim.track('robot_0'):
            seen.extend(stop for stop in stops if math.dist((x, y), place(*stop)) < 0.05 and seen[-1:] != [stop])
        return fleet.is_at('robot_0', *stops[-1]) and graph.state('robot_0') == 'arrived'
    fleet.wait(visits, 'the last goal', bound=240)
    rest = iter(seen)
    assert all(stop in rest for stop in stops), f'{stops} in this order, not {seen}'
    assert graph.value('robot_0', 'goals_left') == '0'
    fleet.check()


def test_a_queue_is_taken_whole_or_not_at_all(sim_graph):
    a, = sim_graph.start('a', use_sim_time=True, speed=1.0)
    sim_graph.map_publisher.publish(grid_map(['....#....', '.' * 9]))
    a.stand(*place(0, 0))
    sim_graph.until(lambda: a.path, 'a first path')
    publisher = sim_graph.node.create_publisher(Goals, 'a/goals', 10)
    sim_graph.until(lambda: publisher.get_subscription_count() > 0, 'a reader')

    def send(*stops):
        message = Goals()
        message.goals = [pose_stamped(*place(*stop)) for stop in stops]
        publisher.publish(message)
    send((3, 0), (4, 1))
    sim_graph.until(lambda: sim_graph.error('a') == 206, 'a goal in a wall')
    assert sim_graph.value('a', 'goals_left') == '0' and sim_graph.value('a', 'goal_cell') == ''
    send((3, 0), (40, 0))
    sim_graph.until(lambda: sim_graph.error('a') == 204, 'a goal outside')
    send((8, 0), (8, 1), (0, 1))
    sim_graph.until(lambda: sim_graph.value('a', 'goals_left') == '2' and sim_graph.error('a') == 0, 'a good queue')
    sim_graph.until(lambda: a.x > place(1, 0)[0], 'a start')
    a.send_goal(*place(2, 1))
    sim_graph.until(lambda: sim_graph.value('a', 'goals_left') == '0', 'one goal in place of the queue')
    sim_graph.until(lambda: math.dist((a.x, a.y), place(2, 1)) < 1e-6, 'arrival')
    sim_graph.pass_diagnostics()
    assert points(a.path)[-1] == place(2, 1)
