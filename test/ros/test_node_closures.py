"""Reservations that are no robot's: doors, lifts and other people's robots on <name>/closed_path."""
import math
import random
import signal

import pytest
from graph import LATCHED, check_paths, grid_map, nanoseconds, points, position_at, timed_path
from nav_msgs.msg import Path
from visualization_msgs.msg import Marker, MarkerArray

HALL = grid_map(['........'] * 6)
LANE = grid_map(['###.####', '........', '########'])  # one lane, with a bay beside (3, 1)
SECOND = 10**9


def place(x, y):
    """The centre of a cell of half a metre."""
    return 0.5 * x + 0.25, 0.5 * y + 0.25


def cell_of(position):
    return math.floor(position[0] / 0.5), math.floor(position[1] / 0.5)


class Source:
    """Somebody who closes cells."""

    def __init__(self, graph, name):
        self.graph = graph
        self.publisher = graph.node.create_publisher(Path, f'{name}/closed_path', LATCHED)

    def say(self, poses, frame_id='map'):
        """poses: (nanoseconds, x, y)"""
        self.publisher.publish(timed_path(poses, frame_id))

    def close(self, cell, begin_ns, end_ns):
        self.say([(begin_ns, *place(*cell)), (end_ns, *place(*cell))])


def touches(path, cell, begin_ns, end_ns):
    """Is a robot that keeps to its path ever in the cell, with its body of 0.2 m radius, between the two times?"""
    x, y = place(*cell)
    for time_ns in range(begin_ns, end_ns + 1, SECOND // 50):
        px, py = position_at(path, time_ns)
        if max(abs(px - x), abs(py - y)) < 0.25 + 0.2 - 1e-6:
            return True
    return False


def one_robot(graph, map_message=HALL, start=(0, 1), **parameters):
    robot, = graph.start('a', closures='[door]', speed=1.0, **parameters)
    graph.map_publisher.publish(map_message)
    robot.stand(*place(*start))
    graph.until(lambda: robot.path, 'a first path')
    return robot, Source(graph, 'door')


def heard(graph, name='door'):
    graph.until(lambda: graph.message(name) not in ('', 'nothing heard yet: nothing is closed'), f'{name} to be heard')


def closed_cells(graph, name='door'):
    return int(graph.value(name, 'closed_cells') or 0)


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
    graph.until(lambda: graph.state('a') == 'arrived', 'arrival')
    assert math.dist((a.x, a.y), place(7, 1)) < 1e-6 and graph.error('a') == 0


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
    assert graph.planner('sources_heard') == '1/2' and graph.message('gate').startswith('nothing heard')
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
    for time_ns in range(begin, nanoseconds(path.poses[-1].header.stamp), SECOND // 50):
        distance = math.dist(position_at(path, time_ns), position_at(foreign, time_ns))
        assert distance > 0.5 - 1e-6 + (0.2 if radius else 0.0)
    assert place(1, 2) not in points(path)[3:], 'where the other stays it stays'


def test_a_moving_robot_of_others_never_meets_ours_as_they_drive(graph):
    """Eight of ours go to and fro for a while; somebody else's robot crosses again and again, said a bit ahead."""
    names = [f'r{k}' for k in range(8)]
    robots = graph.start(*names, closures='[other]', speed=2.0, plan_lead_seconds=1.0)
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
        begin = graph.now_ns() + 3 * SECOND
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
        graph.until(is_done, f'arrivals of turn {turn}', bound=60)
    assert nearest[0] > 0.5 - 0.02, 'in two cells, always'
    assert graph.nearest > 0.5 - 1e-6
    assert all(graph.error(n) == 0 for n in names)


def test_another_planner_s_timed_path_is_remapped_to_it(graph):
    """Two planners, one robot each, in one hall. The second yields to the first, which knows nothing of it."""
    a, = graph.start('a', speed=1.0)
    first = graph.process
    b, = graph.start('b', speed=1.0, closures='[other]', arguments=[
        '-r', '__node:=second', '-r', 'other/closed_path:=a/timed_path'])
    try:
        graph.map_publisher.publish(HALL)
        a.stand(*place(0, 2))
        b.stand(*place(7, 2))
        graph.until(lambda: a.path and b.path and graph.message('other') == 'closed', 'first paths, and the other known')
        b.send_goal(*place(0, 1))
        graph.until(lambda: b.reaches(*place(0, 1)) and b.x < place(7, 2)[0] - 0.1, 'the second robot on its way')
        a.send_goal(*place(7, 1))
        graph.until(
            lambda: math.dist((a.x, a.y), place(7, 1)) < 1e-6 and math.dist((b.x, b.y), place(0, 1)) < 1e-6, 'arrivals')
        assert graph.nearest > 0.5 - 1e-6
    finally:
        first.send_signal(signal.SIGINT)
        assert first.wait(20) == 0


# ---- robots where it closes

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


def test_one_that_stands_where_it_is_closed_already_leaves_and_the_others_drive(graph):
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


def test_one_that_cannot_get_out_does_not_stop_the_others(graph):
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


def test_a_storm_of_closures_leaves_the_fleet_whole(graph):
    """Three sources close what comes to their mind, good and bad, on robots too; then they open, and all arrive."""
    draw = random.Random(4)
    names = [f'r{k}' for k in range(8)]
    robots = graph.start(*names, closures='[door, gate, lift]', speed=2.0, plan_lead_seconds=1.0, closure_radius=0.3)
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
        and all(graph.error(n) == 0 for n in names), 'arrival of all', bound=60)
    assert graph.message('planner') == 'planning' and 'failed' not in graph.output()
    assert graph.nearest > 0.5 - 1e-6


# ---- bad messages

def ahead(graph, *cells, step=SECOND):
    begin = graph.now_ns() + 60 * SECOND
    return [(begin + k * step, *place(*cell)) for k, cell in enumerate(cells)]


@pytest.mark.parametrize('name, spoil, words', [
    ('frame', lambda poses: (poses, 'world'), "'world', not 'map'"),
    ('falling stamps', lambda poses: (poses[::-1], 'map'), 'before that of the pose before'),
    ('outside', lambda poses: (poses + [(poses[-1][0], 40.0, 1.0)], 'map'), '(40, 1), is outside the map'),
    ('far outside', lambda poses: (poses + [(poses[-1][0], 1e300, -1e300)], 'map'), 'outside the map'),
    ('nan', lambda poses: (poses + [(poses[-1][0], math.nan, 1.0)], 'map'), 'its pose 2 is not a number'),
])
def test_a_bad_path_is_refused_and_the_last_good_one_stays(graph, name, spoil, words):
    a, door = one_robot(graph)
    door.say([(0, *place(4, 4))])
    graph.until(lambda: closed_cells(graph) == 1, 'a closed cell')
    bad, frame_id = spoil(ahead(graph, (2, 2), (3, 2)))
    for _ in range(3):
        door.say(bad, frame_id)
        graph.pass_diagnostics(1)
    graph.until(lambda: words in graph.message('door'), f'the words "{words}"')
    assert closed_cells(graph) == 1 and graph.value('door', 'poses') == '1'
    assert int(graph.value('door', 'refused')) == int(graph.planner('closures_refused')) == 3
    assert graph.output().count('closures of door: path refused') == 1, 'logged once'
    a.send_goal(*place(4, 4))
    graph.until(lambda: graph.error('a') == 206, 'the cell, still closed')
    door.say([])
    graph.until(lambda: graph.message('door') == 'open' and a.reaches(*place(4, 4)), 'a good message')


def test_poses_may_leave_the_frame_to_the_header(graph):
    a, door = one_robot(graph)
    path = timed_path([(0, *place(4, 4))])
    path.poses[0].header.frame_id = ''
    door.publisher.publish(path)
    graph.until(lambda: closed_cells(graph) == 1, 'a closed cell')
    path.poses[0].header.frame_id = 'odom'
    door.publisher.publish(path)
    graph.until(lambda: "'odom', not 'map'" in graph.message('door'), 'the refusal')


def test_a_path_from_before_the_map_counts_as_far_as_it_is_inside(graph):
    graph.start('a', closures='[door]')
    door = Source(graph, 'door')
    door.say([(0, *place(4, 4)), (0, *place(40, 4))])
    graph.until(lambda: graph.value('door', 'poses') == '2', 'the path')
    graph.map_publisher.publish(HALL)
    graph.until(lambda: 'outside the map and left out' in graph.message('door'), 'the words')
    assert closed_cells(graph) == 0
    door.say([(0, *place(4, 4)), (graph.now_ns() + 600 * SECOND, *place(7, 4))])
    graph.until(lambda: closed_cells(graph) == 4, 'a line of cells')


# ---- radius, parameters, markers

def test_the_radius_can_be_set_while_it_runs(graph):
    a, door = one_robot(graph)
    door.say([(0, *place(4, 3))])
    graph.until(lambda: closed_cells(graph) == 1, 'a cell')
    for radius, count in ((0.25, 1), (0.3, 5), (0.4, 9), (0.0, 1)):
        assert graph.set_parameters(closure_radius=radius)[0].successful
        graph.until(lambda: closed_cells(graph) == count, f'{count} cells')


@pytest.mark.parametrize('names, words', [
    ('[door,door]', "closures: 'door' stands there twice"),
    ('["a door"]', 'cannot be a namespace'),
    ('[a]', "closures: 'a' is one of our robots"),
])
def test_bad_names_end_it(graph, names, words):
    graph.start('a', closures=names)
    assert graph.process.wait(20) == 1
    assert words in graph.output()


def test_markers_show_what_is_closed_now_and_soon(graph):
    a, door = one_robot(graph, grid_map(['........'] * 6, origin=(2.0, 1.0), yaw=math.pi / 2), start=(0, 5))
    markers = []
    graph.node.create_subscription(MarkerArray, 'fleet_markers', markers.append, LATCHED)

    def closures():
        found = [m for m in markers[-1].markers if m.ns == 'closures'] if markers else []
        return found[0] if found else None

    graph.until(lambda: closures() and closures().action == Marker.DELETE, 'nothing closed')
    x, y = 2.0 - 0.5 * 1.5, 1.0 + 0.5 * 3.5  # cell (3, 1) of a map that is turned to the left
    begin = graph.now_ns()
    door.say([(begin, x, y), (begin + 600 * SECOND, x, y)])
    graph.until(lambda: closures().action == Marker.ADD, 'a closed cell')
    marker = closures()
    assert marker.type == Marker.CUBE_LIST and marker.header.frame_id == 'map'
    assert [(round(p.x, 6), round(p.y, 6)) for p in marker.points] == [(1.75, 0.75)]
    assert (marker.scale.x, marker.scale.y) == (0.5, 0.5)
    assert (marker.pose.position.x, marker.pose.position.y) == (2.0, 1.0)
    assert 2 * math.atan2(marker.pose.orientation.z, marker.pose.orientation.w) == pytest.approx(math.pi / 2)
    door.say([(begin + 600 * SECOND, x, y)])
    graph.until(lambda: closures().action == Marker.DELETE, 'too far ahead to be shown')
