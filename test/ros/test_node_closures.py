"""Reservations that are no robot's: doors, lifts and other people's robots on <name>/closed_path."""
import math
import signal

import pytest
from closing import HALL, LANE, SECOND, Source, closed_cells, heard, one_robot, place, touches
from graph import Timetable, check_paths, grid_map, nanoseconds, points, position_at, timed_path


# ---- doors


@pytest.mark.parametrize('planner', ['hca', 'whca'])
def test_a_robot_waits_for_a_door_and_passes_afterwards(graph, planner):
    """The only lane is closed for five seconds."""
    a, door = one_robot(graph, LANE, planner=planner)
    begin = graph.now_ns() + SECOND
    door.close((4, 1), begin, begin + 5 * SECOND)
    heard(graph)
    a.send_goal(*place(7, 1))
    graph.until(lambda: a.reaches(*place(7, 1)), 'a path through the door')
    assert not touches(a.path, (4, 1), begin, begin + 5 * SECOND)
    passes = [k for k, point in enumerate(points(a.path)) if point == place(4, 1)]
    assert len(passes) == 1
    assert nanoseconds(a.path.poses[passes[0]].header.stamp) < begin + 8 * SECOND, 'it passes soon after'
    graph.until(lambda: graph.state('a') == 'arrived' and math.dist((a.x, a.y), place(7, 1)) < 1e-6, 'arrival')
    assert graph.error('a') == 0


def test_a_door_that_closes_upon_a_planned_path_stops_the_robot(graph):
    a, door = one_robot(graph, grid_map(['.' * 24]), start=(0, 0))
    a.send_goal(*place(23, 0))
    graph.until(lambda: a.reaches(*place(23, 0)), 'a path')
    graph.until(lambda: a.x > 1.0, 'the robot on its way')
    begin = graph.now_ns() + 2 * SECOND
    rounds = len(a.paths)
    door.close((20, 0), begin, begin + 12 * SECOND)
    graph.until(lambda: len(a.paths) > rounds and a.reaches(*place(23, 0)), 'another path')
    assert not touches(a.path, (20, 0), begin, begin + 12 * SECOND)
    check_paths({'a': a.path}, speed=1.0)
    graph.until(lambda: graph.state('a') == 'arrived', 'arrival', bound=40)


def test_an_empty_path_opens(graph):
    a, door = one_robot(graph, LANE)
    door.say([(0, *place(4, 1))])  # one pose: from its stamp on for ever
    graph.until(lambda: closed_cells(graph) == 1, 'the closed door')
    a.send_goal(*place(7, 1))
    graph.until(lambda: graph.error('a') == 208, 'no way')
    assert graph.message('door') == 'closed' and graph.state('a') == 'held'
    door.say([])
    graph.until(lambda: a.reaches(*place(7, 1)) and graph.error('a') == 0, 'a path')
    graph.until(lambda: graph.message('door') == 'open' and closed_cells(graph) == 0, 'the open door')


def test_a_door_that_opens_early_is_not_waited_for(graph):
    a, door = one_robot(graph, LANE)
    begin = graph.now_ns()
    door.close((4, 1), begin, begin + 300 * SECOND)
    heard(graph)
    a.send_goal(*place(7, 1))
    graph.until(lambda: a.reaches(*place(7, 1)), 'a path that waits')
    assert nanoseconds(a.path.poses[-1].header.stamp) > begin + 300 * SECOND
    door.say([])
    graph.until(lambda: nanoseconds(a.path.poses[-1].header.stamp) < begin + 200 * SECOND, 'a path that does not')
    graph.until(lambda: graph.state('a') == 'arrived', 'arrival')


def test_a_source_that_was_there_before_the_node(graph):
    door = Source(graph, 'door')
    door.say([(0, *place(4, 1))])
    a, = graph.start('a', closures='[door, gate]')
    graph.map_publisher.publish(LANE)
    a.stand(*place(0, 1))
    graph.until(lambda: closed_cells(graph) == 1, 'the closed door')
    assert graph.planner('sources_heard') == '1/2' and graph.message('gate').startswith('no message yet')
    a.send_goal(*place(7, 1))
    graph.until(lambda: graph.error('a') == 208, 'no way')
    a.send_goal(*place(3, 2))
    graph.until(lambda: a.reaches(*place(3, 2)), 'a path on this side')


def test_a_goal_that_is_closed_for_good_names_the_source(graph):
    a, door = one_robot(graph)
    door.say([(0, *place(5, 5))])
    heard(graph)
    a.send_goal(*place(5, 5))
    graph.until(lambda: graph.error('a') == 206, 'error 206')
    assert 'taken by door' in graph.value('a', 'reason')


def test_a_wall_of_cells_with_a_gap_in_time(graph):
    """A line across the whole hall, closed for four seconds, open for four, closed for ever: a robot uses the gap."""
    a, door = one_robot(graph)
    begin = graph.now_ns()
    low, high = place(4, 0), place(4, 5)
    door.say([
        (begin, *low), (begin + 6 * SECOND, *high),            # the line
        (begin + 6 * SECOND, *place(0, 5)),                    # a jump to where nobody is in the way
        (begin + 12 * SECOND, *place(0, 5)),
        (begin + 12 * SECOND, *low), (begin + 400 * SECOND, *high), (begin + 400 * SECOND, *high)])
    graph.until(lambda: closed_cells(graph) == 6, 'the line')
    a.send_goal(*place(7, 1))
    graph.until(lambda: a.reaches(*place(7, 1)), 'a path through the gap')
    for y in range(6):
        assert not touches(a.path, (4, y), begin, begin + 6 * SECOND)
        assert not touches(a.path, (4, y), begin + 12 * SECOND, begin + 30 * SECOND)
    graph.until(lambda: graph.state('a') == 'arrived', 'arrival')
    assert graph.now_ns() < begin + 20 * SECOND or graph.error('a') == 0


# ---- robots that are not ours

@pytest.mark.parametrize('radius', [0.0, 0.45])
def test_the_timed_path_of_another_fleet_s_robot_is_kept_clear(graph, radius):
    """It crosses the hall in the row of our robot, towards it, and stays where it ends."""
    a, door = one_robot(graph, start=(0, 2), closure_radius=radius)
    a.send_goal(*place(7, 2))
    graph.until(lambda: a.reaches(*place(7, 2)), 'a straight path')
    begin = graph.now_ns() + SECOND
    foreign = timed_path([(begin + k * SECOND // 2, *place(7 - k, 2)) for k in range(7)])
    door.publisher.publish(foreign)
    graph.until(lambda: points(a.path)[-1] == place(7, 2) and any(y != place(0, 2)[1] for _, y in points(a.path)),
                'a way around')
    graph.until(lambda: graph.state('a') == 'arrived', 'arrival')
    path = a.path
    ours, theirs = Timetable(path), Timetable(foreign)
    for time_ns in range(begin, nanoseconds(path.poses[-1].header.stamp), SECOND // 50):
        distance = math.dist(ours.position_at(time_ns), theirs.position_at(time_ns))
        assert distance > 0.5 - 1e-6 + (0.2 if radius else 0.0)
    assert place(1, 2) not in points(path)[3:], 'where the other stays it stays'


def test_a_moving_robot_of_others_never_meets_ours_as_they_drive(sim_graph):
    """Eight of ours go to and fro for a while; somebody else's robot crosses again and again, said a bit ahead."""
    graph = sim_graph
    names = [f'r{k}' for k in range(8)]
    robots = graph.start(*names, closures='[other]', speed=2.0, use_sim_time=True, plan_lead_seconds=2.0)
    graph.map_publisher.publish(grid_map(['............'] * 10))
    for k, robot in enumerate(robots):
        robot.stand(*place(k + 2, 0))
    graph.until(lambda: all(r.path and r.path.poses for r in robots), 'first paths')
    other = Source(graph, 'other')
    nearest, foreign = [math.inf], [None]

    def watch():
        if foreign[0] is not None and nanoseconds(foreign[0].poses[0].header.stamp) <= graph.now_ns():
            x, y = position_at(foreign[0], graph.now_ns())
            nearest[0] = min([nearest[0]] + [math.dist((r.x, r.y), (x, y)) for r in robots])

    for turn in range(4):
        # From the outermost column, where nobody goes, along row 5 and back out again.
        begin = graph.now_ns() + 5 * SECOND
        cells = [(0, 5)] + [(x, 5) for x in range(0, 12)] + [(11, 5)]
        side = cells if turn % 2 == 0 else cells[::-1]
        foreign[0] = timed_path([(begin + k * SECOND // 4, *place(*cell)) for k, cell in enumerate(side)])
        other.publisher.publish(foreign[0])
        goals = [place(9 - k if turn % 2 == 0 else k + 2, 9 if turn % 2 == 0 else 0) for k in range(8)]
        for robot, goal in zip(robots, goals):
            robot.send_goal(*goal)

        def is_done():
            watch()
            return (all(math.dist((r.x, r.y), goal) < 1e-6 for r, goal in zip(robots, goals))
                    and graph.now_ns() > begin + 4 * SECOND)
        graph.until(is_done, f'arrivals of turn {turn}', bound=120)
    assert nearest[0] > 0.5 - 0.02, 'in two cells, always'
    assert graph.nearest > 0.5 - 1e-6
    assert all(graph.error(n) == 0 for n in names)


def test_another_planner_s_timed_path_is_remapped_to_it(sim_graph):
    """Two planners, one robot each, in one hall. The second yields to the first, which knows nothing of it."""
    graph = sim_graph
    a, = graph.start('a', use_sim_time=True, speed=1.0)
    first = graph.process
    b, = graph.start('b', use_sim_time=True, speed=1.0, closures='[other]', arguments=[
        '-r', '__node:=second', '-r', 'other/closed_path:=a/timed_path'])
    try:
        graph.map_publisher.publish(HALL)
        a.stand(*place(0, 2))
        b.stand(*place(7, 2))
        graph.until(lambda: a.path and b.path and graph.message('other') == 'closed',
                    'first paths, and the other known')
        b.send_goal(*place(0, 1))
        graph.until(lambda: b.reaches(*place(0, 1)) and b.x < place(7, 2)[0] - 0.1, 'the second robot on its way')
        a.send_goal(*place(7, 1))
        graph.until(
            lambda: math.dist((a.x, a.y), place(7, 1)) < 1e-6 and math.dist((b.x, b.y), place(0, 1)) < 1e-6, 'arrivals')
        assert graph.nearest > 0.5 - 1e-6
    finally:
        first.send_signal(signal.SIGINT)
        assert first.wait(20) == 0
