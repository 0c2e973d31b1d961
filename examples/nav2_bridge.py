#!/usr/bin/env python3
"""Drives robots that run Nav2: sends each released path to the robot's controller server as a FollowPath goal.

  ros2 run fleetweave nav2_bridge.py --ros-args -p "robots:=[robot_0,robot_1]"

Each release replaces the path before it. Nav2 accepts a new goal while it drives, without stopping, and stops at the
end of the path if no longer path has arrived. docs/nav2.md describes how to configure the controller.
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
PERIOD = 0.1  # seconds between checks for a release to send


def without_waits(path):
    """The path without waits: FollowPath has no times, and two equal poses have no direction."""
    line = Path(header=path.header)
    for pose in path.poses:
        if line.poses and distance(line.poses[-1], pose) < SAME_PLACE:
            line.poses[-1] = pose  # the later one has the yaw of the next move
        else:
            line.poses.append(pose)
    return line


def distance(one, other):
    a, b = one.pose.position, other.pose.position
    return math.hypot(b.x - a.x, b.y - a.y)


def are_alike(one, other):
    """True if both paths end at the same place, so that the second need not be sent."""
    if one is None or not one.poses or not other.poses:
        return one is not None and not one.poses and not other.poses
    return distance(one.poses[-1], other.poses[-1]) < SAME_PLACE


class Robot:
    def __init__(self, node, name):
        self.node, self.name = node, name
        self.client = ActionClient(node, FollowPath, f'{name}/follow_path')
        self.wanted = None  # the latest release
        self.sent = None  # the release that Nav2 has
        self.handle = None  # of the goal that Nav2 executes; None: no goal known
        self.is_sending = False  # a goal was sent and not answered yet
        self.retry_at = 0.0
        node.create_subscription(Path, f'{name}/released_path', self.on_release, LATCHED)

    def on_release(self, path):
        self.wanted = without_waits(path)

    def step(self):
        """Sends the latest release to Nav2, one goal at a time."""
        is_news = self.wanted is not None and not are_alike(self.sent, self.wanted)
        if not is_news or self.is_sending or time.monotonic() < self.retry_at or not self.client.server_is_ready():
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
        self.sent, self.is_sending = self.wanted, True
        self.client.send_goal_async(goal).add_done_callback(self.on_answer)

    def on_answer(self, future):
        self.is_sending = False
        handle = future.result()
        if not handle.accepted:
            self.fail('the controller rejected the path')
            return
        self.handle = handle
        handle.get_result_async().add_done_callback(lambda done: self.on_result(handle, done.result()))

    def on_result(self, handle, result):
        if handle is not self.handle or self.is_sending:
            return  # a later goal has replaced it, or is about to: Nav2 ends the old goal first
        self.handle = None
        if result.status == GoalStatus.STATUS_ABORTED:
            self.fail(f'the controller gave up: error {result.result.error_code}')

    def fail(self, why):
        """Sends the release again after `retry_seconds`: it is still valid, and other robots keep away from it."""
        self.node.get_logger().warning(f'{self.name}: {why}; sending it again')
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
