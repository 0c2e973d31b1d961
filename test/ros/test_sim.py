"""The simulator fleet_sim in a real graph, with rclpy as the other side.

Most runs use the simulator's own clock, a few times faster than the world: what is asserted is simulated time only.
"""
import math
import os
import re
import signal
import subprocess
import time
from pathlib import Path as FilePath

import pytest

os.environ.setdefault('ROS_AUTOMATIC_DISCOVERY_RANGE', 'LOCALHOST')
rclpy = pytest.importorskip('rclpy')
from diagnostic_msgs.msg import DiagnosticArray  # noqa: E402
from geometry_msgs.msg import PoseStamped  # noqa: E402
from nav_msgs.msg import OccupancyGrid, Odometry, Path  # noqa: E402
from rcl_interfaces.msg import Log  # noqa: E402
from rclpy.qos import DurabilityPolicy, QoSProfile, ReliabilityPolicy, qos_profile_sensor_data  # noqa: E402
from rclpy.time import Time  # noqa: E402
from rosgraph_msgs.msg import Clock  # noqa: E402

LATCHED = QoSProfile(depth=1, durability=DurabilityPolicy.TRANSIENT_LOCAL)
ODOM = QoSProfile(depth=1000, reliability=ReliabilityPolicy.BEST_EFFORT)
FAST = {'publish_clock': 'true', 'rate_factor': 4.0, 'report_period': 0}


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

    def __init__(self, log_path, parameters, names=(), more=(), namespace=''):
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
            self.paths[name] = self.node.create_publisher(Path, f'{name}/timed_path', LATCHED)
            self.goal_out[name] = self.node.create_publisher(PoseStamped, f'{name}/goal_pose', 10)
        self.node.create_subscription(DiagnosticArray, 'fleet_sim/status', self.status.append, LATCHED)
        with open(log_path, 'w') as log:
            words = [program(), '--ros-args', *arguments(parameters), *more]
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

    def until_time(self, name, moment):
        self.until(lambda: self.now(name) >= moment, f'{moment:.1f} s')

    def count(self, key):
        self.until(lambda: self.status, 'status')
        return float({pair.key: pair.value for pair in self.status[-1].status[0].values}[key])

    def track(self, name):
        return [(seconds(m.header.stamp), m.pose.pose.position.x, m.pose.pose.position.y) for m in self.odom[name]]

    def send(self, name, points, frame='map'):
        """points: (seconds, x, y)"""
        self.until(lambda: self.paths[name].get_subscription_count() > 0, 'the simulator to listen')
        path = Path()
        path.header.frame_id = frame
        for when, x, y in points:
            pose = PoseStamped()
            pose.header.frame_id = frame
            pose.header.stamp = Time(nanoseconds=round(when * 1e9)).to_msg()
            pose.pose.position.x, pose.pose.position.y = x, y
            pose.pose.orientation.w = 1.0
            path.poses.append(pose)
        self.paths[name].publish(path)

    def close(self):
        if not self.context.ok():
            return
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        self.executor.shutdown()
        self.node.destroy_node()
        rclpy.shutdown(context=self.context)


@pytest.fixture
def start(tmp_path):
    sims = []

    def begin(parameters, names=(), **options):
        sims.append(Sim(tmp_path / f'sim{len(sims)}.log', parameters, names, **options))
        return sims[-1]

    yield begin
    for sim in sims:
        sim.close()


def alone(start, **more):
    """One robot on an open floor of 10 by 6 metres that waits for paths."""
    sim = start({'robots': '[a]', 'map': 'open:20x12', 'goals': 'none', **FAST, **more}, ['a'])
    sim.until(lambda: sim.paths['a'].get_subscription_count() > 0, 'the simulator to listen')
    return sim


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


# ---- what it publishes

def test_the_map_is_latched_and_at_its_own_resolution(start):
    sim = start({'robots': 3, 'map': 'warehouse:41x21,seed=1', 'cell_size': 0.5, 'map_resolution': 0.25})
    sim.until(lambda: sim.node.get_publishers_info_by_topic('/map'), 'the map')
    qos = sim.node.get_publishers_info_by_topic('/map')[0].qos_profile
    assert qos.durability == DurabilityPolicy.TRANSIENT_LOCAL
    assert qos.reliability == ReliabilityPolicy.RELIABLE
    maps = []
    sim.node.create_subscription(OccupancyGrid, 'map', maps.append, LATCHED)  # late, and still served
    sim.until(lambda: maps, 'the map')
    grid = maps[0]
    assert (grid.info.width, grid.info.height) == (82, 42)
    assert grid.info.resolution == pytest.approx(0.25)
    assert grid.header.frame_id == 'map'
    assert len(grid.data) == 82 * 42
    assert set(grid.data) == {0, 100}
    for y in range(0, 42, 2):  # a cell of the line is four cells of the map
        for x in range(0, 82, 2):
            assert len({grid.data[(y + j) * 82 + x + i] for i in (0, 1) for j in (0, 1)}) == 1


def test_a_map_file_is_read_with_its_first_line_at_the_bottom(start, tmp_path):
    file = tmp_path / 'hall.map'
    file.write_text('type octile\nheight 2\nwidth 4\nmap\n.@@.\n....\n')
    sim = start({'robots': 2, 'map': file})
    maps = []
    sim.node.create_subscription(OccupancyGrid, 'map', maps.append, LATCHED)
    sim.until(lambda: maps, 'the map')
    assert (maps[0].info.width, maps[0].info.height) == (4, 2)
    assert list(maps[0].data) == [0, 100, 100, 0, 0, 0, 0, 0]


def test_odometry_is_best_effort_in_the_map_frame(start):
    names = ['north', 'south']
    sim = start({'robots': '[north,south]', 'map': 'open:12x12', 'odom_rate': 10.0, **FAST}, names)
    sim.until(lambda: all(len(sim.odom[name]) > 20 for name in names), 'odometry')
    qos = sim.node.get_publishers_info_by_topic('/north/odom')[0].qos_profile
    assert qos.reliability == ReliabilityPolicy.BEST_EFFORT
    message = sim.odom['south'][0]
    assert message.header.frame_id == 'map'
    assert message.child_frame_id == 'south/base_link'
    assert sim.pose('north') != sim.pose('south')
    times = [t for t, _, _ in sim.track('north')]
    steps = {round(b - a, 3) for a, b in zip(times, times[1:])}
    assert steps == {0.1}  # ten per simulated second


def test_goals_and_paths_have_the_contract_s_qos(start):
    sim = start({'robots': '[a]', 'map': 'open:12x12', **FAST}, ['a'])

    def of_sim(infos):
        return [info.qos_profile for info in infos if info.node_name == 'fleet_sim']

    def goal_writers():
        return of_sim(sim.node.get_publishers_info_by_topic('/a/goal_pose'))

    def path_readers():
        return of_sim(sim.node.get_subscriptions_info_by_topic('/a/timed_path'))

    sim.until(lambda: goal_writers() and path_readers(), 'the endpoints')
    goal, path = goal_writers()[0], path_readers()[0]
    assert goal.reliability == ReliabilityPolicy.RELIABLE
    assert path.reliability == ReliabilityPolicy.RELIABLE
    assert path.durability == DurabilityPolicy.TRANSIENT_LOCAL


def test_the_clock_advances_and_the_run_ends_after_its_duration(start, tmp_path):
    sim = start({'robots': 2, 'map': 'open:12x12', 'duration': 20.0, **FAST})
    clocks = []
    sim.node.create_subscription(Clock, '/clock', lambda m: clocks.append(seconds(m.clock)), qos_profile_sensor_data)
    sim.until(lambda: clocks and clocks[-1] > 10.0, 'ten simulated seconds')
    assert clocks == sorted(clocks)
    assert len(set(clocks)) == len(clocks)
    assert seconds(sim.status[-1].header.stamp) == pytest.approx(sim.count('seconds'), abs=0.03)  # it starts at 0
    assert sim.ended() == 0
    assert re.search(r'ended after 20 s: 0 goals reached, 0\.0 per minute, 0 overlaps', sim.log())


def test_without_its_own_clock_it_runs_in_system_time(start):
    sim = start({'robots': '[a]', 'map': 'open:12x12', 'duration': 2.0}, ['a'])
    before = time.time()
    stamp = sim.now('a')
    assert before - 30 < stamp < time.time() + 1
    assert '/clock' not in dict(sim.node.get_topic_names_and_types())
    assert sim.ended() == 0


# ---- how robots drive

def test_a_path_is_followed_by_its_stamps_and_waits(start):
    sim = alone(start)
    x, y = sim.pose('a')
    dx, dy = inward(x, 10), inward(y, 6)
    begin = sim.now('a') + 3.0
    points = [
        (begin, x, y), (begin + 2, x + dx, y), (begin + 5, x + dx, y), (begin + 7, x + dx, y + dy),
        (begin + 8, x + 1.5 * dx, y + dy)]
    sim.send('a', points)
    sim.until_time('a', begin + 10)
    samples = sim.track('a')
    assert any(begin + 2 < t < begin + 5 for t, _, _ in samples)
    for t, px, py in samples:
        assert (px, py) == pytest.approx(where(points, t), abs=1e-3), f'at {t - begin:.2f} s of the path'
    # It looks where it goes, and while it waits where the path says.
    headings = {round(seconds(m.header.stamp) - begin, 2): 2 * math.atan2(
        m.pose.pose.orientation.z, m.pose.pose.orientation.w) for m in sim.odom['a']}
    driving_y = [yaw for t, yaw in headings.items() if 5.2 < t < 6.8]
    assert driving_y and all(math.sin(yaw) == pytest.approx(dy, abs=1e-3) for yaw in driving_y)


def test_a_late_robot_stays_on_its_path_and_within_its_speed(start):
    sim = alone(start, max_speed=0.5)
    x, y = sim.pose('a')
    dx, dy = inward(x, 10), inward(y, 6)
    begin = sim.now('a') + 2.0
    points = [
        (begin, x, y), (begin + 1, x + 2 * dx, y), (begin + 2, x + 2 * dx, y + 2 * dy), (begin + 4, x + 2 * dx, y)]
    sim.send('a', points)
    sim.until_time('a', begin + 14)
    samples = sim.track('a')
    assert max(off_line(points, px, py) for _, px, py in samples) < 1e-3
    assert fastest(samples) < 0.5 + 1e-3
    assert max(abs(py - y) for _, _, py in samples) > 1.99  # it has been round the corner, all the way
    assert samples[-1][1:] == pytest.approx(points[-1][1:], abs=1e-3)
    assert sim.count('late_max_seconds') > 5


def test_a_new_path_takes_over_at_its_first_stamp(start):
    sim = alone(start)
    x, y = sim.pose('a')
    dx, dy = inward(x, 10), inward(y, 6)
    begin = sim.now('a') + 2.0
    old = [(begin, x, y), (begin + 8, x + 4 * dx, y)]
    new = [(begin + 4, x + 2 * dx, y), (begin + 6, x + 2 * dx, y + dy)]
    sim.send('a', old)
    sim.until_time('a', begin + 1)
    sim.send('a', new)
    sim.until_time('a', begin + 8)
    for t, px, py in sim.track('a'):
        assert (px, py) == pytest.approx(where(old if t < begin + 4 else new, t), abs=1e-3), f'at {t - begin:.2f} s'


def test_a_path_that_begins_in_the_past_and_contains_the_present_changes_nothing_till_it_parts(start):
    sim = alone(start)
    x, y = sim.pose('a')
    dx, dy = inward(x, 10), inward(y, 6)
    begin = sim.now('a') + 2.0
    sim.send('a', [(begin, x, y), (begin + 8, x + 4 * dx, y)])
    sim.until_time('a', begin + 1.5)
    new = [(begin, x, y), (begin + 6, x + 3 * dx, y), (begin + 8, x + 3 * dx, y + dy)]
    sim.send('a', new)
    sim.until_time('a', begin + 9)
    for t, px, py in sim.track('a'):
        assert (px, py) == pytest.approx(where(new, t), abs=1e-3), f'at {t - begin:.2f} s'


def test_a_late_robot_comes_to_the_new_path_along_the_old_one(start):
    sim = alone(start, max_speed=0.2)
    x, y = sim.pose('a')
    dx, dy = inward(x, 10), inward(y, 6)
    begin = sim.now('a') + 2.0
    old = [(begin, x, y), (begin + 2, x + dx, y), (begin + 4, x + dx, y + dy)]
    new = [(begin + 4, x + dx, y + dy), (begin + 6, x + 2 * dx, y + dy)]
    sim.send('a', old)
    sim.until_time('a', begin + 1)
    sim.send('a', new)
    sim.until_time('a', begin + 18)
    samples = sim.track('a')
    assert max(min(off_line(old, px, py), off_line(new, px, py)) for _, px, py in samples) < 1e-3
    assert fastest(samples) < 0.2 + 1e-3
    assert samples[-1][1:] == pytest.approx(new[-1][1:], abs=1e-3)


def test_a_late_robot_whose_new_path_begins_where_it_is_does_not_go_on_first(start):
    sim = alone(start, max_speed=0.25)
    x, y = sim.pose('a')
    dx, dy = inward(x, 10), inward(y, 6)
    begin = sim.now('a') + 2.0
    sim.send('a', [(begin, x, y), (begin + 1, x + 2 * dx, y)])
    sim.until_time('a', begin + 1)
    middle = sim.pose('a')[0]
    moment = sim.now('a')
    new = [(moment + 0.1, middle, y), (moment + 6, middle, y + dy)]
    sim.send('a', new)
    sim.until_time('a', moment + 12)
    samples = sim.track('a')
    assert fastest(samples) < 0.25 + 1e-3
    assert max(abs(px - middle) for t, px, _ in samples if t > moment) < 0.3  # what it drove until the path was there
    assert samples[-1][1:] == pytest.approx(new[-1][1:], abs=1e-3)


def test_a_path_that_comes_after_its_turn_is_reached_back_along_the_old_one(start):
    sim = alone(start)
    x, y = sim.pose('a')
    dx, dy = inward(x, 10), inward(y, 6)
    begin = sim.now('a') + 2.0
    old = [(begin, x, y), (begin + 2, x + dx, y), (begin + 4, x + dx, y + dy), (begin + 6, x, y + dy)]
    new = [(begin + 1, x + 0.5 * dx, y), (begin + 2, x + dx, y), (begin + 4, x + 2 * dx, y)]
    sim.send('a', old)
    sim.until_time('a', begin + 6)
    sim.send('a', new)
    sim.until_time('a', begin + 14)
    samples = sim.track('a')
    assert max(abs(py - y) for _, _, py in samples) > 0.99  # it had been round the corner
    assert max(min(off_line(old, px, py), off_line(new, px, py)) for _, px, py in samples) < 1e-3
    assert fastest(samples) < 1.0 + 1e-3
    assert samples[-1][1:] == pytest.approx(new[-1][1:], abs=1e-3)


def test_an_empty_path_stops_the_robot_where_it_is(start):
    sim = alone(start)
    x, y = sim.pose('a')
    begin = sim.now('a') + 1.0
    sim.send('a', [(begin, x, y), (begin + 20, x + 4 * inward(x, 10), y)])
    sim.until_time('a', begin + 2)
    sim.send('a', [])
    sim.until(lambda: sim.odom['a'][-1].twist.twist.linear.x == 0.0, 'the robot to stop')
    stopped, moment = sim.pose('a'), sim.now('a')
    sim.until_time('a', moment + 3)
    assert sim.pose('a') == pytest.approx(stopped, abs=1e-6)
    assert 0.05 < abs(stopped[0] - x) < 3.9


def test_turning_takes_time_where_it_is_limited(start):
    sim = alone(start, max_turn_rate=0.5)
    x, y = sim.pose('a')
    dy = inward(y, 6)
    begin = sim.now('a') + 2.0
    points = [(begin, x, y), (begin + 1, x, y + 0.5 * dy)]
    sim.send('a', points)
    sim.until_time('a', begin + 8)
    turned = [seconds(m.header.stamp) for m in sim.odom['a'] if abs(m.twist.twist.angular.z) > 0.01]
    moved = [t for t, _, py in sim.track('a') if abs(py - y) > 1e-3]
    assert max(abs(m.twist.twist.angular.z) for m in sim.odom['a']) < 0.5 + 1e-3
    assert turned[-1] - turned[0] > 2.5  # a quarter turn is 3.1 s
    assert moved[0] > turned[0] + 2.5
    assert sim.pose('a') == pytest.approx(points[-1][1:], abs=1e-3)


@pytest.mark.parametrize('spoil, reason', [
    (lambda t, x, y: [(t, math.nan, y)], 'not a number'),
    (lambda t, x, y: [(t + 1, x, y), (t, x + 1, y)], 'do not rise'),
    (None, 'frame'),
])
def test_a_path_that_makes_no_sense_is_refused_and_the_next_one_driven(start, spoil, reason):
    sim = alone(start)
    x, y = sim.pose('a')
    dx = inward(x, 10)
    begin = sim.now('a') + 1.0
    if spoil:
        sim.send('a', spoil(begin, x, y))
    else:
        sim.send('a', [(begin, x, y), (begin + 1, x + dx, y)], frame='moon')
    sim.until(lambda: re.search(f'path of a refused: .*{reason}', sim.log()), 'a refusal')
    assert sim.pose('a') == pytest.approx((x, y), abs=1e-6)
    begin = sim.now('a') + 1.0
    sim.send('a', [(begin, x, y), (begin + 1, x + dx, y)])
    sim.until(lambda: abs(sim.pose('a')[0] - x - dx) < 1e-3, 'the good path to be driven')


# ---- what it counts

def test_overlapping_discs_are_counted_once_per_meeting(start, tmp_path):
    record = tmp_path / 'run.txt'
    names = ['a', 'b']
    sim = start({'robots': '[a,b]', 'map': 'open:20x12', 'goals': 'none', 'max_speed': 20.0,
                 'record': record, **FAST}, names)
    places = {name: sim.pose(name) for name in names}
    assert sim.count('overlaps') == 0
    begin = sim.now('a') + 2.0
    (x, y), (u, v) = places['a'], places['b']
    sim.send('a', [(begin, x, y), (begin + 1, u, v), (begin + 4, u, v), (begin + 5, x, y), (begin + 6, x, y),
                   (begin + 7, u, v), (begin + 99, u, v)])
    sim.until_time('a', begin + 3)
    sim.until(lambda: sim.count('overlaps') == 1, 'an overlap')
    sim.until_time('a', begin + 8)
    sim.until(lambda: sim.count('overlaps') == 2, 'a second overlap')
    sim.process.send_signal(signal.SIGINT)
    assert sim.ended() == 0
    overlaps = [line.split() for line in record.read_text().splitlines() if line.startswith('o ')]
    assert [words[2:] for words in overlaps] == [['0', '1'], ['0', '1']]
    assert float(overlaps[0][1]) < float(overlaps[1][1])
    assert 'a and b overlap' in sim.log()


def test_arrival_gives_a_new_goal_and_goals_are_never_shared(start, tmp_path):
    names = [f'robot_{i}' for i in range(4)]
    record = tmp_path / 'run.txt'
    sim = start({'robots': 4, 'map': 'open:4x3', 'max_speed': 5.0, 'record': record, **FAST}, names)
    answered = {name: 0 for name in names}

    def drive():
        for name in names:
            if len(sim.goals[name]) > answered[name]:
                answered[name] = len(sim.goals[name])
                position = sim.goals[name][-1].pose.position
                now = sim.now(name)
                sim.send(name, [(now + 0.1, *sim.pose(name)), (now + 1.0, position.x, position.y)])
        return min(answered.values()) >= 8

    sim.until(drive, 'eight goals for each robot')
    assert sim.count('goals_reached') >= 4
    assert sim.count('goals_per_minute') > 0
    sim.process.send_signal(signal.SIGINT)
    assert sim.ended() == 0
    # Twelve cells and four robots: two goals would soon be one if nobody looked.
    current = {}
    events = [line.split() for line in record.read_text().splitlines() if line[:2] in ('g ', 'a ')]
    for kind, _, robot, *goal in events:
        if kind == 'g':
            assert goal not in current.values()
            current[robot] = goal
    arrivals = [i for i, words in enumerate(events) if words[0] == 'a']
    assert len(arrivals) >= 28
    for i in arrivals:
        assert events[i + 1][0] == 'g' and events[i + 1][2] == events[i][2]  # a new goal at once, for whom arrived
    for name, messages in sim.goals.items():
        for message in messages:
            assert message.header.frame_id == 'map'
            assert 0 < message.pose.position.x < 2 and 0 < message.pose.position.y < 1.5


def test_the_same_seed_gives_the_same_starts_and_goals(start):
    names = [f'robot_{i}' for i in range(3)]
    seen = []
    for seed in (7, 7, 8):
        sim = start({'robots': 3, 'map': 'open:30x30', 'seed': seed, **FAST}, names)
        sim.until(lambda: all(sim.goals[name] for name in names), 'goals')
        seen.append([(sim.pose(name), sim.goals[name][0].pose.position.x) for name in names])
        sim.close()
    assert seen[0] == seen[1]
    assert seen[0] != seen[2]


def test_a_user_s_own_goals_are_noticed_and_counted(start, tmp_path):
    record = tmp_path / 'run.txt'
    sim = alone(start, record=record)
    x, y = sim.pose('a')
    goal = PoseStamped()
    goal.header.frame_id = 'map'
    goal.pose.position.x, goal.pose.position.y = x + inward(x, 10), y
    sim.until(lambda: sim.goal_out['a'].get_subscription_count() > 1, 'the simulator to listen')
    sim.goal_out['a'].publish(goal)
    begin = sim.now('a') + 1.0
    sim.send('a', [(begin, x, y), (begin + 2, goal.pose.position.x, y)])
    sim.until(lambda: sim.count('goals_reached') == 1, 'the arrival')
    sim.process.send_signal(signal.SIGTERM)
    assert sim.ended() == 0
    lines = record.read_text().splitlines()
    assert len([line for line in lines if line.startswith('g ')]) == 1
    assert len([line for line in lines if line.startswith('a ')]) == 1


def test_the_record_is_well_formed(start, tmp_path):
    record = tmp_path / 'run.txt'
    names = [f'robot_{i}' for i in range(3)]
    sim = start({
        'robots': 3, 'map': 'warehouse:25x11,seed=1', 'record': record, 'duration': 20.0, **FAST}, names)
    sim.until(lambda: sim.goals['robot_1'], 'a goal')
    goal = sim.goals['robot_1'][0].pose.position
    now = sim.now('robot_1')
    sim.send('robot_1', [(now + 1, *sim.pose('robot_1')), (now + 4, goal.x, goal.y)])
    assert sim.ended() == 0
    lines = record.read_text().splitlines()
    assert lines[:5] == ['fleetweave_run=1', 'robots=3', 'resolution=0.5', 'radius=0.2', 'size=25x11']
    assert lines[5] == 'grid='
    grid = lines[6:17]
    assert all(len(row) == 25 and set(row) <= {'.', '@'} for row in grid)
    assert any('@' in row for row in grid)
    assert lines[17] == 'poses='
    last = 0.0
    kinds = []
    pose = r'\d+:-?\d+\.\d+,-?\d+\.\d+,-?\d+\.\d+'
    for line in lines[18:]:
        assert re.fullmatch(
            rf'p \d+\.\d+( {pose})+|g \d+\.\d+ \d \d+\.\d+,\d+\.\d+|a \d+\.\d+ \d|o \d+\.\d+ \d \d', line), line
        kinds.append(line[0])
        assert float(line.split()[1]) >= last
        last = float(line.split()[1])
    first = lines[18].split()
    assert first[0] == 'p' and [word.split(':')[0] for word in first[2:]] == ['0', '1', '2']
    for word in first[2:]:  # robots begin on free cells
        x, y, _ = (float(number) for number in word.split(':')[1].split(','))
        assert grid[int(y / 0.5)][int(x / 0.5)] == '.'
    assert kinds.count('g') >= 4 and kinds.count('a') >= 1
    moved = [line for line in lines[19:] if line.startswith('p ')]
    assert moved and all(re.fullmatch(rf'p \S+ 1:\S+', line) for line in moved)  # only who moved


# ---- start and end

@pytest.mark.parametrize('number', [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_it_cleanly(start, number):
    sim = start({'robots': '[a]', 'map': 'open:12x12'}, ['a'])
    sim.pose('a')
    sim.process.send_signal(number)
    assert sim.ended() == 0
    assert 'ended after' in sim.log()


@pytest.mark.parametrize('name, value, words', [
    ('robots', 0, 'robots must be'),
    ('robots', '[a,a]', 'a stands there twice'),
    ('robots', "['bad name']", 'bad name'),
    ('robots', 200, '200 robots do not fit'),
    ('map', 'castle:10x10', 'castle'),
    ('map', 'no/such/file.map', 'no/such/file.map'),
    ('cell_size', 0.0, 'cell_size must be'),
    ('map_resolution', 0.3, 'must divide cell_size'),
    ('max_speed', 'fast', 'max_speed must be a number'),
    ('max_speed', '.nan', 'max_speed must be a number'),
    ('odom_rate', 1000, 'odom_rate must be'),
    ('goals', 'perhaps', 'goals must be random or none'),
    ('publish_clock', 3, 'publish_clock must be true or false'),
    ('rate_factor', 5.0, 'rate_factor needs publish_clock'),
    ('seed', 1.5, 'seed must be an integer'),
    ('duration', -1.0, 'duration must be'),
    ('record', '/no/such/folder/run.txt', '/no/such/folder/run.txt'),
])
def test_a_bad_parameter_is_named_and_ends_it(name, value, words):
    words_given = arguments({'map': 'open:12x12', 'duration': 0.1, name: value})
    done = subprocess.run(
        [program(), '--ros-args', *words_given], stderr=subprocess.PIPE, text=True, timeout=30)
    assert done.returncode != 0
    assert words in done.stderr


def test_parameters_from_files_with_wildcards_in_a_namespace(start, tmp_path):
    file = tmp_path / 'parameters.yaml'
    file.write_text(
        '/**:\n  ros__parameters:\n    robots: [one, two]\n    map: "open:12x12"\n    speed: 3.0\n'
        '/**/fleet_sim:\n  ros__parameters:\n    publish_clock: true\n'
        '/other/fleet_sim:\n  ros__parameters:\n    robots: 0\n'
        '/*/fleet_sim:\n  ros__parameters:\n    cell_size: 1.0\n')
    sim = start({}, ['one', 'two'], more=['-r', '__ns:=/site', '--params-file', str(file)], namespace='/site')
    sim.until(lambda: sim.odom['one'] and sim.odom['two'], 'odometry in the namespace')
    assert sim.now('one') < 1000  # its own clock
    sim.until(lambda: '12 x 12 cells of 1 m' in sim.log(), 'the line about the map')
    sim.until(lambda: sim.status, 'status in the namespace')
    log = []
    sim.node.create_subscription(Log, '/rosout', log.append, QoSProfile(
        depth=1000, durability=DurabilityPolicy.TRANSIENT_LOCAL))
    sim.until(lambda: any(m.name == 'site.fleet_sim' and '2 robots on' in m.msg for m in log), 'its log on /rosout')


def test_help_lists_the_parameters():
    done = subprocess.run([program(), '--help'], stdout=subprocess.PIPE, text=True, timeout=30)
    assert done.returncode == 0
    for name in ('robots', 'map', 'max_speed', 'goals', 'duration', 'record'):
        assert f'  {name} ' in done.stdout


def test_the_parameter_file_shows_every_parameter_with_its_initial_value():
    yaml = pytest.importorskip('yaml')
    top = FilePath(os.environ.get('FLEETWEAVE_SOURCE_DIR', FilePath(__file__).resolve().parents[2]))
    shown = yaml.safe_load((top / 'config' / 'fleet_sim.yaml').read_text())['/**/fleet_sim']['ros__parameters']
    done = subprocess.run([program(), '--help'], stdout=subprocess.PIPE, text=True, timeout=30)
    table = done.stdout.split('Parameters', 1)[1]
    listed = {m[1]: yaml.safe_load(m[2]) for m in re.finditer(r'^  (\w+) .* \[(.*)\]$', table, re.M)}
    del listed['use_sim_time']
    assert shown == listed
