"""A planner node and a simulator, both real processes, and what one asks of them."""
import itertools
import os
import signal
import time

from geometry_msgs.msg import PoseStamped
from graph import DEEP, LATCHED, points, pose_stamped
from nav_msgs.msg import Path
from sim import FAST

CELL = 0.5


def place(x, y):
    """The middle of a cell."""
    return CELL * (x + 0.5), CELL * (y + 0.5)


def map_file(folder, rows):
    """A map from text, row 0 (y = 0) first: '.' free, '@' blocked."""
    path = folder / 'floor.map'
    head = f'type octile\nheight {len(rows)}\nwidth {len(rows[0])}\nmap\n'
    path.write_text(head + '\n'.join(rows) + '\n')
    return str(path)


def texts(values):
    return '[' + ','.join(f'"{value}"' for value in values) + ']'


class Fleet:
    """`graph` runs the planner, `start` starts simulators; both fixtures of conftest.py."""

    def __init__(self, graph, start, names, planner=None, simulator=None, bodies=None, rate=2.0):
        self.graph, self.names = graph, list(names)
        self.bodies = bodies or {}
        self.mode = mode = (planner or {}).get('execution_mode', 'dependency')
        rate = rate if mode == 'dependency' else 1.0
        self.sim = start({
            'robots': '[' + ','.join(self.names) + ']', 'max_speed': 1.5, **FAST, 'rate_factor': rate,
            'follow': 'released_path' if mode == 'dependency' else 'timed_path', **self.bodies, **(simulator or {})},
            self.names)
        self.settings = {
            'use_sim_time': 'true', 'speed': 1.0, 'plan_lead_seconds': 1.0, 'time_limit': 1.0, 'diagnostics_period': 0.25,
            **self.bodies, **(planner or {})}
        self.paths = {name: [] for name in self.names}
        self.releases = {name: [] for name in self.names}
        self.goals = {}
        for name in self.names:
            node = graph.node
            node.create_subscription(Path, f'{name}/timed_path', self.paths[name].append, LATCHED)
            node.create_subscription(Path, f'{name}/released_path', self.releases[name].append, DEEP)
            self.goals[name] = node.create_publisher(PoseStamped, f'{name}/goal_pose', 10)
        self.launch()

    def launch(self):
        words = [word for name, value in self.settings.items() for word in ('-p', f'{name}:={value}')]
        self.graph.launch([
            os.environ['FLEETWEAVE_PLANNER_NODE'], '--ros-args', '-p', f'robots:=[{",".join(self.names)}]', *words])

    def kill(self):
        """As if the machine had failed: no word to anybody."""
        self.graph.process.send_signal(signal.SIGKILL)
        self.graph.process.wait(timeout=20)
        self.graph.process = None

    def wait(self, condition, what, bound=120):
        def spin_both():
            self.listen()
            assert self.sim.process.poll() is None, f'the simulator has ended\n{self.sim.log()}'
            return condition()
        try:
            self.graph.until(spin_both, what, bound=bound)
        except AssertionError as error:
            raise AssertionError(f'{error}\n{self.story()}\n{self.sim.log()}') from None

    def wait_without_planner(self, condition, what, bound=120):
        """As wait, after the planner of this fleet has ended."""
        self.graph.process = None
        self.wait(condition, what, bound)

    def listen(self):
        """Takes every message that has arrived: one at a time would not keep up with many robots and lag behind."""
        for _ in range(50):
            heard = sum(map(len, self.sim.odom.values())) + len(self.sim.status)
            self.sim.executor.spin_once(timeout_sec=0)
            if heard == sum(map(len, self.sim.odom.values())) + len(self.sim.status):
                break
        for _ in range(10):
            heard = sum(map(len, self.releases.values())) + sum(map(len, self.paths.values()))
            self.graph.executor.spin_once(timeout_sec=0)
            if heard == sum(map(len, self.releases.values())) + sum(map(len, self.paths.values())):
                break

    def story(self):
        """What the node last said of each robot."""
        return '\n'.join(
            f'{name}: {status.message}; ' + ', '.join(f'{v.key}={v.value}' for v in status.values)
            for name, status in self.graph.statuses.items())

    def wait_seconds(self, seconds):
        """Of simulated time."""
        end = self.sim.now(self.names[0]) + seconds
        self.wait(lambda: self.sim.now(self.names[0]) >= end, f'{seconds} s')

    def send(self, name, x, y):
        """While both sides are still finding each other a goal can get lost; then it is sent again."""
        self.wait(lambda: self.goals[name].get_subscription_count() >= 2, f'readers of {name}/goal_pose')
        sent = 0.0

        def is_taken():
            nonlocal sent
            if time.monotonic() > sent + 5.0:
                sent = time.monotonic()
                self.goals[name].publish(pose_stamped(*place(x, y)))
            return self.graph.value(name, 'goal_cell') == f'{x},{y}'
        self.wait(is_taken, f'{name} to take its goal')

    def at(self, name):
        """Where the simulator has it, in cells."""
        x, y = self.sim.pose(name)
        return x / CELL - 0.5, y / CELL - 0.5

    def is_at(self, name, x, y):
        at = self.at(name)
        return abs(at[0] - x) < 0.1 and abs(at[1] - y) < 0.1

    def arrive(self, bound=180, **goals):
        """Sends goals and waits until everybody is there."""
        for name, (x, y) in goals.items():
            self.send(name, x, y)
        self.wait(
            lambda: all(self.is_at(name, *goal) for name, goal in goals.items()),
            f'{goals}, not {[self.at(name) for name in goals]}', bound=bound)

    def reached(self):
        return self.sim.count('goals_reached')

    def reach(self, more, what='more goals', bound=180):
        target = self.reached() + more
        self.wait(lambda: self.reached() >= target, what, bound=bound)

    def overlaps(self):
        return self.sim.count('overlaps')

    def is_on_time(self):
        """Timed paths are safe for robots less than a tick late; on a busy machine some paths arrive too late."""
        return self.mode == 'dependency' or self.sim.count('late_max_seconds') < 0.4

    def check(self):
        self.wait_seconds(1.1)  # for the next status
        assert self.overlaps() == 0 or not self.is_on_time(), self.sim.log()


def fleet_on(graph, start, tmp_path, rows, starts, planner=None, **simulator):
    names = [f'robot_{k}' for k in range(len(starts))]
    simulator = {
        'map': map_file(tmp_path, rows), 'goals': 'none', 'starts': texts(f'{x},{y}' for x, y in starts), **simulator}
    fleet = Fleet(graph, start, names, planner, simulator)
    state = ('execution', 'arrived') if fleet.mode == 'dependency' else ('state', 'idle')
    fleet.wait(lambda: all(graph.value(name, state[0]) == state[1] for name in names), 'everybody')
    return fleet


def places(path):
    """Without waits."""
    return [key for key, _ in itertools.groupby(points(path))]
