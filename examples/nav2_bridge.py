#!/usr/bin/env python3
"""Drives robots that run Nav2: what the planner releases to a robot goes to its controller server as FollowPath.

  ros2 run fleetweave nav2_bridge.py --ros-args -p "robots:=[robot_0,robot_1]"

Each release replaces the path before it: Nav2 takes a new goal while it drives without stopping, and stops at the end of
the path if no longer one has come. See docs/nav2.md for how the controller has to be set up.
"""
import math
import time

import rclpy
from action_msgs.msg import GoalStatus
from nav2_msgs.action import FollowPath
from nav_msgs.msg import Path
from rclpy.action import ActionClient
from rclpy.node import Node
from rclpy.qos import DurabilityPolicy, QoSProfile

LATCHED = QoSProfile(depth=1, durability=DurabilityPolicy.TRANSIENT_LOCAL)
SAME_PLACE = 0.01  # metres
PERIOD = 0.1  # seconds between looks at what is to be sent


def without_waits(path):
    """The path as a line: Nav2 knows no times, and two equal poses have no direction."""
    line = Path(header=path.header)
    for pose in path.poses:
        if line.poses and distance(line.poses[-1], pose) < SAME_PLACE:
            line.poses[-1] = pose  # the later one looks where it goes on
        else:
            line.poses.append(pose)
    return line


def distance(one, other):
    a, b = one.pose.position, other.pose.position
    return math.hypot(b.x - a.x, b.y - a.y)


def are_alike(one, other):
    """Do both end at the same place, so that a robot on the one need not be told the other?"""
    if one is None or not one.poses or not other.poses:
        return one is not None and not one.poses and not other.poses
    return distance(one.poses[-1], other.poses[-1]) < SAME_PLACE


class Robot:
    def __init__(self, node, name):
        self.node, self.name = node, name
        self.client = ActionClient(node, FollowPath, f'{name}/follow_path')
        self.wanted = None  # the latest release
        self.sent = None  # the one that Nav2 has
        self.handle = None  # of the goal that Nav2 drives; None: none that we know of
        self.is_asking = False  # a goal is on its way to Nav2
        self.retry_at = 0.0
        node.create_subscription(Path, f'{name}/released_path', self.on_release, LATCHED)

    def on_release(self, path):
        self.wanted = without_waits(path)

    def step(self):
        """Nav2 is told the latest release, one call at a time."""
        is_news = self.wanted is not None and not are_alike(self.sent, self.wanted)
        if not is_news or self.is_asking or time.monotonic() < self.retry_at or not self.client.server_is_ready():
            return
        if len(self.wanted.poses) < 2:  # stay
            if self.handle is not None:
                self.handle.cancel_goal_async()
            self.sent = self.wanted
            return
        goal = FollowPath.Goal()
        goal.path = self.wanted
        goal.controller_id = self.node.controller_id
        goal.goal_checker_id = self.node.goal_checker_id
        self.sent, self.is_asking = self.wanted, True
        self.client.send_goal_async(goal).add_done_callback(self.on_answer)

    def on_answer(self, future):
        self.is_asking = False
        handle = future.result()
        if not handle.accepted:
            self.fail('its controller has refused a path')
            return
        self.handle = handle
        handle.get_result_async().add_done_callback(lambda done: self.on_result(handle, done.result()))

    def on_result(self, handle, result):
        if handle is not self.handle or self.is_asking:
            return  # a later goal has taken its place, or is about to: Nav2 ends the old one first
        self.handle = None
        if result.status == GoalStatus.STATUS_ABORTED:
            self.fail(f'its controller gave up: error {result.result.error_code}')

    def fail(self, why):
        """Once more, after a while: the release stays in force, and others keep away from it."""
        self.node.get_logger().warning(f'{self.name}: {why}; trying again')
        self.sent = None
        self.retry_at = time.monotonic() + self.node.retry_seconds


class Bridge(Node):
    def __init__(self, **options):
        super().__init__('nav2_bridge', **options)
        names = self.declare_parameter('robots', ['robot_0']).value
        self.controller_id = self.declare_parameter('controller_id', 'FollowPath').value
        self.goal_checker_id = self.declare_parameter('goal_checker_id', 'general_goal_checker').value
        self.retry_seconds = self.declare_parameter('retry_seconds', 1.0).value
        self.robots = [Robot(self, name) for name in names]
        self.create_timer(PERIOD, self.step)

    def step(self):
        for robot in self.robots:
            robot.step()


def main():
    rclpy.init()
    try:
        rclpy.spin(Bridge())
    except (KeyboardInterrupt, rclpy.executors.ExternalShutdownException):
        pass


if __name__ == '__main__':
    main()
