"""~/get_plan: one robot alone, by any search, for the robot that stands where it starts."""
import math

from graph import grid_map, nanoseconds, points, pose_stamped
from nav_msgs.srv import GetPlan

# Rows from y = 0 upwards: a wall with a narrow door, and a wide one at the far end.
ROWS = ['............', '............', '####.####..#', '............', '............', '............']
SEARCHES = ['auto', 'breadth', 'depth', 'deepening', 'dijkstra', 'astar', 'greedy', 'weighted', 'ida', 'fringe', 'bank',
            'bidirectional', 'jps', 'landmarks', 'hpa', 'quadtree', 'navmesh', 'visibility', 'corridors', 'waypoints']


def place(x, y):
    """The centre of a cell of half a metre."""
    return 0.5 * x + 0.25, 0.5 * y + 0.25


def ask(graph, start, goal, tolerance=0.0):
    request = GetPlan.Request(start=pose_stamped(*place(*start)), goal=pose_stamped(*place(*goal)), tolerance=tolerance)
    return graph.call(GetPlan, 'get_plan', request).plan


def cells(path):
    return [(round((x - 0.25) / 0.5), round((y - 0.25) / 0.5)) for x, y in points(path)]


def is_free(x, y, rows=ROWS):
    return 0 <= y < len(rows) and 0 <= x < len(rows[0]) and rows[y][x] != '#'


def start(graph, *robots, **parameters):
    started = graph.start(*(robots or ['a']), **parameters)
    graph.map_publisher.publish(grid_map(ROWS[::-1]))
    graph.until(lambda: graph.planner('map') == '12x6', 'the map')
    return started


def test_every_search_finds_a_path(graph):
    start(graph, connectivity=8)
    for search in SEARCHES:
        assert graph.set_parameters(search=search)[0].successful, search
        way = cells(ask(graph, (0, 0), (0, 4)))
        assert way[0] == (0, 0) and way[-1] == (0, 4), search
        assert all(is_free(*cell) for cell in way), search
        for (x, y), (next_x, next_y) in zip(way, way[1:]):
            assert max(abs(next_x - x), abs(next_y - y)) == 1, search
            assert is_free(x, next_y) and is_free(next_x, y), 'no corners are cut'
        if search in ('auto', 'astar', 'jps', 'fringe'):
            assert len(way) == 11 and (4, 2) in way, 'through the narrow door'


def test_a_search_that_does_not_exist_is_refused_and_the_others_are_named(graph):
    start(graph)
    answer, = graph.set_parameters(search='psychic')
    assert not answer.successful
    assert all(name in answer.reason for name in SEARCHES)
    assert cells(ask(graph, (0, 0), (0, 4)))[-1] == (0, 4), 'the one before is still there'


def test_stamps_go_by_metres(graph):
    start(graph, connectivity=8, speed=0.5)
    path = ask(graph, (0, 3), (2, 5))
    stamps = [nanoseconds(pose.header.stamp) for pose in path.poses]
    assert stamps[0] == nanoseconds(path.header.stamp)
    assert [round((b - a) / 1e6) for a, b in zip(stamps, stamps[1:])] == [1414, 1414], 'a diagonal is longer'


def test_any_angle_tells_turning_points(graph):
    start(graph, connectivity=8)
    whole = ask(graph, (0, 0), (11, 5))
    assert graph.set_parameters(any_angle=True)[0].successful
    path = ask(graph, (0, 0), (11, 5))
    assert len(path.poses) < len(whole.poses) / 2
    assert cells(path)[0] == (0, 0) and cells(path)[-1] == (11, 5)

    def length(way):
        return sum(math.dist(a, b) for a, b in zip(points(way), points(way)[1:]))

    assert length(path) <= length(whole) + 1e-9
    for (ax, ay), (bx, by) in zip(cells(path), cells(path)[1:]):
        for k in range(101):  # nothing is in the way of any line
            x, y = ax + (bx - ax) * k / 100, ay + (by - ay) * k / 100
            assert is_free(round(x), round(y))


def test_the_path_is_for_the_robot_at_its_start(graph):
    """A robot two cells wide does not fit through the narrow door, nor may it turn into a wall."""
    a, b = start(graph, 'a', 'b', footprints=['2x1', ''])
    a.stand(*place(2, 0))
    b.stand(*place(6, 0))
    graph.until(lambda: graph.state('a') == 'idle' and graph.state('b') == 'idle', 'both robots')
    narrow = cells(ask(graph, (6, 0), (6, 4)))
    assert (4, 2) in narrow or (9, 2) in narrow
    wide = cells(ask(graph, (2, 0), (2, 4)))
    assert wide[-1] == (2, 4) and (4, 2) not in wide and (9, 2) in wide
    assert all(is_free(x, y) and is_free(x + 1, y) for x, y in wide)
    assert not ask(graph, (2, 0), (11, 4)).poses, 'half of it would be outside'
    moved = cells(ask(graph, (2, 0), (11, 4), tolerance=0.6))
    assert moved[-1] == (10, 4), 'the nearest cell where it fits'
    assert cells(ask(graph, (0, 0), (0, 4)))[-1] == (0, 4), 'nobody is there: a robot of one cell'


def test_a_new_map_gives_a_new_path(graph):
    start(graph)
    assert (4, 2) in cells(ask(graph, (4, 0), (4, 4)))
    rows = [row.replace('####.####', '#########') for row in ROWS]
    graph.map_publisher.publish(grid_map(rows[::-1]))
    graph.until(lambda: (4, 2) not in cells(ask(graph, (4, 0), (4, 4))), 'the way around')
    assert all(is_free(*cell, rows) for cell in cells(ask(graph, (4, 0), (4, 4))))
