"""From occupancy grids to cells."""
import math

from graph import grid_map, nanoseconds, points
from nav_msgs.msg import OccupancyGrid


def place(x, y):
    return 0.5 * x + 0.25, 0.5 * y + 0.25


def test_map_replaced_while_robots_drive(graph):
    """A wall comes up in front of a driving robot: the new path goes round it."""
    a, = graph.start('a')
    graph.map_publisher.publish(grid_map(['.........'] * 5))
    a.stand(*place(0, 2))
    graph.until(lambda: a.path, 'a first path')
    a.send_goal(*place(8, 2))
    graph.until(lambda: a.reaches(*place(8, 2)), 'a path')
    assert place(6, 2) in points(a.path)
    graph.map_publisher.publish(grid_map(['......#..'] * 4 + ['.........']))
    graph.until(lambda: a.reaches(*place(8, 2)) and place(6, 0) in points(a.path), 'a way round')
    assert place(6, 2) not in points(a.path)
    graph.map_publisher.publish(grid_map(['......#..'] * 5))
    graph.until(lambda: graph.error('a') == 208, 'no way')
    graph.map_publisher.publish(grid_map(['.........'] * 4 + ['........#']))
    graph.until(lambda: a.reaches(*place(8, 2)) and graph.error('a') == 0, 'the straight way again')


def test_map_that_shrinks_loses_goal_and_robot(graph):
    a, b = graph.start('a', 'b')
    graph.map_publisher.publish(grid_map(['........'] * 6))
    a.stand(*place(0, 0))
    b.stand(*place(0, 5))
    graph.until(lambda: a.path and b.path, 'first paths')
    a.send_goal(*place(7, 0))
    graph.until(lambda: a.reaches(*place(7, 0)), 'a path')
    graph.map_publisher.publish(grid_map(['....'] * 4))
    graph.until(lambda: graph.error('a') in (203, 204) and graph.error('b') == 203, 'errors 204 and 203')
    graph.map_publisher.publish(grid_map(['........'] * 6))
    graph.until(lambda: graph.error('a') == 0 and graph.error('b') == 0, 'the end of both errors')


def test_origin_and_yaw(graph):
    """A map that is shifted and turned by a quarter: cell (5, 0) lies up the y axis."""
    a, = graph.start('a')
    graph.map_publisher.publish(grid_map(['......', '......'], origin=(10.0, -3.0), yaw=math.pi / 2))
    a.stand(9.75, -2.75)
    a.send_goal(9.75, -0.25)
    graph.until(lambda: a.reaches(9.75, -0.25), 'a path')
    graph.until(lambda: graph.value('a', 'goal_cell') == '5,0', 'the goal cell')
    assert all(abs(x - 9.75) < 1e-6 for x, _ in points(a.path))
    q = a.path.poses[-2].pose.orientation
    assert abs(2 * math.atan2(q.z, q.w) - math.pi / 2) < 1e-6


def test_one_map_cell_near_its_centre_blocks_a_coarse_cell(graph):
    """Map cells of 0.1 m, planning cells of 0.5 m; one occupied map cell within a robot's disc blocks a planning cell, a
    cell at the edge that is not whole is left out."""
    message = OccupancyGrid()
    message.header.frame_id = 'map'
    message.info.resolution = 0.1
    message.info.width, message.info.height = 43, 15
    message.info.origin.orientation.w = 1.0
    data = [0] * (43 * 15)
    data[7 * 43 + 22] = 100  # in planning cell (4, 1)
    data[2 * 43 + 24] = 100  # in planning cell (4, 0)
    message.data = data
    a, = graph.start('a')
    a.stand(*place(0, 1))
    graph.map_publisher.publish(message)
    a.send_goal(*place(7, 1))
    graph.until(lambda: a.reaches(*place(7, 1)), 'a path')
    graph.until(lambda: graph.planner('map') == '8x3', 'eight whole cells')
    assert place(4, 2) in points(a.path) and place(4, 1) not in points(a.path) and place(4, 0) not in points(a.path)


def test_cells_hold_a_whole_robot(graph):
    a, = graph.start('a', robot_radius=0.4, planning_resolution=0.0)
    graph.map_publisher.publish(grid_map(['................'] * 8, resolution=0.1))
    a.stand(0.4, 0.4)
    graph.until(lambda: graph.planner('cell_m') == '0.8', 'cells of the robot\'s diameter')
    assert graph.planner('map') == '2x1'
    assert graph.set_parameters(robot_radius=0.1)[0].successful
    graph.until(lambda: graph.planner('cell_m') == '0.2' and graph.planner('map') == '8x4', 'smaller cells')


def test_own_resolution_of_the_map(graph):
    a, = graph.start('a', robot_radius=0.1, planning_resolution=0.0)
    graph.map_publisher.publish(grid_map(['....'] * 3, resolution=0.25))
    a.stand(0.1, 0.1)
    a.send_goal(0.9, 0.1)
    graph.until(lambda: a.reaches(0.875, 0.125), 'a path on the map\'s own cells')
    assert abs((nanoseconds(a.path.poses[-1].header.stamp) - nanoseconds(a.path.poses[-2].header.stamp)) - 5e8) < 1e3


def test_thresholds_and_unknown(graph):
    """Values between the thresholds and -1 are unknown: blocked, until the parameter says otherwise."""
    message = grid_map(['....', '....', '....'])
    message.data = [0, 24, 50, 0,
                    0, 66, -1, 0,
                    0, 100, 65, 0]
    a, = graph.start('a')
    graph.map_publisher.publish(message)
    a.stand(*place(0, 0))
    graph.until(lambda: a.path, 'a first path')
    a.send_goal(*place(1, 0))
    graph.until(lambda: a.reaches(*place(1, 0)), '24 is free')
    for x, y in ((2, 0), (1, 1), (2, 1), (1, 2), (2, 2)):
        a.send_goal(*place(x, y))
        graph.until(lambda: graph.error('a') == 206 and f'({place(x, y)[0]:g}, {place(x, y)[1]:g})'
                    in graph.message('a'), f'({x}, {y}) to be blocked')
    assert graph.set_parameters(unknown_is_free=True)[0].successful
    a.send_goal(*place(3, 0))
    graph.until(lambda: a.reaches(*place(3, 0)), 'a way through the unknown')
    a.send_goal(*place(1, 1))
    graph.until(lambda: graph.error('a') == 206, '66 is an obstacle all the same')
    assert graph.set_parameters(occupied_thresh=0.7)[0].successful
    a.send_goal(*place(1, 1))
    graph.until(lambda: a.reaches(*place(1, 1)), '66 is unknown now')
