"""Layers over the map: keepout and cost masks that come and change while robots drive, and updates of the map."""
import math

from fleet import fleet_on, place
from graph import LATCHED, grid_map, points, pose_stamped
from map_msgs.msg import OccupancyGridUpdate
from nav_msgs.msg import OccupancyGrid
from nav_msgs.srv import GetPlan

FREE = '.' * 40


def publisher(graph, topic, message_type=OccupancyGrid, qos=LATCHED):
    made = graph.node.create_publisher(message_type, topic, qos)
    graph.until(lambda: made.get_subscription_count() > 0, f'a reader of {topic}')
    return made


def rows_of(*boxes, width=40, height=7):
    """Rows of a mask, the last one is y = 0; boxes: (x, y, width, height) in cells."""
    def is_in(x, y):
        return any(bx <= x < bx + bw and by <= y < by + bh for bx, by, bw, bh in boxes)
    return [''.join('#' if is_in(x, y) else '.' for x in range(width)) for y in reversed(range(height))]


def test_a_keepout_mask_that_appears_while_robots_drive(graph, start, tmp_path):
    """Two drive towards it, one is inside: nobody enters it, the one inside leaves, and all goals are reached."""
    fleet = fleet_on(graph, start, tmp_path, [FREE] * 7, [(0, 2), (0, 4), (29, 3)])
    keepout = publisher(graph, 'keepout_mask')
    fleet.send('robot_0', 39, 2)
    fleet.send('robot_1', 39, 4)
    fleet.wait(lambda: fleet.at('robot_0')[0] > 1.5 and fleet.at('robot_1')[0] > 1.5, 'both on their way')
    assert max(fleet.at('robot_0')[0], fleet.at('robot_1')[0]) < 26.0
    box = (28, 1, 4, 5)
    keepout.publish(grid_map(rows_of(box)))
    inside = {'robot_0': [], 'robot_1': [], 'robot_2': []}

    def distance(name):
        """Of a robot's centre from the mask, in metres."""
        x, y = fleet.sim.pose(name)
        left, low, right, high = 0.5 * box[0], 0.5 * box[1], 0.5 * (box[0] + box[2]), 0.5 * (box[1] + box[3])
        return math.hypot(max(left - x, 0, x - right), max(low - y, 0, y - high))

    def all_arrive():
        for name, distances in inside.items():
            distances.append(distance(name))
        return (fleet.is_at('robot_0', 39, 2) and fleet.is_at('robot_1', 39, 4) and inside['robot_2'][-1] > 0.2 - 1e-3)
    fleet.wait(all_arrive, 'both goals, and the one inside to leave', bound=240)
    assert min(inside['robot_0']) > 0.2 - 1e-3, 'it touches the keepout'
    assert min(inside['robot_1']) > 0.2 - 1e-3, 'it touches the keepout'
    assert inside['robot_2'][0] == 0.0
    # A goal inside is refused. An empty mask removes it, and the goal is possible.
    fleet.goals['robot_0'].publish(pose_stamped(*place(29, 2)))
    fleet.wait(lambda: graph.error('robot_0') == 206, 'a goal that is refused')
    keepout.publish(OccupancyGrid())
    fleet.arrive(robot_0=(29, 2))
    fleet.check()


def test_bad_masks_are_refused_with_a_reason_and_the_last_good_one_stays(graph):
    a, = graph.start('a')
    graph.map_publisher.publish(grid_map(['.........'] * 3))
    a.stand(*place(0, 1))
    graph.until(lambda: a.path, 'a first path')
    keepout = publisher(graph, 'keepout_mask')
    keepout.publish(grid_map(['....#', '....#'], origin=(0.0, 0.5)))
    a.send_goal(*place(8, 1))
    graph.until(lambda: a.reaches(*place(8, 1)) and place(4, 0) in points(a.path), 'a way around')
    bad_frame = grid_map(['#'], frame_id='odom')
    bad_size = grid_map(['##'])
    bad_size.info.width = 3
    bad_resolution = grid_map(['#'], resolution=0.0)
    for bad, reason in ((bad_frame, "frame_id is 'odom'"), (bad_size, '3 x 1 cells but 2 values'),
                        (bad_resolution, 'its resolution is 0 m')):
        keepout.publish(bad)
        graph.until(lambda: 'keepout mask refused' in graph.message('planner') and reason in graph.message('planner'),
                    reason)
    assert 'the last good one stays in force' in graph.output()
    a.send_goal(*place(7, 1))
    graph.until(lambda: a.reaches(*place(7, 1)), 'another goal')
    assert place(4, 1) not in points(a.path)
    keepout.publish(grid_map(['....#', '....#'], origin=(0.0, 0.5)))
    graph.until(lambda: 'refused' not in graph.message('planner'), 'the end of the fault')


def test_get_plan_respects_masks_and_costs(graph):
    graph.start('a', map_cost_max=50, occupied_thresh=0.99, free_thresh=0.01)
    message = grid_map(['.....', '.....', '.....', '.....'])
    message.data[0 * 5 + 2] = 98  # dear
    graph.map_publisher.publish(message)
    graph.until(lambda: graph.planner('map') == '5x4', 'the map')
    keepout, costs = publisher(graph, 'keepout_mask'), publisher(graph, 'cost_mask')

    def way():
        request = GetPlan.Request(start=pose_stamped(*place(0, 0)), goal=pose_stamped(*place(4, 0)))
        return points(graph.call(GetPlan, 'get_plan', request).plan)
    assert place(2, 1) in way(), 'around the dear cell'
    keepout.publish(grid_map(['..#..'], origin=(0.0, 0.5)))
    graph.until(lambda: place(2, 0) in way() or place(2, 2) in way(), 'not through the keepout')
    costs.publish(grid_map(['.....', '.....', '..#..'], origin=(0.0, 0.5)))  # turned the other way: under the keepout
    keepout.publish(OccupancyGrid())
    graph.until(lambda: place(2, 1) not in way(), 'not over what the mask makes dear')


def test_updates_of_the_map(graph):
    """A wall comes and goes by updates of a few cells."""
    a, = graph.start('a')
    graph.map_publisher.publish(grid_map(['.........'] * 5))
    a.stand(*place(0, 2))
    graph.until(lambda: a.path, 'a first path')
    a.send_goal(*place(8, 2))
    graph.until(lambda: a.reaches(*place(8, 2)), 'a path')
    updates = publisher(graph, 'map_updates', OccupancyGridUpdate, 10)

    def update(x, y, width, height, value, frame_id='map', count=None):
        message = OccupancyGridUpdate(x=x, y=y, width=width, height=height)
        message.header.frame_id = frame_id
        message.data = [value] * (width * height if count is None else count)
        updates.publish(message)
    update(6, 0, 1, 4, 100)
    graph.until(lambda: a.reaches(*place(8, 2)) and place(6, 4) in points(a.path), 'a way round')
    for bad, reason in (((8, 0, 2, 1, 100), 'not inside the map of 9 x 5 cells'),
                        ((0, 0, 2, 1, 100, 'odom'), "frame_id is 'odom'"),
                        ((0, 0, 2, 1, 100, 'map', 3), '2 x 1 cells but 3 values')):
        update(*bad)
        graph.until(lambda: reason in graph.message('planner'), reason)
    update(6, 4, 1, 1, 100)
    graph.until(lambda: graph.error('a') == 208 or a.x > place(6, 0)[0], 'no way')
    update(6, 0, 1, 5, 0)
    graph.until(lambda: graph.error('a') == 0 and a.reaches(*place(8, 2)), 'the straight way again')
    graph.until(lambda: 'refused' not in graph.message('planner'), 'the end of the fault')
