"""Bad messages for a planner node: of every topic that it reads, with any value that a message can carry. As a program,
it sends as many as it is told to at a rate, and prints how long that took:

  flood.py --robots a,b --rate 1000 --count 60000
"""
import argparse
import math
import sys
import time

import rclpy
from geometry_msgs.msg import Point, PoseStamped
from graph import LATCHED, grid_map, pose_stamped, timed_path
from nav_msgs.msg import Goals, GridCells, OccupancyGrid, Odometry, Path
from rclpy.qos import QoSProfile, qos_profile_sensor_data
from rclpy.serialization import serialize_message
from rclpy.time import Time

HALL = ['........'] * 6  # the floor that goals inside and outside of it refer to, cells of 0.5 m
SECOND = 10**9
LONG = 'x' * 10000
NUMBERS = [math.nan, math.inf, -math.inf, 1e300, -1e300, 1.7e308]


def odometry(x=1.0, y=1.0, frame='map', stamp_ns=None, covariance=(0.0, 0.0), orientation=(0.0, 0.0, 0.0, 1.0)):
    message = Odometry()
    message.header.frame_id = frame
    message.header.stamp = Time(nanoseconds=time.time_ns() if stamp_ns is None else stamp_ns).to_msg()
    message.pose.pose.position.x, message.pose.pose.position.y = float(x), float(y)
    message.pose.covariance[0], message.pose.covariance[7] = covariance
    q = message.pose.pose.orientation
    q.x, q.y, q.z, q.w = orientation
    return message


def turned(goal, *orientation):
    q = goal.pose.orientation
    q.x, q.y, q.z, q.w = orientation
    return goal


def changed(message, **changes):
    for name, value in changes.items():
        part = message
        *path, last = name.split('__')
        for step in path:
            part = getattr(part, step)
        setattr(part, last, value)
    return message


def goals(*poses, frame='map'):
    message = Goals()
    message.header.frame_id = frame
    message.goals = list(poses)
    return message


def cells(*centres, width=0.5, height=0.5, frame='map'):
    message = GridCells()
    message.header.frame_id = frame
    message.cell_width, message.cell_height = width, height
    message.cells = [Point(x=float(x), y=float(y)) for x, y in centres]
    return message


# Each: the message, the fault number in the log (None where the log has none), and words of the reason.
def bad_poses():
    """All of them are refused; what has a finite position far outside of the map is not: robots may be anywhere."""
    return [
        *((odometry(x=x), 200, 'not finite') for x in NUMBERS[:3]), (odometry(y=math.nan), 200, 'not finite'),
        *((odometry(frame=frame), 202, f"its frame_id is '{frame[:60]}'") for frame in ('odom', '', ' ', LONG)),
        (odometry(frame='\x1b[2J\n\x9b'), 202, "its frame_id is '?[2J??"),
        *((odometry(covariance=(c, 0.0)), 200, 'its covariance') for c in (math.nan, math.inf, -1.0)),
        (odometry(covariance=(0.0, 1e12)), 200, 'its standard deviation is 1e+06 m'),
        (odometry(stamp_ns=1), 200, 'pose_age_max'), (odometry(stamp_ns=2**31 * SECOND - 1), 200, 'pose_age_max'),
        (odometry(orientation=(math.nan, 0.0, 0.0, 1.0)), 200, 'not finite'),
        (odometry(orientation=(0.0, 0.0, math.inf, 1.0)), 200, 'not finite'),
        (odometry(orientation=(0.0, 0.0, 1e300, 1e300)), 200, 'not finite'),
    ]


def bad_goals():
    return [
        *((pose_stamped(x, 1.0), 200, 'not finite') for x in NUMBERS[:3]),
        *((pose_stamped(x, 1.0), 204, 'is outside the map') for x in NUMBERS[3:]),
        (pose_stamped(50.0, 1.0), 204, '(50, 1) is outside the map'),
        *((pose_stamped(1.0, 1.0, frame), 202, f"its frame_id is '{frame[:60]}'") for frame in ('odom', '', LONG)),
        (turned(pose_stamped(1.0, 1.0), math.nan, 0.0, 0.0, 1.0), 200, 'its orientation is not finite'),
        (turned(pose_stamped(1.0, 1.0), 0.0, 0.0, math.inf, 0.0), 200, 'its orientation is not finite'),
        (turned(pose_stamped(1.0, 1.0), 0.0, 0.0, 1e200, 1e200), 200, 'its orientation is not finite'),
    ]


def bad_goal_lists():
    good = pose_stamped(1.25, 1.25)
    return [
        (goals(good, pose_stamped(math.nan, 1.0), good), 200, 'not finite'),
        (goals(good, turned(pose_stamped(1.0, 1.0), math.nan, 0.0, 0.0, 1.0)), 200, 'its orientation is not finite'),
        (goals(good, pose_stamped(99.0, 1.0)), 204, '(99, 1) is outside the map'),
        (goals(good, pose_stamped(1.0, 1.0, 'odom')), 202, "its frame_id is 'odom'"),
        (goals(pose_stamped(1.0, 1.0, ''), frame='base'), 202, "its frame_id is 'base'"),
        (goals(*[good] * 1025), 200, 'a robot can have 1024 goals'),
    ]


def bad_maps():
    def hall(**changes):
        return changed(grid_map(HALL), **changes)
    return [
        (hall(data=[0] * 47), None, '8 x 6 cells but 47 values'), (hall(data=[]), None, '8 x 6 cells but 0 values'),
        (hall(info__width=2**32 - 1, info__height=2**32 - 1), None, '4294967295 x 4294967295 cells but 48 values'),
        (hall(info__width=2**31, info__height=2**31, data=[]), None, 'cells but 0 values'),
        (hall(info__width=0, data=[]), None, '0 x 6 cells'),
        *((hall(info__resolution=r), None, 'its resolution is') for r in (0.0, -0.5, math.nan, math.inf, 1e5, 3e38)),
        (hall(info__resolution=1e-30), None, 'are out of range'),
        (hall(info__origin__position__x=math.nan), None, 'its origin is not finite'),
        (hall(info__origin__position__y=1e300), None, 'are out of range'),
        (hall(info__origin__orientation__z=math.inf), None, 'its origin is not finite'),
        (hall(header__frame_id='world'), None, "its frame_id is 'world'"),
        (hall(header__frame_id=LONG), None, f"its frame_id is '{LONG[:60]}'"),
        (hall(info__width=1, info__height=1, data=[0], info__resolution=0.01), None, 'smaller than one planning cell'),
    ]


def bad_obstacles():
    return [
        (cells((math.nan, 1)), None, 'its cell 0 is at (nan, 1)'), (cells((1, 1), (1, math.inf)), None, 'its cell 1'),
        (cells((1.7e308, 0)), None, 'its cell 0 is at (1.7e+308, 0)'),
        *((cells((1, 1), width=w), None, 'its cells are ') for w in (0.0, -1.0, math.nan, math.inf)),
        (cells((1, 1), height=-3.0), None, 'its cells are 0.5 x -3 m'),
        (cells((1, 1), frame='odom'), None, "its frame_id is 'odom'"),
    ]


def bad_closed_paths():
    def path(*poses, **changes):
        return changed(timed_path(poses), **changes)
    inside = (SECOND, 1.0, 1.0)
    strange = path(inside, inside)
    strange.poses[1].header.frame_id = 'odom'
    return [
        (path((SECOND, math.nan, 1.0)), None, 'its pose 0 is not finite'),
        (path(inside, (SECOND, math.inf, 1.0)), None, 'its pose 1 is not finite'),
        (path((2 * SECOND, 1.0, 1.0), inside), None, 'the stamp of its pose 1 is earlier'),
        (path(inside, (SECOND, 1e300, 1.0)), None, 'its pose 1, (1e+300, 1), is outside the map'),
        (path(inside, header__frame_id='odom'), None, "its frame_id is 'odom'"),
        (strange, None, "its frame_id is 'odom'"),
        (path(*[inside] * 3000, (SECOND, 99.0, 1.0)), None, 'its pose 3000'),
    ]


def bad_unassigned_goals():
    return [
        (pose_stamped(math.nan, 1.0), None, 'its position is not finite'),
        (pose_stamped(1.0, math.inf), None, 'its position is not finite'),
        (pose_stamped(1.0, 1.0, 'odom'), None, "its frame_id is 'odom'"),
        (pose_stamped(1.0, 1.0, LONG), None, f"its frame_id is '{LONG[:60]}'"),
    ]


# topic (per robot with {}): type, quality of service, messages, share of a flood
TOPICS = {
    '{}/odom': (Odometry, qos_profile_sensor_data, bad_poses, 8),
    '{}/goal_pose': (PoseStamped, QoSProfile(depth=10), bad_goals, 4),
    '{}/goals': (Goals, QoSProfile(depth=10), bad_goal_lists, 2),
    'map': (OccupancyGrid, LATCHED, bad_maps, 1),
    'blocked_cells': (GridCells, QoSProfile(depth=10), bad_obstacles, 2),
    'door/closed_path': (Path, LATCHED, bad_closed_paths, 2),
    'goal_pose': (PoseStamped, QoSProfile(depth=10), bad_unassigned_goals, 1),
}


def cycle_of(node, robots):
    """(publisher, serialised messages) in the order in which a flood goes through them, again and again."""
    entries = []
    for topic, (kind, qos, make, share) in TOPICS.items():
        messages = [serialize_message(message) for message, _, _ in make()]
        names = [topic.format(robot) for robot in robots] if '{}' in topic else [topic]
        publishers = [node.create_publisher(kind, name, qos) for name in names]
        entries += [(publishers[k % len(publishers)], messages) for k in range(share)]
    return entries[::3] + entries[1::3] + entries[2::3]  # the shares of a topic apart from each other


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('--robots', required=True)
    parser.add_argument('--rate', type=float, default=1000.0, help='messages per second')
    parser.add_argument('--count', type=int, required=True)
    arguments = parser.parse_args()
    rclpy.init()
    node = rclpy.create_node('flood')
    entries = cycle_of(node, arguments.robots.split(','))
    publishers = {publisher for publisher, _ in entries}
    end = time.monotonic() + 60
    while not all(publisher.get_subscription_count() > 0 for publisher in publishers):
        if time.monotonic() > end:
            sys.exit('nobody reads ' + ', '.join(p.topic_name for p in publishers if p.get_subscription_count() == 0))
        time.sleep(0.01)
    print('begins', flush=True)
    begin, sent = time.monotonic(), 0
    while sent < arguments.count:
        publisher, messages = entries[sent % len(entries)]
        publisher.publish(messages[(sent // len(entries)) % len(messages)])
        sent += 1
        ahead = begin + sent / arguments.rate - time.monotonic()
        if ahead > 0.002:
            time.sleep(ahead)
    print(f'{sent} messages in {time.monotonic() - begin:.1f} s', flush=True)
    rclpy.shutdown()


if __name__ == '__main__':
    main()
