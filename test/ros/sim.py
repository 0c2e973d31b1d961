"""The other side of the simulator fleet_sim: its process, and a rclpy node that listens to everything and sends paths.

Most runs use the simulator's own clock, a few times faster than the world: what is asserted is simulated time only.
"""
import math
import os
import signal
import subprocess
import time

import pytest
import rclpy
from diagnostic_msgs.msg import DiagnosticArray
from geometry_msgs.msg import PoseStamped
from nav_msgs.msg import Odometry, Path
from rclpy.qos import DurabilityPolicy, QoSProfile, ReliabilityPolicy
from rclpy.time import Time

LATCHED = QoSProfile(depth=1, durability=DurabilityPolicy.TRANSIENT_LOCAL)
ODOM = QoSProfile(depth=1000, reliability=ReliabilityPolicy.BEST_EFFORT)
FAST = {'publish_clock': 'true', 'rate_factor': 4.0, 'report_period': 0}
TIMED = {'follow': 'timed_path'}


def program():
    path = os.environ.get('FLEETWEAVE_FLEET_SIM', '')
    if not path:
        pytest.skip('FLEETWEAVE_FLEET_SIM does not name a program')
    return path


def arguments(parameters):
    return [word for name, value in parameters.items() for word in ('-p', f'{name}:={value}')]


def seconds(stamp):
    return stamp.sec + 1e-9 * stamp.nanosec


class Sim:
    """A simulator process, and a node beside it that listens to everything and can send paths."""

    def __init__(self, log_path, parameters, names=(), more=(), namespace='', path_topic='timed_path'):
        self.log_path = log_path
        self.context = rclpy.Context()
        rclpy.init(context=self.context)
        self.node = rclpy.create_node('peer', context=self.context, namespace=namespace)
        self.executor = rclpy.executors.SingleThreadedExecutor(context=self.context)
        self.executor.add_node(self.node)
        self.odom = {name: [] for name in names}
        self.goals = {name: [] for name in names}
        self.status = []
        self.paths = {}
        self.goal_out = {}
        for name in names:
            self.node.create_subscription(Odometry, f'{name}/odom', self.odom[name].append, ODOM)
            self.node.create_subscription(PoseStamped, f'{name}/goal_pose', self.goals[name].append, 10)
            self.paths[name] = self.node.create_publisher(Path, f'{name}/{path_topic}', LATCHED)
            self.goal_out[name] = self.node.create_publisher(PoseStamped, f'{name}/goal_pose', 10)
        self.node.create_subscription(DiagnosticArray, 'fleet_sim/status', self.status.append, LATCHED)
        with open(log_path, 'w') as log:
            words = [program(), '--ros-args', *arguments({**TIMED, **parameters}), *more]
            self.process = subprocess.Popen(words, stderr=log, stdout=log)

    def log(self):
        with open(self.log_path) as log:
            return log.read()

    def until(self, condition, what='something', limit=40):
        end = time.monotonic() + limit
        while not condition():
            assert time.monotonic() < end, f'waited in vain for {what}\n{self.log()}'
            assert self.process.poll() is None, f'the simulator ended while waiting for {what}\n{self.log()}'
            self.executor.spin_once(timeout_sec=0.05)

    def ended(self, limit=40):
        self.process.wait(timeout=limit)
        return self.process.returncode

    def pose(self, name):
        self.until(lambda: self.odom[name], f'odometry of {name}')
        position = self.odom[name][-1].pose.pose.position
        return position.x, position.y

    def now(self, name):
        self.until(lambda: self.odom[name], f'odometry of {name}')
        return seconds(self.odom[name][-1].header.stamp)

    def latest(self, name):
        """The simulated time of the newest odometry, after all that has arrived was taken."""
        idle = 0
        while idle < 10:
            heard = len(self.odom[name])
            self.executor.spin_once(timeout_sec=0)
            idle = 0 if len(self.odom[name]) > heard else idle + 1
        return self.now(name)

    def until_time(self, name, moment):
        self.until(lambda: self.now(name) >= moment, f'{moment:.1f} s')

    def count(self, key):
        self.until(lambda: self.status, 'status')
        return float({pair.key: pair.value for pair in self.status[-1].status[0].values}[key])

    def track(self, name):
        return [(seconds(m.header.stamp), m.pose.pose.position.x, m.pose.pose.position.y) for m in self.odom[name]]

    def send(self, name, points, frame='map'):
        """points: (seconds, x, y) or (seconds, x, y, yaw)"""
        self.until(lambda: self.paths[name].get_subscription_count() > 0, 'the simulator to listen')
        path = Path()
        path.header.frame_id = frame
        for when, x, y, *yaw in points:
            pose = PoseStamped()
            pose.header.frame_id = frame
            pose.header.stamp = Time(nanoseconds=round(when * 1e9)).to_msg()
            pose.pose.position.x, pose.pose.position.y = x, y
            half = yaw[0] / 2 if yaw else 0.0
            pose.pose.orientation.z, pose.pose.orientation.w = math.sin(half), math.cos(half)
            path.poses.append(pose)
        self.paths[name].publish(path)

    def close(self):
        """Ends the simulator and returns its exit code; None if it had ended before."""
        if not self.context.ok():
            return None
        code = None
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGINT)
            try:
                code = self.ended()
            except subprocess.TimeoutExpired:
                self.process.kill()
                code = self.ended()
        self.executor.shutdown()
        self.node.destroy_node()
        rclpy.shutdown(context=self.context)
        return code


def alone(start, **more):
    """One robot on an open floor of 10 by 6 metres that waits for paths."""
    sim = start({'robots': '[a]', 'map': 'open:20x12', 'goals': 'none', **FAST, **more}, ['a'])
    sim.until(lambda: sim.paths['a'].get_subscription_count() > 0, 'the simulator to listen')
    return sim


def alone_before(start, send, **more):
    """As alone, for a fault at a moment of simulated time, which `more` has as {}: one that is still ahead when
    `send(sim, moment)` has sent a path, however slow the machine is. Returns the simulator and the moment."""
    for moment in (8, 32, 128):
        sim = alone(start, **{name: value.format(moment) for name, value in more.items()})
        send(sim, moment)
        if sim.latest('a') < moment - 4:
            return sim, moment
        sim.close()
    raise AssertionError('the simulator was not heard within 128 simulated seconds')


def inward(x, size):
    return 1.0 if x < size / 2 else -1.0


def where(points, moment):
    """The pose of a timed path at a moment."""
    for (t0, x0, y0), (t1, x1, y1) in zip(points, points[1:]):
        if t0 <= moment < t1:
            u = (moment - t0) / (t1 - t0)
            return x0 + u * (x1 - x0), y0 + u * (y1 - y0)
    return points[0][1:] if moment < points[0][0] else points[-1][1:]


def off_line(points, x, y):
    """How far (x, y) is from a line of points."""
    best = math.inf
    for (_, x0, y0), (_, x1, y1) in zip(points, points[1:]):
        dx, dy = x1 - x0, y1 - y0
        square = dx * dx + dy * dy
        u = 0.0 if square == 0 else max(0.0, min(1.0, ((x - x0) * dx + (y - y0) * dy) / square))
        best = min(best, math.hypot(x - x0 - u * dx, y - y0 - u * dy))
    return best


def fastest(track):
    return max(math.hypot(b[1] - a[1], b[2] - a[2]) / (b[0] - a[0]) for a, b in zip(track, track[1:]))
