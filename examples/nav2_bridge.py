#!/usr/bin/env python3
"""Drives robots that run Nav2: sends each released path to the robot's controller server as a FollowPath goal.

  ros2 run fleetweave nav2_bridge.py --ros-args -p "robots:=[robot_0,robot_1]"

  sub  <robot>/released_path      nav_msgs/Path, reliable, transient local
  act  <robot>/follow_path        nav2_msgs/FollowPath (client)
  cli  <robot>/hold, <robot>/cancel, <robot>/release   std_srvs/Trigger, of the planner
  pub  /diagnostics               one status per robot, once a second

A release that is not just the rest of what Nav2 drives already becomes a new goal. Nav2 accepts it while it drives,
without stopping, and ends the goal before it; so a release that grows extends the way. At the end of the last one the
robot stops. A goal that Nav2 rejects or aborts is sent again; after `tries` failures in a row, or without a
controller server for `server_timeout` seconds, the robot's failure is given back: the planner puts it on hold, so
that it gets no more space, and cancels its goals, so that their senders hear of it. When it drives again, it is
released. docs/nav2.md says how to configure Nav2's controller.
"""
import math
import signal
import threading
import time

import rclpy
from action_msgs.msg import GoalStatus
from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus
from nav2_msgs.action import FollowPath
from nav_msgs.msg import Path
from rclpy.action import ActionClient
from rclpy.executors import SingleThreadedExecutor
from rclpy.node import Node
from rclpy.qos import DurabilityPolicy, QoSProfile
from rclpy.signals import SignalHandlerOptions
from std_srvs.srv import Trigger

LATCHED = QoSProfile(depth=1, durability=DurabilityPolicy.TRANSIENT_LOCAL)
SAME_PLACE = 0.01  # metres
SAME_YAW = 0.02  # radians
PERIOD = 0.1  # seconds between checks for a release to send
ERRORS = {value: name for name, value in vars(FollowPath.Result).items() if name.isupper() and isinstance(value, int)}


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


def yaw(pose):
    q = pose.pose.orientation
    return math.atan2(2 * (q.w * q.z + q.x * q.y), 1 - 2 * (q.y * q.y + q.z * q.z))


def is_rest_of(sent, wanted):
    """True if a robot that follows `sent` does what `wanted` asks: every pose of `wanted`, in order, ends `sent`."""
    if sent is None or len(wanted.poses) > len(sent.poses) or not wanted.poses:
        return sent is not None and not sent.poses and not wanted.poses
    tail = sent.poses[len(sent.poses) - len(wanted.poses):]
    return all(distance(one, other) < SAME_PLACE for one, other in zip(tail, wanted.poses)) and \
        abs(math.remainder(yaw(tail[-1]) - yaw(wanted.poses[-1]), 2 * math.pi)) < SAME_YAW


def error_text(result):
    name = ERRORS.get(result.error_code, 'unknown')
    return f'error {result.error_code} ({name})' + (f': {result.error_msg}' if result.error_msg else '')


class Robot:
    """What Nav2 was told for one robot, and what came of it.

    `sent` is the path that Nav2 has or had last: None if it must be sent again. Answers and results of goals before the
    last one are ignored: `number` tells them apart.
    """

    def __init__(self, node, name):
        self.node, self.name = node, name
        self.client = ActionClient(node, FollowPath, f'{name}/follow_path')
        self.services = {call: node.create_client(Trigger, f'{name}/{call}') for call in ('hold', 'cancel', 'release')}
        self.wanted = self.sent = None
        self.handle = None  # of the goal that Nav2 executes; None: there is none
        self.number = 0  # of the last goal
        self.answer_by = math.inf  # a goal was sent and must be answered until then
        self.seen_at = time.monotonic()  # when the server was last there
        self.retry_at = 0.0
        self.failures = 0  # in a row
        self.fault = ''  # given back to the planner
        self.is_lost = False  # there is no server
        self.cancels = set()  # numbers of goals that are cancelled from here
        node.create_subscription(Path, f'{name}/released_path', self.on_release, LATCHED)

    # ---- releases to goals

    def on_release(self, path):
        line = without_waits(path)
        if self.wanted is not None and not is_rest_of(self.wanted, line):
            self.retry_at = 0.0  # another way may do
            self.failures = 0
        self.wanted = line

    def step(self):
        """Sends the latest release to Nav2, one goal at a time."""
        now = time.monotonic()
        self.watch_server(now)
        is_news = self.wanted is not None and not is_rest_of(self.sent, self.wanted)
        if not is_news or self.is_sending() or now < self.retry_at or not self.client.server_is_ready():
            return
        if len(self.wanted.poses) < 2:  # stay
            self.sent = self.wanted
            if self.handle is not None:
                self.cancels.add(self.number)
                self.handle.cancel_goal_async()
            return
        goal = FollowPath.Goal(
            path=self.wanted, controller_id=self.node.controller_id, goal_checker_id=self.node.goal_checker_id,
            progress_checker_id=self.node.progress_checker_id)
        self.number += 1
        self.sent, self.answer_by = self.wanted, now + self.node.server_timeout
        number = self.number
        self.client.send_goal_async(goal).add_done_callback(lambda done: self.on_answer(number, done))

    def is_sending(self):
        return self.answer_by < math.inf

    def on_answer(self, number, future):
        if number != self.number or not self.is_sending():
            return  # too late: it was given up
        self.answer_by = math.inf
        handle = future.result()
        if not handle.accepted:
            self.fail('the controller rejected the path')
            return
        self.handle = handle
        handle.get_result_async().add_done_callback(lambda done: self.on_result(number, done))

    def on_result(self, number, future):
        # A goal that a later one has replaced ends too: Nav2 aborts it, perhaps before it has accepted the later one.
        if number != self.number or self.is_sending() or self.handle is None:
            return
        self.handle = None
        answer = future.result()
        if answer.status == GoalStatus.STATUS_SUCCEEDED:
            self.recover()
        elif number in self.cancels:
            self.cancels.clear()
        elif answer.status == GoalStatus.STATUS_CANCELED:
            # Somebody took the robot: it gets no path until the planner has another one for it.
            self.give_back('its path was cancelled by somebody else')
        else:
            self.fail(f'the controller gave up with {error_text(answer.result)}')

    # ---- failures

    def watch_server(self, now):
        if self.client.server_is_ready():
            self.seen_at = now
        is_gone = now - self.seen_at > self.node.server_timeout
        if is_gone and not self.is_lost and self.wanted is not None:
            self.is_lost = True
            self.forget_goal()
            self.give_back('there is no controller server')
        elif now > self.answer_by:
            self.forget_goal()
            self.fail('the controller server does not answer')
        if self.is_lost and not is_gone:
            self.is_lost = False
            if is_rest_of(self.sent, self.wanted):
                self.recover()  # it stands at the end of its release: there is nothing to try

    def forget_goal(self):
        """Whatever still comes of the last goal is of the past."""
        if self.handle is not None or self.is_sending():
            self.number += 1
            self.handle, self.answer_by, self.sent = None, math.inf, None

    def fail(self, why):
        """Sends the release again: it is still valid, and other robots keep away from it."""
        self.failures += 1
        self.sent = None
        is_final = self.failures >= self.node.tries
        self.retry_at = time.monotonic() + (self.node.recover_seconds if is_final else self.node.retry_seconds)
        if is_final and not self.fault:
            self.give_back(why)
        else:
            self.node.get_logger().warning(f'{self.name}: {why}; sending it again')

    def give_back(self, why):
        self.fault = why
        self.node.get_logger().error(f'{self.name}: {why}; on hold, and its goals are cancelled')
        self.call('hold')
        self.call('cancel')

    def recover(self):
        self.failures = 0
        if self.fault:
            self.fault = ''
            self.node.get_logger().info(f'{self.name}: drives again')
            self.call('release')

    def call(self, name):
        client = self.services[name]
        if not client.service_is_ready():
            self.node.get_logger().error(f'{self.name}: the planner does not offer {client.srv_name}')
            return

        def on_done(future):
            answer = future.result()
            if not answer.success:
                self.node.get_logger().error(f'{self.name}: {name} was refused: {answer.message}')
        client.call_async(Trigger.Request()).add_done_callback(on_done)

    def status(self):
        text = self.fault or ('driving' if self.handle is not None else 'standing')
        level = DiagnosticStatus.ERROR if self.fault else DiagnosticStatus.OK
        return DiagnosticStatus(level=level, name=f'{self.node.get_name()}: {self.name}/follow_path', message=text)


class Bridge(Node):
    def __init__(self, **options):
        super().__init__('nav2_bridge', **options)
        names = self.declare_parameter('robots', ['robot_0']).value
        self.controller_id = self.declare_parameter('controller_id', 'FollowPath').value
        self.goal_checker_id = self.declare_parameter('goal_checker_id', 'general_goal_checker').value
        self.progress_checker_id = self.declare_parameter('progress_checker_id', '').value  # empty: Nav2's only one
        self.tries = self.declare_parameter('tries', 3).value  # failures in a row until the robot is given back
        self.retry_seconds = self.declare_parameter('retry_seconds', 1.0).value  # between them
        self.recover_seconds = self.declare_parameter('recover_seconds', 10.0).value  # between tries afterwards
        self.server_timeout = self.declare_parameter('server_timeout', 5.0).value  # seconds without a controller server
        self.robots = [Robot(self, name) for name in names]
        self.diagnostics = self.create_publisher(DiagnosticArray, '/diagnostics', 10)
        self.create_timer(PERIOD, self.step)
        self.create_timer(1.0, self.report)

    def step(self):
        for robot in self.robots:
            robot.step()

    def report(self):
        message = DiagnosticArray(status=[robot.status() for robot in self.robots])
        message.header.stamp = self.get_clock().now().to_msg()
        self.diagnostics.publish(message)


def main():
    # With rclpy's own handler, a signal ends the context wherever the executor happens to be, and some places then fail in
    # ways of their own. Here it only says that this turn is the last one.
    is_over = threading.Event()
    rclpy.init(signal_handler_options=SignalHandlerOptions.NO)
    for number in signal.SIGINT, signal.SIGTERM:
        signal.signal(number, lambda *_: is_over.set())
    bridge = Bridge()
    executor = SingleThreadedExecutor()
    executor.add_node(bridge)
    while not is_over.is_set():
        executor.spin_once(timeout_sec=0.1)
    executor.shutdown()
    bridge.destroy_node()
    rclpy.shutdown()


if __name__ == '__main__':
    main()
