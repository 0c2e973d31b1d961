"""cut_corners: robots of one cell pass between obstacles that are smaller than their cells; others are refused."""
from graph import grid_map, points

# A diagonal row of pillars of 0.1 m, each in the middle of a planning cell of 0.5 m.
SIDE = 7
PILLARS = [''.join('#' if x == y and x % 5 == 2 else '.' for x in range(5 * SIDE)) for y in range(5 * SIDE)]


def test_a_robot_passes_between_pillars_once_corners_may_be_cut(graph):
    a, = graph.start('a', connectivity=8, robot_radius=0.1)
    graph.map_publisher.publish(grid_map(PILLARS, resolution=0.1))
    a.stand(0.25, 0.25)
    graph.until(lambda: graph.planner('map') == f'{SIDE}x{SIDE}', 'the map')
    a.send_goal(3.25, 3.25)
    graph.until(lambda: graph.error('a') != 0, 'no path to the other side')
    assert not a.reaches(3.25, 3.25)
    assert graph.set_parameters(cut_corners=True)[0].successful
    a.send_goal(3.25, 3.25)
    graph.until(lambda: a.reaches(3.25, 3.25), 'a path between two pillars')
    steps = list(zip(points(a.path), points(a.path)[1:]))
    # The row of pillars is where x + y is 3.5: it is crossed once, on a diagonal.
    crossing = [(one, two) for one, two in steps if sum(one) < 3.4 and sum(two) > 3.6]
    assert len(crossing) == 1
    (x, y), (next_x, next_y) = crossing[0]
    assert abs(next_x - x - 0.5) < 1e-6 and abs(next_y - y - 0.5) < 1e-6


def test_cut_corners_is_refused_where_it_cannot_be(graph):
    graph.start('a', connectivity=4, robot_radius=0.1)
    answer, = graph.set_parameters(cut_corners=True)
    assert not answer.successful and 'cut_corners needs diagonal moves' in answer.reason
    graph.map_publisher.publish(grid_map(PILLARS, resolution=0.1))
    graph.until(lambda: graph.planner('map') == f'{SIDE}x{SIDE}', 'the map')
    assert graph.set_parameters(connectivity=8)[0].successful
    assert graph.set_parameters(turn_ticks=[1])[0].successful
    answer, = graph.set_parameters(cut_corners=True)
    assert not answer.successful and "robot 'a'" in answer.reason and 'has a heading' in answer.reason
    assert graph.set_parameters(turn_ticks=[0])[0].successful
    assert graph.set_parameters(cut_corners=True)[0].successful
