"""The other side of the planner node: its process, and a rclpy node that is map server, robots and user in one."""
import bisect
import itertools
import math
import os
import signal
import subprocess
import tempfile
import time

import rclpy
from diagnostic_msgs.msg import DiagnosticArray
from geometry_msgs.msg import PoseStamped
from nav_msgs.msg import OccupancyGrid, Odometry, Path
from rclpy.executors import SingleThreadedExecutor
from rclpy.parameter import Parameter
from rclpy.qos import DurabilityPolicy, QoSProfile, qos_profile_sensor_data
from rosgraph_msgs.msg import Clock
from std_srvs.srv import Trigger

LATCHED = QoSProfile(depth=1, durability=DurabilityPolicy.TRANSIENT_LOCAL)
DEEP = QoSProfile(depth=100, durability=DurabilityPolicy.TRANSIENT_LOCAL)  # misses less than depth 1
WAIT_SECONDS = 60  # a bound, not a duration: everything here takes a fraction of it
STEP_NS = 50 * 10**6  # of time that is ours, and between poses
LEAD_NS = 600 * 10**6  # how far time that is ours may be ahead of the node's


def seconds(stamp):
    return stamp.sec + stamp.nanosec * 1e-9


def nanoseconds(stamp):
    return stamp.sec * 10**9 + stamp.nanosec


def grid_map(rows, resolution=0.5, origin=(0.0, 0.0), yaw=0.0, frame_id='map'):
    """A map from text, the first row on top: '.' free, '#' occupied, '?' unknown."""
    message = OccupancyGrid()
    message.header.frame_id = frame_id
    message.info.resolution = resolution
    message.info.width = len(rows[0]) if rows else 0
    message.info.height = len(rows)
    message.info.origin.position.x, message.info.origin.position.y = origin
    message.info.origin.orientation.z = math.sin(yaw / 2)
    message.info.origin.orientation.w = math.cos(yaw / 2)
    message.data = [{'.': 0, '#': 100, '?': -1}[c] for row in reversed(rows) for c in row]
    return message


def pose_stamped(x, y, frame_id='map', yaw=0.0):
    pose = PoseStamped()
    pose.header.frame_id = frame_id
    pose.pose.position.x, pose.pose.position.y = float(x), float(y)
    pose.pose.orientation.z, pose.pose.orientation.w = math.sin(yaw / 2), math.cos(yaw / 2)
    return pose


def timed_path(poses, frame_id='map'):
    """poses: (nanoseconds, x, y)"""
    from rclpy.time import Time
    path = Path()
    path.header.frame_id = frame_id
    for time_ns, x, y in poses:
        path.poses.append(pose_stamped(x, y, frame_id))
        path.poses[-1].header.stamp = Time(nanoseconds=time_ns).to_msg()
    return path


def points(path):
    return [(round(p.pose.position.x, 6), round(p.pose.position.y, 6)) for p in path.poses]


class Timetable:
    """A path for many questions: reading a message takes longer than answering them."""

    def __init__(self, path):
        self.stamps = [nanoseconds(p.header.stamp) for p in path.poses]
        self.places = points(path)

    def position_at(self, time_ns):
        k = bisect.bisect_right(self.stamps, time_ns)
        if k == 0 or k == len(self.stamps):
            return self.places[min(k, len(self.places) - 1)]
        begin, end = self.stamps[k - 1], self.stamps[k]
        (ax, ay), (bx, by) = self.places[k - 1], self.places[k]
        share = (time_ns - begin) / (end - begin)
        return ax + share * (bx - ax), ay + share * (by - ay)


def position_at(path, time_ns):
    """Where a robot that keeps to its path is: before the first pose and after the last it stands."""
    return Timetable(path).position_at(time_ns)


class Robot:
    """Follows its path exactly by the stamps, or stands where it is put."""

    def __init__(self, graph, name, pose_type=Odometry):
        self.graph, self.name, self.pose_type = graph, name, pose_type
        self.x = self.y = None
        self.frame_id = 'map'
        self.paths = []
        self.timetable = self.timetable_path = None
        self.drives = True
        node = graph.node
        topic, qos = ('odom', qos_profile_sensor_data) if pose_type is Odometry else ('amcl_pose', LATCHED)
        self.pose_publisher = node.create_publisher(pose_type, f'{name}/{topic}', qos)
        self.goal_publisher = node.create_publisher(PoseStamped, f'{name}/goal_pose', 10)
        self.path_subscription = node.create_subscription(Path, f'{name}/timed_path', self.paths.append, DEEP)

    def stand(self, x, y):
        self.x, self.y = float(x), float(y)
        return self

    def leave(self):
        """No more poses."""
        self.x = None

    @property
    def path(self):
        return self.paths[-1] if self.paths else None

    def drive(self, now_ns):
        if self.x is not None and self.drives and self.path is not None and self.path.poses:
            if self.timetable_path is not self.path:
                self.timetable, self.timetable_path = Timetable(self.path), self.path
            self.x, self.y = self.timetable.position_at(now_ns)

    def publish(self):
        if self.x is None:
            return
        message = self.pose_type()
        message.header.frame_id = self.frame_id
        message.header.stamp = self.graph.now_stamp()
        message.pose.pose.position.x, message.pose.pose.position.y = self.x, self.y
        message.pose.pose.orientation.w = 1.0
        self.pose_publisher.publish(message)

    def send_goal(self, x, y, frame_id='map', yaw=0.0):
        # A goal is sent once and must not be lost: the node has to be there.
        self.graph.until(lambda: self.goal_publisher.get_subscription_count() > 0, f'a reader of {self.name}/goal_pose')
        self.goal_publisher.publish(pose_stamped(x, y, frame_id, yaw))

    def reaches(self, x, y, path=None):
        path = path or self.path
        return bool(path and path.poses) and math.dist(points(path)[-1], (x, y)) < 1e-6


class Log:
    """What processes write while it is read. They append: with a position in common, each read would move theirs."""

    def __init__(self):
        self.file = tempfile.NamedTemporaryFile('a')

    def read(self):
        with open(self.file.name, errors='replace') as file:
            return file.read()

    def close(self):
        self.file.close()


class Graph:
    def __init__(self, namespace='', sim_time=False):
        rclpy.init()
        self.node = rclpy.create_node('other_side', namespace=namespace)
        self.executor = SingleThreadedExecutor()  # kept: rclpy.spin_once would put the node into one anew at each call
        self.executor.add_node(self.node)
        self.process = None
        self.log = Log()
        self.robots = {}
        self.statuses = {}
        self.time_ns = None
        self.last_poses = 0.0
        self.nearest = math.inf  # of two robots, ever, as they drove
        self.map_publisher = self.node.create_publisher(OccupancyGrid, 'map', LATCHED)
        self.node.create_subscription(DiagnosticArray, '/diagnostics', self.on_diagnostics, 10)
        if sim_time:
            self.time_ns = 100 * 10**9
            self.clock_publisher = self.node.create_publisher(Clock, '/clock', 1)

    # ---- the node

    def start(self, *robots, arguments=(), pose_type=Odometry, **parameters):
        command = [os.environ['FLEETWEAVE_PLANNER_NODE'], '--ros-args', '-p', f'robots:=[{",".join(robots)}]']
        # Robots here keep to the stamps; those of fleet.py follow releases.
        # They publish odometry in the map frame, unless a test has others; those of fleet.py publish transforms.
        settings = {'execution_mode': 'timed', 'pose_source': 'odom', 'diagnostics_period': 0.1, **parameters}
        for name, value in settings.items():
            text = str(value).lower() if isinstance(value, bool) else str(value)
            command += ['-p', f'{name.replace("__", ".")}:={text}']
        command += list(arguments)
        self.launch(command)
        for name in robots:
            self.robots[name] = Robot(self, name, pose_type)
        return [self.robots[name] for name in robots]

    def launch(self, command):
        self.process = subprocess.Popen(command, stdout=self.log.file, stderr=self.log.file)

    def stop(self, number=signal.SIGINT):
        """Ends the node and returns its exit code."""
        self.process.send_signal(number)
        end = time.monotonic() + WAIT_SECONDS
        while self.process.poll() is None and time.monotonic() < end:
            self.spin()
        return self.process.poll()

    def output(self):
        return self.log.read()

    def close(self):
        code = None
        if self.process is not None:
            code = self.process.poll() if self.process.poll() is not None else self.stop()
            if code is None:
                self.process.kill()
                self.process.wait()
        output = self.output()
        self.log.close()
        self.executor.shutdown()
        self.node.destroy_node()
        rclpy.shutdown()
        print(output)  # pytest shows it with a failure
        return code

    # ---- time

    def now_ns(self):
        return time.time_ns() if self.time_ns is None else self.time_ns

    def now_stamp(self):
        from rclpy.time import Time
        return Time(nanoseconds=self.now_ns()).to_msg()

    # ---- waiting

    def may_step(self):
        """Poses and /clock come every 50 ms. Time that is ours runs as fast as the node keeps up, which its diagnostics
        show: up to five times as fast as the world on an idle machine, slower than it on a busy one."""
        step, since_poses = STEP_NS * 1e-9, time.monotonic() - self.last_poses
        if self.time_ns is None or time.monotonic() - self.last_diagnostics > 2.0:
            return since_poses >= step
        return since_poses >= (0.2 if abs(self.time_ns - self.node_ns) < LEAD_NS else 5) * step

    def spin(self):
        """One turn: poses, /clock if time is ours, whatever has come in."""
        if self.may_step():
            self.last_poses = time.monotonic()
            if self.time_ns is not None:
                self.time_ns += STEP_NS
                self.clock_publisher.publish(Clock(clock=self.now_stamp()))
            now_ns = self.now_ns()
            for robot in self.robots.values():
                robot.drive(now_ns)
                robot.publish()
            places = [(r.x, r.y) for r in self.robots.values() if r.x is not None]
            self.nearest = min([self.nearest] + [math.dist(a, b) for a, b in itertools.combinations(places, 2)])
        self.executor.spin_once(timeout_sec=0.01 if self.time_ns is not None else 0.02)

    def until(self, condition, what='a condition', bound=WAIT_SECONDS):
        end = time.monotonic() + bound
        while not condition():
            assert time.monotonic() < end, f'waited in vain for {what}'
            assert self.process is None or self.process.poll() is None, f'the node ended while waiting for {what}'
            self.spin()

    def rounds(self):
        return int(self.planner('rounds') or 0)

    def pass_diagnostics(self, seconds=2):
        """Until the node has reported again, and for about that long by its own time: what it had to say is said."""
        seen, begin = self.diagnostics_count, None

        def is_over():
            nonlocal begin
            if self.diagnostics_count > seen:
                begin = self.report_ns if begin is None else min(begin, self.report_ns)  # time may go back
            return self.diagnostics_count > seen + 1 and self.report_ns - begin >= (seconds - 1) * 10**9
        self.until(is_over, 'diagnostics')

    # ---- what the node says

    diagnostics_count = 0
    last_diagnostics = -math.inf  # by time.monotonic()
    report_ns = 0  # the time in the last diagnostics of any node
    node_ns = 0  # the planner's time in its last diagnostics

    def on_diagnostics(self, message):
        self.diagnostics_count += 1
        self.report_ns = nanoseconds(message.header.stamp)
        for status in message.status:
            self.statuses[status.name.split(': ', 1)[1]] = status
            if status.name.endswith(': planner'):
                self.last_diagnostics, self.node_ns = time.monotonic(), self.report_ns

    def value(self, name, key):
        status = self.statuses.get(name)
        return next((v.value for v in status.values if v.key == key), None) if status else None

    def planner(self, key):
        return self.value('planner', key)

    def state(self, robot):
        return self.value(robot, 'state')

    def error(self, robot):
        text = self.value(robot, 'error')
        return int(text) if text is not None else None

    def message(self, name):
        return self.statuses[name].message if name in self.statuses else ''

    # ---- what one asks the node

    def client(self, service_type, name):
        client = self.node.create_client(service_type, name)
        self.until(client.service_is_ready, name)
        return client

    def call(self, service_type, name, request, node='fleetweave_planner'):
        client = self.client(service_type, f'{node}/{name}')
        end = time.monotonic() + WAIT_SECONDS
        while True:
            # While both sides are still finding each other an answer can get lost; then it is asked again.
            future = client.call_async(request)
            again = time.monotonic() + 3.0
            self.until(lambda: future.done() or time.monotonic() > again, f'an answer of {name}')
            if future.done():
                self.node.destroy_client(client)
                return future.result()
            assert time.monotonic() < end, f'waited in vain for an answer of {name}'

    def replan(self):
        return self.call(Trigger, 'replan', Trigger.Request())

    def set_parameters(self, **values):
        from rcl_interfaces.srv import SetParameters
        request = SetParameters.Request()
        request.parameters = [Parameter(n.replace('__', '.'), value=v).to_parameter_msg() for n, v in values.items()]
        return self.call(SetParameters, 'set_parameters', request).results


def describe(path, begin_ns):
    epoch = (nanoseconds(path.header.stamp) - begin_ns) * 1e-9
    return f'epoch {epoch:.3f}: ' + ' '.join(
        f'{(nanoseconds(p.header.stamp) - begin_ns) * 1e-9:.3f}({x},{y})'
        for p, (x, y) in zip(path.poses, points(path)))


def check_paths(paths, apart=0.5, speed=None):
    """Is a set of timed paths what it should be? Raises with the first thing that is wrong.

    Stamps rise, every step is a wait or a move to a neighbour cell, and no two robots come nearer than `apart`, looked
    at ten times per tick from the first pose to the last: apart from the node's own check, and in world coordinates.
    """
    paths = {name: path for name, path in paths.items() if path.poses}
    assert paths, 'no path has poses'
    step_ns = 10**9
    for name, path in paths.items():
        stamps = [nanoseconds(p.header.stamp) for p in path.poses]
        places = points(path)
        assert path.header.frame_id == 'map'
        assert all(p.header.frame_id == 'map' for p in path.poses)
        for k in range(1, len(stamps)):
            assert stamps[k] > stamps[k - 1], f'{name}: stamps do not rise at pose {k}'
            step_ns = min(step_ns, stamps[k] - stamps[k - 1])
            distance = math.dist(places[k], places[k - 1])
            assert distance < 0.5 * math.sqrt(2) + 1e-6, f'{name}: a jump of {distance} m at pose {k}'
            if distance > 1e-6:
                q = path.poses[k - 1].pose.orientation
                heading = 2 * math.atan2(q.z, q.w)
                wanted = math.atan2(places[k][1] - places[k - 1][1], places[k][0] - places[k - 1][0])
                assert math.cos(heading - wanted) > 0.999, f'{name}: yaw at pose {k - 1} is not that of its move'
            if speed is not None:
                assert distance <= speed * (stamps[k] - stamps[k - 1]) * 1e-9 + 1e-6, f'{name}: too fast at pose {k}'
    begin = min(nanoseconds(p.poses[0].header.stamp) for p in paths.values())
    end = max(nanoseconds(p.poses[-1].header.stamp) for p in paths.values())
    names = sorted(paths)
    timetables = [Timetable(paths[name]) for name in names]
    for time_ns in range(begin, end + 1, max(step_ns // 10, 1)):
        places = [timetable.position_at(time_ns) for timetable in timetables]
        for a in range(len(names)):
            for b in range(a):
                distance = math.dist(places[a], places[b])
                assert distance > apart - 1e-6, (
                    f'{names[a]} and {names[b]} are {distance} m apart at {(time_ns - begin) * 1e-9} s:\n'
                    + describe(paths[names[a]], begin) + '\n' + describe(paths[names[b]], begin))
