"""Those who close cells, and what tests of them share."""
import math

from graph import LATCHED, Timetable, grid_map, timed_path
from nav_msgs.msg import Path

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
    timetable = Timetable(path)
    for time_ns in range(begin_ns, end_ns + 1, SECOND // 50):
        px, py = timetable.position_at(time_ns)
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
    graph.until(lambda: graph.message(name) not in ('', 'no message yet: nothing is closed'), f'{name} to be heard')


def closed_cells(graph, name='door'):
    return int(graph.value(name, 'closed_cells') or 0)
