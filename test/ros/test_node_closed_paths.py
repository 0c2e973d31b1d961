"""Messages on <name>/closed_path, good and bad; the parameters of closures; their markers."""
import math

import pytest
from closing import HALL, SECOND, Source, closed_cells, one_robot, place
from graph import LATCHED, grid_map, timed_path
from visualization_msgs.msg import Marker, MarkerArray


def ahead(graph, *cells, step=SECOND):
    begin = graph.now_ns() + 60 * SECOND
    return [(begin + k * step, *place(*cell)) for k, cell in enumerate(cells)]


@pytest.mark.parametrize('name, spoil, words', [
    ('frame', lambda poses: (poses, 'world'), "'world', not 'map'"),
    ('falling stamps', lambda poses: (poses[::-1], 'map'), 'earlier than that of the pose before'),
    ('outside', lambda poses: (poses + [(poses[-1][0], 40.0, 1.0)], 'map'), '(40, 1), is outside the map'),
    ('far outside', lambda poses: (poses + [(poses[-1][0], 1e300, -1e300)], 'map'), 'outside the map'),
    ('nan', lambda poses: (poses + [(poses[-1][0], math.nan, 1.0)], 'map'), 'its pose 2 is not finite'),
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
    ('[door,door]', "closures: 'door' is listed twice"),
    ('["a door"]', 'cannot be a namespace'),
    ('[a]', "closures: 'a' is already in the parameter robots"),
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
        found = [m for message in markers for m in message.markers if m.ns == 'closures']
        return found[-1] if found else None

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
