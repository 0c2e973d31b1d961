"""Rolling horizon: a plan that ends before the goals is continued in time, and no robot gets error 208."""
import itertools
import math

from graph import LATCHED, grid_map, nanoseconds, points, timed_path
from nav_msgs.msg import Path


def place(x, y):
    return 0.5 * x + 0.25, 0.5 * y + 0.25


def rolling(graph, *names, rows, **parameters):
    """Robots that are planned for a few ticks at a time."""
    robots = graph.start(
        *names, use_sim_time=True, speed=1.0, planner='whca', whca__window=16, horizon=7, **parameters)
    graph.map_publisher.publish(grid_map(rows))
    return robots


def check_no_gaps(paths):
    """Each plan takes over before the one before has ended, and where that had the robot."""
    for old, new in itertools.pairwise(paths):
        begin, epoch, end = (nanoseconds(stamp) for stamp in (
            new.poses[0].header.stamp, new.header.stamp, old.poses[-1].header.stamp))
        assert begin <= end and epoch <= end, 'the robot had to stop'
        assert points(new)[0] in points(old)


def test_windows_follow_each_other_without_a_stop(sim_graph):
    a, = rolling(sim_graph, 'a', rows=['.' * 60])
    a.stand(*place(0, 0))
    sim_graph.until(lambda: a.path, 'a first path')
    first = len(a.paths)
    a.send_goal(*place(59, 0))
    sim_graph.until(lambda: a.x > place(1, 0)[0], 'the robot on its way')
    assert not a.reaches(*place(59, 0)), 'the goal is farther than a window'
    sim_graph.until(lambda: math.dist((a.x, a.y), place(59, 0)) < 1e-6, 'arrival', bound=60)
    under_way = [path for path in a.paths[first:] if len(path.poses) > 1]
    assert len(under_way) > 4
    check_no_gaps(under_way)
    sim_graph.until(lambda: sim_graph.state('a') == 'arrived' and sim_graph.error('a') == 0, 'its state')
    assert int(sim_graph.planner('going_on')) >= 4 and int(sim_graph.planner('late')) == 0
    assert 'error' not in sim_graph.output()


def test_many_robots_in_windows(sim_graph):
    names = [f'r{k}' for k in range(8)]
    robots = rolling(sim_graph, *names, rows=['.' * 24] * 8)
    for k, robot in enumerate(robots):
        robot.stand(*place(0 if k % 2 else 23, k))
    sim_graph.until(lambda: all(r.path for r in robots), 'first paths')
    goals = [place(22 if k % 2 else 1, 7 - k) for k in range(8)]
    for robot, goal in zip(robots, goals):
        robot.send_goal(*goal)
    sim_graph.until(
        lambda: all(math.dist((r.x, r.y), goal) < 1e-6 for r, goal in zip(robots, goals)), 'all arrivals', bound=60)
    assert sim_graph.nearest > 0.5 - 1e-6
    assert 'error' not in sim_graph.output()


def test_all_wait_for_a_whole_window(sim_graph):
    """No robot moves in the window, and still none gets error 208."""
    a, = rolling(sim_graph, 'a', rows=['.' * 10], closures='[door]')
    a.stand(*place(0, 0))
    sim_graph.until(lambda: a.path, 'a first path')
    door = sim_graph.node.create_publisher(Path, 'door/closed_path', LATCHED)
    begin = sim_graph.now_ns()
    door.publish(timed_path([(begin, *place(2, 0)), (begin + 20 * 10**9, *place(2, 0))]))
    sim_graph.until(lambda: sim_graph.message('door') == 'closed', 'the door')
    a.send_goal(*place(9, 0))
    sim_graph.until(lambda: math.dist((a.x, a.y), place(9, 0)) < 1e-6, 'arrival', bound=60)
    assert sim_graph.now_ns() > begin + 20 * 10**9
    assert 'error' not in sim_graph.output()


def test_robots_come_and_go_between_windows(sim_graph):
    """One becomes silent and is an obstacle, then is heard again; another is carried elsewhere."""
    a, b, c = rolling(sim_graph, 'a', 'b', 'c', rows=['.' * 40] * 4, odom_timeout=0.5)
    for k, robot in enumerate((a, b, c)):
        robot.stand(*place(0, k))
    sim_graph.until(lambda: a.path and b.path and c.path, 'first paths')
    for k, robot in enumerate((a, b, c)):
        robot.send_goal(*place(38, k))
    sim_graph.until(lambda: a.x > 2.0, 'robots on their way')
    x, y = b.x, b.y
    b.leave()
    sim_graph.until(lambda: sim_graph.state('b') == 'stale', 'a silent robot')
    c.drives = False
    c.stand(*place(30, 3))
    sim_graph.until(lambda: c.path.poses and points(c.path)[0] == place(30, 3), 'a path from there')
    c.drives = True
    b.stand(x, y)
    sim_graph.until(
        lambda: all(math.dist((r.x, r.y), place(38, k)) < 1e-6 for k, r in enumerate((a, b, c))), 'arrivals', bound=90)
    assert sim_graph.nearest > 0.5 - 1e-6
    assert int(sim_graph.planner('going_on')) > 0


def test_a_window_that_ends_before_the_goal_is_no_arrival(sim_graph):
    """One robot waits at a door for longer than a window, one has arrived, and one goes on, so that windows follow."""
    a, b, c = rolling(sim_graph, 'a', 'b', 'c', rows=['.' * 80, '#' * 80, '.' * 80], closures='[door]')
    a.stand(*place(0, 0))
    b.stand(*place(9, 0))
    c.stand(*place(0, 2))
    sim_graph.until(lambda: a.path and b.path and c.path, 'first paths')
    door = sim_graph.node.create_publisher(Path, 'door/closed_path', LATCHED)
    begin = sim_graph.now_ns()
    door.publish(timed_path([(begin, *place(3, 0)), (begin + 25 * 10**9, *place(3, 0))]))
    sim_graph.until(lambda: sim_graph.message('door') == 'closed', 'the door')
    c.send_goal(*place(79, 2))
    b.send_goal(*place(12, 0), yaw=2.0)
    a.send_goal(*place(6, 0))
    sim_graph.until(lambda: sim_graph.state('b') == 'arrived', 'the arrival of one')
    q = b.path.poses[-1].pose.orientation
    assert abs(2 * math.atan2(q.z, q.w) - 2.0) < 1e-6, 'with the heading of its goal'
    states = set()

    def waits():
        states.add(sim_graph.state('a'))
        return sim_graph.now_ns() > begin + 20 * 10**9
    sim_graph.until(lambda: math.dist((a.x, a.y), place(2, 0)) < 1e-6, 'the robot at the door')
    sim_graph.until(waits, 'some windows at the door', bound=60)
    assert states == {'moving'} and sim_graph.error('a') == 0
    sim_graph.until(lambda: sim_graph.state('a') == 'arrived', 'the arrival after the door has opened', bound=60)
    sim_graph.until(lambda: math.dist((a.x, a.y), place(6, 0)) < 1e-6, 'the last centimetres')
