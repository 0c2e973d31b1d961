"""path_follower: one robot by hand, and a fleet with planner and simulator in a real graph."""
import math
import os
import signal
import subprocess
import time

import pytest
from fleet import Fleet
from geometry_msgs.msg import TransformStamped, Twist, TwistStamped
from graph import LATCHED, pose_stamped
from nav_msgs.msg import Odometry, Path
from rclpy.qos import qos_profile_sensor_data
from tf2_msgs.msg import TFMessage


def program():
    path = os.environ.get('FLEETWEAVE_PATH_FOLLOWER', '')
    if not path:
        pytest.skip('FLEETWEAVE_PATH_FOLLOWER does not name a program')
    return path


def words(parameters):
    return [word for name, value in parameters.items() for word in ('-p', f'{name}:={value}')]


class Hand:
    """The other side of a follower for one robot: poses out, commands in, and what it does with them.

    With `tf` the poses come as map -> odom -> base_link, the first of which is a quarter turn and some metres.
    """

    def __init__(self, graph, prefix='a/', stamped=False, tf='', **parameters):
        self.graph, self.commands, self.stamped = graph, [], stamped
        self.x = self.y = self.yaw = 0.0
        self.frame, self.is_silent, self.lag = 'map', False, 0.0
        self.twist = Twist()
        node = graph.node
        self.odom = node.create_publisher(Odometry, f'{prefix}odom', qos_profile_sensor_data)
        self.path = node.create_publisher(Path, f'{prefix}released_path', LATCHED)
        node.create_subscription(TwistStamped if stamped else Twist, f'{prefix}cmd_vel', self.on_command, 100)
        self.transforms = node.create_publisher(TFMessage, tf, 100) if tf else None
        self.frames = [f'{prefix}odom', f'{prefix}base_link'] if tf == '/tf' else ['odom', 'base_link']
        source = 'tf' if tf else 'odom'
        graph.launch([program(), '--ros-args', *words({'robots': '[a]', 'pose_source': source, **parameters})])
        self.last = time.monotonic()

    def on_command(self, message):
        self.commands.append(message)
        self.twist = message.twist if self.stamped else message

    def turn(self):
        """A robot that does what it is told, at 50 Hz; its time stands still while this process is not run."""
        now = time.monotonic()
        if now - self.last < 0.02:
            return
        step, self.last = min(now - self.last, 0.04), now
        self.yaw += self.twist.angular.z * step
        self.x += self.twist.linear.x * step * math.cos(self.yaw) - self.twist.linear.y * step * math.sin(self.yaw)
        self.y += self.twist.linear.x * step * math.sin(self.yaw) + self.twist.linear.y * step * math.cos(self.yaw)
        if self.transforms:
            self.send_transforms()
        elif not self.is_silent:
            message = Odometry()
            message.header.frame_id = self.frame
            stamp = self.graph.now_ns() - int(self.lag * 1e9)
            message.header.stamp.sec, message.header.stamp.nanosec = divmod(stamp, 10**9)
            message.pose.pose.position.x, message.pose.pose.position.y = self.x, self.y
            message.pose.pose.orientation.z = math.sin(self.yaw / 2)
            message.pose.pose.orientation.w = math.cos(self.yaw / 2)
            self.odom.publish(message)

    def send_transforms(self):
        stamp = self.graph.now_ns() - int(self.lag * 1e9)
        links = [(self.frame, self.frames[0], 3.0, 5.0, math.pi / 2)]  # a pose (x, y) is (y - 5, 3 - x) in its odometry
        if not self.is_silent:
            links.append((self.frames[0], self.frames[1], self.y - 5.0, 3.0 - self.x, self.yaw - math.pi / 2))
        message = TFMessage()
        for parent, child, x, y, yaw in links:
            link = TransformStamped(child_frame_id=child)
            link.header.frame_id = parent
            link.header.stamp.sec, link.header.stamp.nanosec = divmod(stamp, 10**9)
            link.transform.translation.x, link.transform.translation.y = x, y
            link.transform.rotation.z, link.transform.rotation.w = math.sin(yaw / 2), math.cos(yaw / 2)
            message.transforms.append(link)
        self.transforms.publish(message)

    def until(self, condition, what, bound=120):
        def turned():
            self.turn()
            return condition()
        self.graph.until(turned, what, bound)

    def wait(self, seconds):
        end = time.monotonic() + seconds
        self.until(lambda: time.monotonic() > end, 'time')

    def release(self, *points, frame='map'):
        path = Path()
        path.header.frame_id = frame
        yaw = 0.0
        for k, (x, y) in enumerate(points):
            if k > 0 and math.isfinite(x + y):  # on its last pose a robot looks the way it came
                yaw = math.atan2(y - points[k - 1][1], x - points[k - 1][0])
            path.poses.append(pose_stamped(x, y, frame, yaw))
        self.path.publish(path)

    def is_told_to_stand(self):
        twist = self.twist
        return bool(self.commands) and twist.linear.x == 0 and twist.linear.y == 0 and twist.angular.z == 0

    def is_near(self, x, y, within=0.06):
        return math.dist((self.x, self.y), (x, y)) < within

    def arrives(self, x, y):
        self.until(lambda: self.is_near(x, y) and self.is_told_to_stand(), f'({x}, {y}), not ({self.x}, {self.y})')


def test_it_drives_to_the_end_of_a_release_and_on_when_it_grows(graph):
    hand = Hand(graph, speed=0.8)
    hand.release((0, 0), (0.5, 0), (1, 0))
    hand.arrives(1, 0)
    assert max(c.linear.x for c in hand.commands) <= 0.8 + 1e-9
    hand.release((1, 0), (1, 0.5), (1, 1))
    hand.arrives(1, 1)
    hand.wait(0.3)
    assert hand.is_near(1, 1) and hand.is_told_to_stand(), 'and it stays there'


def test_a_release_that_grows_in_time_does_not_slow_it_down(graph):
    hand = Hand(graph, speed=0.6, acceleration=2.0, odom_timeout=10.0)
    hand.release((0, 0), (0.5, 0), (1, 0), (1.5, 0))
    hand.until(lambda: hand.x > 0.6, 'one on its way')
    begin = len(hand.commands)
    hand.release((0.5, 0), (1, 0), (1.5, 0), (2, 0), (2.5, 0), (3, 0))
    hand.until(lambda: hand.x > 2.0, 'one that goes on')
    assert min(c.linear.x for c in hand.commands[begin:]) > 0.55
    hand.arrives(3, 0)


def test_commands_can_be_stamped(graph):
    hand = Hand(graph, stamped=True, stamped_commands='true')
    hand.release((0, 0), (0, 1))
    hand.arrives(0, 1)
    assert hand.commands[-1].header.frame_id == 'a/base_link'
    assert abs(hand.commands[-1].header.stamp.sec - time.time()) < 20


def test_without_robots_it_drives_the_one_whose_namespace_it_is_in(graph):
    hand = Hand(graph, prefix='', robots='[]')
    hand.release((0, 0), (1, 0))
    hand.arrives(1, 0)


def test_silence_stops_it_and_a_word_moves_it_on(graph):
    hand = Hand(graph, odom_timeout=0.3)
    hand.release((0, 0), (5, 0))
    hand.until(lambda: hand.twist.linear.x > 0.3, 'one on its way')
    hand.is_silent = True
    hand.until(hand.is_told_to_stand, 'a stop')
    count = len(hand.commands)
    hand.until(lambda: len(hand.commands) > count + 2, 'that it is said again')
    assert hand.is_told_to_stand()
    hand.is_silent = False
    hand.arrives(5, 0)


def test_old_odometry_is_silence_and_somewhat_old_is_allowed_for(graph):
    hand = Hand(graph, odom_timeout=0.5)
    hand.lag = 0.15
    hand.release((0, 0), (1, 0))
    hand.arrives(1, 0)
    hand.lag = 2.0
    count = len(hand.commands)
    hand.release((1, 0), (2, 0))
    hand.until(lambda: len(hand.commands) > count + 2, 'more commands')
    hand.wait(0.5)
    assert hand.is_told_to_stand() and hand.is_near(1, 0)


def test_each_reason_to_drop_a_pose_is_in_the_log_and_not_for_each_pose(graph):
    hand = Hand(graph)
    hand.lag = 2.0
    hand.until(lambda: 's old, more than odom_timeout (0.5 s)' in graph.output(), 'a word of old poses')
    hand.lag, hand.x = 0.0, math.nan
    hand.until(lambda: 'pose of a dropped: it is not finite' in graph.output(), 'a word of strange poses')
    hand.wait(1.0)
    assert graph.output().count('pose of a dropped') < 30, 'of about 50 a second'
    assert hand.commands == []


def test_poses_come_from_tf(graph):
    hand = Hand(graph, tf='/tf')
    hand.release((0, 0), (1, 0), (1, 1))
    hand.arrives(1, 1)
    assert abs(math.remainder(hand.yaw - math.pi / 2, 2 * math.pi)) < 0.06
    hand.release((1, 1), (1, 5))
    hand.until(lambda: hand.twist.linear.x > 0.2, 'one on its way')
    hand.is_silent = True
    hand.until(hand.is_told_to_stand, 'a stop')
    hand.until(lambda: 'no pose of a: ' in graph.output(), 'and why')
    assert "'a/base_link'" in graph.output().split('no pose of a: ')[1].splitlines()[0]
    hand.is_silent = False
    hand.arrives(1, 5)


def test_a_robot_can_have_a_tf_topic_of_its_own(graph):
    hand = Hand(graph, tf='a/tf', tf_topic="'{robot}/tf'", base_frame='base_link')
    hand.release((0, 0), (1, 0))
    hand.arrives(1, 0)


def test_a_missing_link_is_named(graph):
    hand = Hand(graph, tf='/tf', odom_timeout=0.3)
    hand.frame = 'moon'
    hand.until(lambda: 'no pose of a: ' in graph.output(), 'a word of it')
    assert 'no pose of a: no transform from map to moon' in graph.output()
    hand.frame = 'map'
    hand.release((0, 0), (1, 0))
    hand.arrives(1, 0)


def test_a_holonomic_robot_goes_sideways(graph):
    hand = Hand(graph, holonomic='true')
    path = Path()
    path.header.frame_id = 'map'
    path.poses = [pose_stamped(x, y, 'map', yaw) for x, y, yaw in ((0, 0, 0.0), (0, 1, 0.0), (1, 1, 0.0), (1, 1, 1.0))]
    hand.path.publish(path)
    hand.until(lambda: hand.y > 0.5, 'one on its way')
    assert abs(hand.yaw) < 0.02 and hand.twist.linear.y > 0.3
    hand.arrives(1, 1)
    hand.until(lambda: abs(hand.yaw - 1.0) < 0.06 and hand.is_told_to_stand(), 'its final yaw')


def test_what_makes_no_sense_is_refused_and_the_last_path_stays_in_force(graph):
    hand = Hand(graph)
    hand.release((0, 0), (1, 0))
    hand.until(lambda: hand.twist.linear.x > 0.1, 'one on its way')
    hand.release((0, 0), (0, 5), frame='moon')
    hand.until(lambda: graph.output().count('refused') == 1, 'the first refusal')  # only the last path is kept for it
    hand.release((0, 0), (math.nan, 5))
    hand.arrives(1, 0)
    assert graph.output().count('refused') == 2
    hand.frame = 'moon'  # odometry in another frame is as good as none
    hand.until(lambda: 'its poses have ceased' in graph.output(), 'a word of it')
    assert "odometry of a dropped: its frame is 'moon', not map_frame 'map'" in graph.output()


def test_an_empty_path_means_stay(graph):
    hand = Hand(graph)
    hand.release((0, 0), (5, 0))
    hand.until(lambda: hand.twist.linear.x > 0.3, 'one on its way')
    hand.release()
    hand.until(hand.is_told_to_stand, 'a stop')
    assert hand.x < 3


def test_a_robot_that_is_not_where_its_path_is_does_not_move(graph):
    hand = Hand(graph, off_line_max=0.5)
    hand.x = 3.0
    hand.release((0, 0), (2, 0))
    hand.until(lambda: hand.is_told_to_stand(), 'an answer')
    hand.release((3, 0), (3, 1))
    hand.arrives(3, 1)
    hand.y = 4.0  # carried away
    hand.until(lambda: 'too far from its released path' in graph.output(), 'a word of it')
    hand.wait(0.3)
    assert hand.y == 4.0


def test_a_signal_ends_it_with_a_last_word_to_stop(graph):
    hand = Hand(graph)
    hand.release((0, 0), (5, 0))
    hand.until(lambda: hand.twist.linear.x > 0.3, 'one on its way')
    assert graph.stop(signal.SIGTERM) == 0
    graph.process = None
    hand.until(hand.is_told_to_stand, 'a last word')


@pytest.mark.parametrize('name, value', [
    ('speed', 0), ('speed', -1), ('lookahead', 0.0), ('corner', 4.0), ('odom_timeout', 'soon'), ('robots', -1),
    ('robots', '[a,a]'), ('stamped_commands', 3)])
def test_parameters_have_limits(name, value):
    done = subprocess.run([program(), '--ros-args', *words({name: value})], capture_output=True, text=True, timeout=30)
    assert done.returncode == 2
    assert f'[path_follower]: {name}' in done.stderr


def test_help_lists_every_parameter_of_the_file():
    yaml = pytest.importorskip('yaml')
    file = os.path.join(os.environ['FLEETWEAVE_SOURCE_DIR'], 'config', 'path_follower.yaml')
    with open(file) as stream:
        given = yaml.safe_load(stream)['/**/path_follower']['ros__parameters']
    text = subprocess.run([program(), '--help'], capture_output=True, text=True, timeout=30).stdout
    rows = {line.split()[0]: line for line in text.split('Parameters')[1].splitlines() if line.startswith('  ')}
    assert set(rows) == set(given)
    for name, value in given.items():
        initial = rows[name].rsplit(' [', 1)[1][:-1]
        expected = {True: 'true', False: 'false'}.get(value, value) if isinstance(value, bool) else value
        assert initial.strip('"') == (f'{expected:g}' if isinstance(expected, float) else str(expected)), name


# ---- a fleet

WHEELS = {
    'drive': 'cmd_vel', 'odom_rate': 20.0, 'max_speed': 1.0, 'max_turn_rate': 3.0, 'max_acceleration': 2.0,
    'max_turn_acceleration': 10.0, 'noise': 0.01, 'drive_error': 0.05, 'goal_tolerance': 0.1}


@pytest.fixture
def follow(tmp_path):
    started = []

    def begin(names, **parameters):
        log = open(tmp_path / 'follower.log', 'w')
        robots = '[' + ','.join(names) + ']'
        process = subprocess.Popen(
            [program(), '--ros-args', *words({'robots': robots, 'use_sim_time': 'true', **parameters})],
            stdout=log, stderr=log)
        started.append(process)
        return process

    yield begin
    for process in started:
        process.send_signal(signal.SIGINT)
        assert process.wait(timeout=20) == 0


def test_twenty_robots_reach_their_goals_by_wheels_without_an_overlap(graph, start, follow):
    names = [f'robot_{k}' for k in range(20)]
    follow(names)
    fleet = Fleet(graph, start, names, {'speed': 0.5}, {'map': 'warehouse:31x15,seed=1', **WHEELS}, rate=1.5)

    def goals(name):
        return {(g.pose.position.x, g.pose.position.y) for g in fleet.sim.goals[name]}
    # A new goal comes with each arrival: two are reached by whoever has got three.
    fleet.wait(lambda: all(len(goals(name)) >= 3 for name in names), 'two goals for everybody', bound=200)
    assert fleet.overlaps() == 0
    assert graph.process.poll() is None


def test_holonomic_robots_reach_their_goals(graph, start, follow):
    """They keep their yaw; to go to another row they go sideways."""
    names = [f'robot_{k}' for k in range(6)]
    follow(names, holonomic='true')
    fleet = Fleet(
        graph, start, names, {'speed': 0.5}, {'map': 'open:14x10', **WHEELS, 'holonomic': 'true'}, rate=1.5)
    fleet.reach(12, bound=200)
    assert fleet.overlaps() == 0
    assert any(abs(m.twist.twist.linear.y) > 0.2 for name in names for m in fleet.sim.odom[name])


def test_robots_that_look_ahead_only_turn_as_they_were_planned(graph, start, follow):
    """A bar of two cells among round ones: its footprint turns with it, and so must the robot."""
    names = ['robot_0', 'robot_1', 'robot_2']
    bodies = {'footprints': '["2x1","",""]', 'turn_ticks': '[2,2,2]'}
    follow(names)
    fleet = Fleet(
        graph, start, names, {'speed': 0.5}, {'map': 'open:14x10', **WHEELS, 'noise': 0.0}, bodies=bodies, rate=1.5)
    fleet.reach(6, bound=150)
    assert fleet.overlaps() == 0


def test_parameter_services_answer_and_a_start_error_is_one_line(graph):
    from rcl_interfaces.srv import GetParameters
    graph.launch([program(), '--ros-args', '-p', 'robots:=[a]'])
    answer = graph.call(
        GetParameters, 'get_parameters', GetParameters.Request(names=['robots', 'use_sim_time']), node='path_follower')
    assert answer.values[0].string_array_value == ['a'] and answer.values[1].bool_value is False
    done = subprocess.run(
        [program(), '--ros-args', '-p', 'tolerance:=-1.0'], stderr=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
        timeout=30)
    lines = (done.stdout + done.stderr).strip().splitlines()
    assert done.returncode == 2 and len(lines) == 1 and 'tolerance must be' in lines[0], lines
