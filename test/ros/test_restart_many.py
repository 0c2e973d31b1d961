"""Nodes that are killed and started again while the others go on: everybody must hear everybody again, every time.

A killed process cannot clean up its shared memory. docs/ros.md, "Transport", says what that did and why the nodes use
UDP. FLEETWEAVE_RESTARTS=200 is the long mode: 200 restarts, each within 10 s, beside busy loops that the caller starts.
pytest -s prints the times.
"""
import glob
import math
import os
import signal
import statistics
import subprocess
import time

import pytest
import rclpy
from diagnostic_msgs.msg import DiagnosticArray
from fleet import place, texts
from geometry_msgs.msg import PoseStamped
from graph import pose_stamped
from nav_msgs.msg import Odometry
from rclpy.qos import qos_profile_sensor_data

RESTARTS = int(os.environ.get('FLEETWEAVE_RESTARTS', '0'))
BOUND_SECONDS = 10 if RESTARTS else 120
NAMES = [f'robot_{k}' for k in range(4)]
ROWS = {name: 2 + 4 * k for k, name in enumerate(NAMES)}  # each robot has a row of its own, with room to the next
COLUMNS = 2, 3                                            # and goes to and fro between these
LIST = '[' + ','.join(NAMES) + ']'


def words(parameters):
    return [word for name, value in parameters.items() for word in ('-p', f'{name}:={value}')]


class Site:
    """Planner, simulator and, with drive: cmd_vel, a follower; each can be killed and started again alone."""

    def __init__(self, folder, drive, environment=None):
        self.folder, self.environment = folder, {**os.environ, **(environment or {})}
        starts = texts(f'{COLUMNS[0]},{ROWS[name]}' for name in NAMES)
        self.commands = {
            'planner': ['FLEETWEAVE_PLANNER_NODE', {'robots': LIST, 'plan_lead_seconds': 0.5}],
            'simulator': ['FLEETWEAVE_FLEET_SIM', {
                'robots': LIST, 'map': 'open:16x16', 'drive': drive, 'report_period': 0.0, 'goals': 'none',
                'starts': starts}]}
        if drive == 'cmd_vel':
            self.commands['follower'] = ['FLEETWEAVE_PATH_FOLLOWER', {
                'robots': LIST, 'speed': 1.0, 'turn_rate': 6.0, 'turn_acceleration': 20.0, 'acceleration': 4.0}]
        self.processes = {}
        self.context = rclpy.Context()
        rclpy.init(context=self.context)
        self.node = node = rclpy.create_node('watcher', context=self.context)
        self.executor = rclpy.executors.SingleThreadedExecutor(context=self.context)
        self.executor.add_node(node)
        self.forget()
        self.goals = {}
        node.create_subscription(DiagnosticArray, '/diagnostics', self.on_diagnostics, 10)
        for name in NAMES:
            self.goals[name] = node.create_publisher(PoseStamped, f'{name}/goal_pose', 10)
            node.create_subscription(
                Odometry, f'{name}/odom', lambda m, name=name: self.on_odom(name, m), qos_profile_sensor_data)

    # ---- processes

    def start(self, which):
        variable, parameters = self.commands[which]
        with open(self.folder / f'{which}.log', 'a') as log:
            self.processes[which] = subprocess.Popen(
                [os.environ[variable], '--ros-args', *words(parameters)], stdout=log, stderr=log, env=self.environment)

    def end(self, which, number):
        process = self.processes.pop(which)
        process.send_signal(number)
        try:
            return process.wait(timeout=60)
        except subprocess.TimeoutExpired:
            process.kill()
            return process.wait()

    def close(self):
        codes = {which: self.end(which, signal.SIGINT) for which in list(self.processes)}
        self.executor.shutdown()
        self.node.destroy_node()
        rclpy.shutdown(context=self.context)
        return codes

    def logs(self):
        return '\n'.join(f'--- {path}\n' + open(path).read()[-3000:] for path in glob.glob(f'{self.folder}/*.log'))

    # ---- messages

    def forget(self):
        """What was heard so far."""
        self.places, self.states, self.targets = {}, {}, {}
        self.sent_at = 0.0

    def on_odom(self, name, message):
        self.places[name] = message.pose.pose.position.x, message.pose.pose.position.y

    def on_diagnostics(self, message):
        for status in message.status:
            self.states[status.name.split(': ', 1)[1]] = {pair.key: pair.value for pair in status.values}

    def drain(self):
        """Takes what the killed process had sent, which is in our queues."""
        for _ in range(100):
            self.executor.spin_once(timeout_sec=0)

    # ---- everybody hears everybody

    def set_targets(self):
        for name in NAMES:
            column = COLUMNS[0] if abs(self.places[name][0] - place(COLUMNS[0], 0)[0]) > 0.25 else COLUMNS[1]
            self.targets[name] = column, ROWS[name]

    def is_at_target(self, name):
        """The planner has heard the goal, the follower or simulator the release, the simulator the commands, the
        planner the pose, and we both."""
        column, row = self.targets[name]
        state = self.states.get(name, {})
        return (math.dist(self.places[name], place(column, row)) < 0.1 and state.get('goal_cell') == f'{column},{row}'
                and state.get('execution') == 'arrived')

    def all_hear_all(self):
        if len(self.places) < len(NAMES):
            return False
        if not self.targets:
            self.set_targets()
        waiting = [name for name in NAMES if not self.is_at_target(name)]
        if time.monotonic() > self.sent_at + 1.0:  # again and again: until the planner is found a goal is lost
            self.sent_at = time.monotonic()
            for name in waiting:
                self.goals[name].publish(pose_stamped(*place(*self.targets[name])))
        return not waiting

    def until_all_hear_all(self, what, bound):
        begin = time.monotonic()
        while not self.all_hear_all():
            assert time.monotonic() < begin + bound, (
                f'{what}: targets {self.targets}, places {self.places}, states {self.states}\n{self.logs()}')
            for which, process in self.processes.items():
                assert process.poll() is None, f'{what}: the {which} ended with {process.poll()}\n{self.logs()}'
            self.executor.spin_once(timeout_sec=0.05)
        return time.monotonic() - begin


@pytest.fixture
def begin_site(tmp_path):
    sites = []

    def begin(drive, environment=None):
        sites.append(Site(tmp_path, drive, environment))
        return sites[-1]
    yield begin
    codes = [site.close() for site in sites]
    assert all(code == 0 for ended in codes for code in ended.values()), f'the nodes ended with {codes}'


@pytest.mark.parametrize('drive', ['path', 'cmd_vel'])
def test_whoever_is_killed_and_started_again_is_heard_and_hears(begin_site, drive):
    site = begin_site(drive)
    for which in site.commands:
        site.start(which)
    site.until_all_hear_all('at the start', 120)
    times = {which: [] for which in site.commands}
    turns = (RESTARTS or 6) // 2
    for turn in range(turns):
        which = list(site.commands)[turn % len(site.commands)]
        site.end(which, signal.SIGKILL)
        site.drain()
        site.forget()
        site.start(which)
        taken = site.until_all_hear_all(f'restart {turn}, of the {which}', BOUND_SECONDS)
        times[which].append(taken)
        print(f'{drive} {turn} {which} {taken:.2f}', flush=True)
    for which, taken in times.items():
        ordered = sorted(taken)
        if ordered:
            print(f'{drive} {which}: {len(taken)} restarts, median {statistics.median(taken):.2f} s, '
                  f'90 % {ordered[int(0.9 * (len(ordered) - 1))]:.2f} s, longest {ordered[-1]:.2f} s')
