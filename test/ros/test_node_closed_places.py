"""Robots on cells that are closed or will be."""
import math
import random

from closing import HALL, SECOND, Source, cell_of, closed_cells, heard, one_robot, place, touches
from graph import grid_map, points


def test_a_robot_leaves_its_goal_while_that_is_closed_and_comes_back(graph):
    a, door = one_robot(graph)
    a.send_goal(*place(2, 1))
    graph.until(lambda: graph.state('a') == 'arrived', 'arrival')
    begin = graph.now_ns() + 3 * SECOND
    door.close((2, 1), begin, begin + 3 * SECOND)
    graph.until(lambda: place(2, 1) in points(a.path)[:-1], 'a path away and back')
    assert not touches(a.path, (2, 1), begin, begin + 3 * SECOND)
    graph.until(lambda: graph.now_ns() > begin + SECOND, 'the closed time')
    assert math.dist((a.x, a.y), place(2, 1)) > 0.5 - 1e-6
    graph.until(lambda: graph.now_ns() > begin + 6 * SECOND, 'the robot back')
    assert math.dist((a.x, a.y), place(2, 1)) < 1e-6
    assert graph.error('a') == 0


def test_an_idle_robot_leaves_a_cell_that_closes(graph):
    a, door = one_robot(graph)
    begin = graph.now_ns() + 3 * SECOND
    door.close((0, 1), begin, begin + 3 * SECOND)
    graph.until(lambda: len(points(a.path)) > 1, 'a path')
    assert not touches(a.path, (0, 1), begin, begin + 3 * SECOND)
    graph.until(lambda: graph.now_ns() > begin + SECOND, 'the closed time')
    assert math.dist((a.x, a.y), place(0, 1)) > 0.5 - 1e-6
    assert graph.error('a') == 0


def test_an_idle_robot_leaves_a_cell_that_closes_for_good(graph):
    a, door = one_robot(graph)
    begin = graph.now_ns() + 3 * SECOND
    door.say([(begin, *place(0, 1))])
    graph.until(lambda: len(points(a.path)) > 1 and points(a.path)[-1] != place(0, 1), 'a path to another place')
    assert not touches(a.path, (0, 1), begin, begin + 9 * SECOND)
    graph.until(lambda: graph.now_ns() > begin + SECOND, 'the time')
    graph.pass_diagnostics()
    assert graph.error('a') == 0


def test_a_robot_on_a_closed_cell_leaves_it_and_the_others_drive(graph):
    """Closed at once and around it, for ever: it gets out all the same, and nobody else goes there."""
    a, b = graph.start('a', 'b', closures='[door]', speed=1.0, closure_radius=0.6)
    graph.map_publisher.publish(HALL)
    a.stand(*place(2, 2))
    b.stand(*place(0, 5))
    graph.until(lambda: a.path and b.path, 'first paths')
    door = Source(graph, 'door')
    a.drives = False  # so that it can be seen
    door.say([(0, *place(2, 2))])
    graph.until(lambda: graph.error('a') == 205, 'error 205')
    assert 'door' in graph.message('a')
    b.send_goal(*place(7, 0))
    graph.until(lambda: b.reaches(*place(7, 0)), 'a path for the other')
    assert all(max(abs(cell_of(p)[0] - 2), abs(cell_of(p)[1] - 2)) > 1 for p in points(b.path))
    a.drives = True
    graph.until(lambda: math.dist((a.x, a.y), place(2, 2)) > 0.9, 'the robot outside')
    graph.until(lambda: graph.error('a') == 0, 'the end of the error')
    graph.until(lambda: graph.state('b') == 'arrived', 'arrival')


def test_a_robot_that_cannot_leave_a_closed_cell_does_not_stop_the_others(graph):
    """In a pocket whose only way out is closed, on a cell that closes too."""
    a, b = graph.start('a', 'b', closures='[door, gate]', speed=1.0)
    graph.map_publisher.publish(grid_map(['#.######', '#.######', '........', '........']))
    a.stand(*place(1, 3))
    b.stand(*place(0, 0))
    graph.until(lambda: a.path and b.path, 'first paths')
    Source(graph, 'gate').close((1, 2), graph.now_ns(), graph.now_ns() + 60 * SECOND)
    graph.until(lambda: closed_cells(graph, 'gate') == 1, 'the gate')
    begin = graph.now_ns() + 4 * SECOND
    Source(graph, 'door').close((1, 3), begin, begin + 30 * SECOND)
    heard(graph)
    b.send_goal(*place(7, 0))
    graph.until(lambda: b.reaches(*place(7, 0)), 'a path for the other')
    graph.until(lambda: graph.error('a') == 205, 'error 205')
    assert 'door' in graph.message('a') and graph.error('b') == 0
    graph.until(lambda: graph.state('b') == 'arrived', 'arrival')


def test_a_storm_of_closures_leaves_the_fleet_whole(sim_graph):
    """Three sources close what comes to their mind, good and bad, on robots too; then they open, and all arrive."""
    graph = sim_graph
    draw = random.Random(4)
    names = [f'r{k}' for k in range(8)]
    robots = graph.start(*names, use_sim_time=True, closures='[door, gate, lift]', speed=2.0,
                         plan_lead_seconds=3.0, closure_radius=0.3)
    graph.map_publisher.publish(grid_map(['............'] * 10))
    for k, robot in enumerate(robots):
        robot.stand(*place(k + 2, 0))
    graph.until(lambda: all(r.path and r.path.poses for r in robots), 'first paths')
    sources = [Source(graph, name) for name in ('door', 'gate', 'lift')]
    goals = [place(9 - k, 9) for k in range(8)]
    for robot, goal in zip(robots, goals):
        robot.send_goal(*goal)
    for turn in range(40):
        poses, time_ns = [], graph.now_ns() + draw.randrange(-2, 4) * SECOND
        for _ in range(draw.randrange(6)):
            poses.append((time_ns, *place(draw.randrange(12), draw.randrange(10))))
            poses += [(time_ns + SECOND, *poses[-1][1:])] if draw.random() < 0.5 else []
            time_ns += draw.randrange(-1, 5) * SECOND // 2
        draw.choice(sources).say(poses, draw.choice(['map'] * 9 + ['moon']))
        end = graph.now_ns() + SECOND // 5
        graph.until(lambda: graph.now_ns() > end, 'a moment')
    for source in sources:
        source.say([])
    graph.until(
        lambda: all(math.dist((r.x, r.y), goal) < 1e-6 for r, goal in zip(robots, goals))
        and all(graph.error(n) == 0 for n in names), 'arrival of all', bound=240)
    assert graph.message('planner') == 'planning' and 'failed' not in graph.output()
    assert graph.nearest > 0.5 - 1e-6
