"""What `./run soak` sees of the fleet, and what must hold all the time:

overlap    no two robots overlap, as the simulator counts them at 50 Hz
release    where a release ended the next one passes or ends too, also over a restart of the planner. Excused, as
           docs/execution.md has it: an obstacle or a new map, robots that were carried away, time that went back, robots that
           left the list; and a release that only the robot has heard, since the planner was killed while it sent it
goal       every accepted goal ends: succeeded where the robot then is, aborted or canceled; and it does within GOAL_SECONDS
journal    a planner that was killed knows each goal that it had accepted, unless the robot stands there
recovery   goals are reached again within RECOVERY_SECONDS after any fault
process    nobody ends but by our hand, and at the end with exit code 0
"""
import collections
import math
import time

import rclpy
from action_msgs.msg import GoalStatus
from diagnostic_msgs.msg import DiagnosticArray
from geometry_msgs.msg import PoseStamped
from nav2_msgs.action import NavigateToPose
from nav_msgs.msg import OccupancyGrid, Path
from rclpy.action import ActionClient
from rclpy.qos import DurabilityPolicy, QoSProfile
from rclpy.serialization import deserialize_message
from tf2_msgs.msg import TFMessage

LATCHED = QoSProfile(depth=1, durability=DurabilityPolicy.TRANSIENT_LOCAL)
DEEP = QoSProfile(depth=100, durability=DurabilityPolicy.TRANSIENT_LOCAL)
START_SECONDS = 120.0
GOAL_SECONDS = 1200.0
RECOVERY_SECONDS = 180.0
EXCUSE_SECONDS = 15.0
ANSWER_SECONDS = 8.0   # then a goal is sent again: the request or its answer was lost with a node
NEAR = 0.06  # metres: a pose of a release and the same one in the next
ENDS = {GoalStatus.STATUS_SUCCEEDED: 'succeeded', GoalStatus.STATUS_ABORTED: 'aborted',
        GoalStatus.STATUS_CANCELED: 'canceled'}


def executor_of(context):
    """Hundreds of subscriptions: a wait set of them all for each message would take a whole core."""
    try:
        from rclpy.experimental import EventsExecutor
        return EventsExecutor(context=context)
    except ImportError:
        from rclpy.executors import SingleThreadedExecutor
        return SingleThreadedExecutor(context=context)


def points_of(path):
    return [(pose.pose.position.x, pose.pose.position.y) for pose in path.poses]


def distance_to(point, points):
    """From a line of points."""
    best = math.dist(point, points[0])
    for (ax, ay), (bx, by) in zip(points, points[1:]):
        dx, dy = bx - ax, by - ay
        square = dx * dx + dy * dy
        share = 0.0 if square == 0 else max(0.0, min(1.0, ((point[0] - ax) * dx + (point[1] - ay) * dy) / square))
        best = min(best, math.dist(point, (ax + share * dx, ay + share * dy)))
    return best


class Client:
    """Gives a robot goal after goal, to random places, and follows each to its end."""

    def __init__(self, watch, name):
        self.watch, self.name = watch, name
        self.action = ActionClient(watch.node, NavigateToPose, f'{name}/navigate_to_pose')
        self.number = 0       # of the goal that is sent or under way; an answer for another one is of a life before
        self.is_busy = False
        self.accepted_at = None
        self.handle = None
        self.target = None
        self.rests_until = 0.0
        self.is_listed = True

    def may_go(self):
        return self.is_listed and not self.is_busy and time.monotonic() >= self.rests_until and self.action.server_is_ready()

    def go(self):
        self.number += 1
        self.is_busy, self.accepted_at, self.handle, self.target = True, None, None, self.watch.draw_place()
        goal = NavigateToPose.Goal(pose=PoseStamped())
        goal.pose.header.frame_id = 'map'
        goal.pose.pose.position.x, goal.pose.pose.position.y = self.target  # no orientation: any yaw
        number, target = self.number, self.target
        self.sent_at = time.monotonic()
        self.action.send_goal_async(goal).add_done_callback(lambda future: self.on_answer(number, target, future.result()))

    def on_answer(self, number, target, handle):
        if not handle.accepted:
            if number == self.number:
                self.is_busy, self.rests_until = False, time.monotonic() + 1.0  # another robot has a goal there
            return
        self.watch.total['accepted'] += 1
        self.watch.under_way[self.name, number] = time.monotonic()
        handle.get_result_async().add_done_callback(lambda future: self.on_end(number, target, future.result().status))
        if number == self.number:
            self.accepted_at, self.handle = time.monotonic(), handle

    def on_end(self, number, target, status):
        if self.watch.under_way.pop((self.name, number), None) is None:
            return  # of a node that was killed
        self.watch.note_end(self.name, target, status)
        if number == self.number:
            self.is_busy, self.accepted_at, self.handle = False, None, None

    def replace(self):
        """Another goal while one is under way, which ends by that."""
        if self.action.server_is_ready():
            self.go()

    def cancel(self):
        if self.handle is not None:
            self.handle.cancel_goal_async()

    def forget(self):
        """The planner was killed: nobody will say how the goals under way end."""
        for key in [key for key in self.watch.under_way if key[0] == self.name]:
            del self.watch.under_way[key]
            self.watch.total['lost'] += 1
        self.number += 1
        self.is_busy, self.accepted_at, self.handle = False, None, None

    def check(self, now):
        if self.is_busy and self.accepted_at is None and now > self.sent_at + ANSWER_SECONDS:
            self.is_busy = False
        for key, since in list(self.watch.under_way.items()):
            if key[0] == self.name and now > since + GOAL_SECONDS:
                self.watch.violate('goal', f'{self.name}: a goal has not ended after {GOAL_SECONDS:.0f} s: '
                                   f'{self.watch.robots.get(self.name)}')
                del self.watch.under_way[key]


class Watch:
    def __init__(self, site, chance, violations_path):
        self.site, self.chance, self.violations_path = site, chance, violations_path
        self.kinds = collections.Counter()
        self.total = collections.Counter()
        self.under_way = {}  # (robot, number): since
        self.planner, self.robots, self.simulator = {}, {}, {}
        self.diagnostics_at = self.status_at = 0.0
        self.overlaps_before, self.overlaps = 0, 0  # of lives of the simulator before, and of this one
        self.map = None
        self.transforms = collections.deque(maxlen=40)
        self.transforms_at = 0.0
        self.paths = {}
        self.releases = self.excused = 0  # heard; shorter or empty with an excuse
        self.judged = 0  # of those heard: at a time without an excuse
        self.restarted_at = -math.inf  # the planner was; inf: it is about to be
        self.excuses = {}  # robot, or None for all: until when
        self.last_reached = time.monotonic()
        self.longest_silence = 0.0
        self.is_silent = False
        self.next_check = 0.0
        self.context = rclpy.Context()
        rclpy.init(context=self.context, signal_handler_options=rclpy.signals.SignalHandlerOptions.NO)
        self.node = node = rclpy.create_node('soak', context=self.context)
        self.executor = executor_of(self.context)
        self.executor.add_node(node)
        node.create_subscription(OccupancyGrid, 'map', self.on_map, LATCHED)
        node.create_subscription(DiagnosticArray, '/diagnostics', self.on_diagnostics, 10)
        node.create_subscription(DiagnosticArray, 'fleet_sim/status', self.on_status, LATCHED)
        node.create_subscription(TFMessage, '/tf', self.on_transforms, 100, raw=True)
        for name in site.names:
            node.create_subscription(
                Path, f'{name}/released_path', lambda path, name=name: self.on_release(name, path), DEEP)
        self.clients = {name: Client(self, name) for name in site.names}

    # ---- violations

    def violate(self, kind, text):
        self.kinds[kind] += 1
        line = f'{time.strftime("%H:%M:%S")} {kind}: {text}'
        print(f'VIOLATED {line}', flush=True)
        with open(self.violations_path, 'a') as file:
            file.write(line + '\n')

    def excuse(self, name=None, seconds=EXCUSE_SECONDS):
        """Releases may become shorter or empty for a while: of one robot, or of all."""
        self.excuses[name] = max(self.excuses.get(name, 0.0), time.monotonic() + seconds)

    def is_excused(self, name):
        return time.monotonic() < max(self.excuses.get(None, 0.0), self.excuses.get(name, 0.0))

    # ---- messages

    def on_map(self, message):
        if self.map is None:  # the simulator's
            self.map = message
            self.free = [k for k, value in enumerate(message.data) if value == 0]

    def on_transforms(self, message):
        self.transforms.append(message)
        self.transforms_at = time.monotonic()

    def on_status(self, message):
        self.status_at = time.monotonic()
        self.simulator = {pair.key: pair.value for pair in message.status[0].values}
        overlaps = int(float(self.simulator['overlaps']))
        if overlaps > self.overlaps:
            self.violate('overlap', f'{overlaps - self.overlaps} new; see {self.site.processes["simulator"].log_path}')
        self.overlaps = overlaps

    def on_diagnostics(self, message):
        self.diagnostics_at = time.monotonic()
        for status in message.status:
            name = status.name.split(': ', 1)[-1]
            values = {pair.key: pair.value for pair in status.values}
            if 'release_ms_p99' in values:
                self.planner = values
            elif name in self.clients:
                self.robots[name] = values

    def on_release(self, name, path):
        points, before = points_of(path), self.paths.get(name)
        self.releases += 1
        self.judged += not self.is_excused(name)
        self.paths[name] = points
        if not before or (points and distance_to(before[-1], points) <= NEAR):
            return
        may_stay = not points and time.monotonic() < self.restarted_at + EXCUSE_SECONDS  # old releases end (docs/execution.md)
        if self.is_excused(name) or may_stay or (points and self.has_driven_on(name, before)):
            self.excused += 1
        else:
            what = f'ends at {points[-1]}, {len(points)} poses' if points else 'is empty'
            self.violate('release', f'{name}: the next release after one to {before[-1]} {what}: {self.robots.get(name)}')

    def has_driven_on(self, name, path):
        """The robot is at the end of this release or beyond: it heard one that we did not, of a planner that was killed while
        it sent it."""
        place = self.places().get(name)
        return place is None or math.dist(place, path[-1]) < 0.3 or distance_to(place, path) > 0.3

    # ---- goals

    def draw_place(self):
        """The middle of a free cell for which no robot is under way."""
        info, taken = self.map.info, {client.target for client in self.clients.values()}
        for _ in range(100):
            cell = self.chance.choice(self.free)
            place = ((cell % info.width + 0.5) * info.resolution + info.origin.position.x,
                     (cell // info.width + 0.5) * info.resolution + info.origin.position.y)
            if place not in taken:
                break
        return place

    def note_end(self, name, target, status):
        end = ENDS.get(status)
        self.total[end or 'other'] += 1
        if end is None:
            self.violate('goal', f'{name}: a goal ended with status {status}')
        if end == 'succeeded':
            self.last_reached = time.monotonic()
            self.is_silent = False
            place = self.places().get(name)
            if place is not None and math.dist(place, target) > 0.4:
                self.violate('goal', f'{name}: succeeded at {target}, but it is at {place}')

    def counts(self):
        return {'driving': len(self.under_way), **{key: self.total[key] for key in ('accepted', 'succeeded', 'aborted',
                'canceled', 'lost')}, 'overlaps': self.overlaps_before + self.overlaps,
                'violations': sum(self.kinds.values())}

    # ---- the simulator

    def places(self):
        """Where the robots are, by the last transforms."""
        origins, moved = {}, {}
        for text in self.transforms:
            for link in deserialize_message(text, TFMessage).transforms:
                t, q = link.transform.translation, link.transform.rotation
                name, end = link.child_frame_id.rsplit('/', 1)
                (origins if end == 'odom' else moved)[name] = t.x, t.y, 2 * math.atan2(q.z, q.w)
        found = {}
        for name, (x, y, _) in moved.items():
            if name in origins:
                ox, oy, yaw = origins[name]
                found[name] = (ox + x * math.cos(yaw) - y * math.sin(yaw), oy + x * math.sin(yaw) + y * math.cos(yaw))
        return found

    def note_new_simulator(self):
        self.overlaps_before += self.overlaps
        self.overlaps = 0
        self.transforms.clear()

    # ---- the planner

    def note_killed_planner(self):
        """The goals that were accepted, by robot: the next planner has them, if it has a journal."""
        kept = {name: client.target for name, client in self.clients.items()
                if client.accepted_at is not None and client.is_listed}
        for client in self.clients.values():
            client.forget()
        self.robots.clear()
        self.planner = {}
        self.restarted_at = math.inf
        return kept

    def check_journal(self, kept):
        """What a planner that was started again says of these goals."""
        self.restarted_at = time.monotonic()
        resolution, places = self.map.info.resolution, self.places()
        for name, (x, y) in kept.items():
            cell = f'{math.floor(x / resolution)},{math.floor(y / resolution)}'
            is_there = name in places and math.dist(places[name], (x, y)) < 0.4
            if self.robots[name].get('goal_cell') != cell and not is_there:
                self.violate('journal', f'{name}: had a goal in cell {cell} before the kill, now: {self.robots[name]}')

    # ---- running

    def wait_for_start(self):
        end = time.monotonic() + START_SECONDS
        while self.map is None or len(self.robots) < len(self.clients) or not self.simulator:
            self.spin(0.05)
            self.site.check()
            if time.monotonic() > end:
                from demo import Failure
                raise Failure(f'the fleet has not started within {START_SECONDS:.0f} s; see the logs')
        self.last_reached = time.monotonic()

    def spin(self, seconds):
        end = time.monotonic() + seconds
        while True:
            self.executor.spin_once(timeout_sec=max(0.0, end - time.monotonic()))
            if time.monotonic() >= end:
                break
        now = time.monotonic()
        if self.map is None or now < self.next_check or 'planner' not in self.site.processes:
            return
        self.next_check = now + 0.5
        for client in self.clients.values():
            client.check(now)
            # New goals would replace those of a journal before it was looked at.
            if client.may_go() and self.restarted_at < math.inf:
                client.go()
        silence = now - self.last_reached
        self.longest_silence = max(self.longest_silence, silence)
        if silence > RECOVERY_SECONDS and not self.is_silent:
            self.is_silent = True
            self.violate('recovery', f'no goal was reached for {silence:.0f} s: {self.planner}')

    def close(self):
        self.executor.shutdown()
        self.node.destroy_node()
        rclpy.shutdown(context=self.context)
