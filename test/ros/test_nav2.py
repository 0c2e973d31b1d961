"""examples/nav2_bridge.py against a FollowPath server that drives a robot, in a real graph; needs nav2_msgs."""
import math
import os
import subprocess
import sys
import time
from pathlib import Path as File

import pytest
from diagnostic_msgs.msg import DiagnosticStatus
from graph import LATCHED, grid_map, pose_stamped
from nav_msgs.msg import Path
from rclpy.action import ActionServer, CancelResponse, GoalResponse
from rclpy.action.server import GoalEvent
from std_srvs.srv import Trigger

try:
    from nav2_msgs.action import FollowPath
except ImportError:
    FollowPath = None

pytestmark = pytest.mark.skipif(FollowPath is None, reason='nav2_msgs cannot be imported here')

BRIDGE = File(os.environ['FLEETWEAVE_SOURCE_DIR']) / 'examples' / 'nav2_bridge.py'


class Nav2:
    """As the controller server: a new goal replaces the old one, and the robot stops at the end of its path."""

    def __init__(self, graph, name, speed=2.0, offers=('hold', 'cancel', 'release')):
        self.graph, self.name = graph, name
        self.x = self.y = 0.0
        self.goals, self.active, self.aborts, self.rejects, self.cancelled, self.speed = [], None, 0, 0, 0, speed
        self.finished, self.last, self.stops = {}, time.monotonic(), 0
        self.calls, self.server = [], None
        for call in offers:  # what the planner offers
            graph.node.create_service(
                Trigger, f'{name}/{call}', lambda request, response, call=call: self.on_call(call, response))
        self.serve()

    def serve(self):
        self.server = ActionServer(
            self.graph.node, FollowPath, f'{self.name}/follow_path', execute_callback=self.execute,
            goal_callback=self.on_goal, handle_accepted_callback=self.accept, cancel_callback=self.cancel)

    def die(self):
        """The process of the server ends: no result, no word."""
        self.server.destroy()
        self.server, self.active = None, None

    def on_call(self, call, response):
        self.calls.append(call)
        response.success = True
        return response

    def on_goal(self, goal):
        self.rejects -= 1
        return GoalResponse.REJECT if self.rejects >= 0 else GoalResponse.ACCEPT

    def accept(self, handle):
        self.goals.append(handle.request)
        if self.active is not None:
            self.end('abort')  # preempted
        self.active, self.rest = handle, [(p.pose.position.x, p.pose.position.y) for p in handle.request.path.poses]
        if self.aborts > 0:
            self.aborts -= 1
            self.end('abort')

    def cancel(self, handle):
        self.cancelled += 1
        return CancelResponse.ACCEPT

    def end(self, how):
        handle, self.active = self.active, None
        self.finished[bytes(handle.goal_id.uuid)] = how
        handle.execute()

    def execute(self, handle):
        how = self.finished[bytes(handle.goal_id.uuid)]
        if how == 'canceled_by_somebody':
            handle._update_state(GoalEvent.CANCEL_GOAL)
            how = 'canceled'
        getattr(handle, how)()
        if how == 'abort':
            return FollowPath.Result(error_code=FollowPath.Result.FAILED_TO_MAKE_PROGRESS, error_msg='stuck')
        return FollowPath.Result()

    def step(self):
        now = time.monotonic()
        left, self.last = self.speed * (now - self.last), now
        if self.active is not None and self.active.is_cancel_requested:
            self.end('canceled')
        while self.active is not None and left > 0:
            if not self.rest:
                self.stops += 1
                self.end('succeed')
                return
            way = math.dist((self.x, self.y), self.rest[0])
            share = min(1.0, left / way) if way > 0 else 1.0
            self.x += share * (self.rest[0][0] - self.x)
            self.y += share * (self.rest[0][1] - self.y)
            left -= way
            if share == 1.0:
                self.rest.pop(0)


def step_with(graph, step):
    spin = graph.spin

    def spin_both():
        step()
        spin()
    graph.spin = spin_both


@pytest.fixture
def nav2(graph):
    graph.launch([
        sys.executable, str(BRIDGE), '--ros-args', '-p', 'robots:=[a]', '-p', 'retry_seconds:=0.3', '-p', 'tries:=3',
        '-p', 'recover_seconds:=0.6', '-p', 'server_timeout:=1.5'])
    robot = Nav2(graph, 'a')
    robot.path = graph.node.create_publisher(Path, 'a/released_path', LATCHED)
    step_with(graph, robot.step)

    def release(*points, yaw=0.0):
        path = Path()
        path.header.frame_id = 'map'
        path.poses = [pose_stamped(x, y) for x, y in points]
        for pose in path.poses:
            pose.pose.orientation.z, pose.pose.orientation.w = math.sin(yaw / 2), math.cos(yaw / 2)
        robot.path.publish(path)
    robot.release = release
    yield robot
    if robot.server is not None:
        robot.server.destroy()


def errors(graph):
    return [name for name, status in graph.statuses.items() if status.level == DiagnosticStatus.ERROR]


def is_at(robot, x, y):
    return math.dist((robot.x, robot.y), (x, y)) < 0.02


def test_a_release_is_driven_and_a_longer_one_takes_its_place(graph, nav2):
    nav2.release((0, 0), (0.5, 0), (0.5, 0), (1, 0))
    graph.until(lambda: is_at(nav2, 1, 0) and nav2.active is None, 'the end of the release')
    assert len(nav2.goals) == 1
    assert [p.pose.position.x for p in nav2.goals[0].path.poses] == [0.0, 0.5, 1.0], 'without the wait'
    assert (nav2.goals[0].controller_id, nav2.goals[0].goal_checker_id) == ('FollowPath', 'general_goal_checker')
    nav2.speed = 0.5
    nav2.release((1, 0), (1, 1))
    graph.until(lambda: nav2.y > 0.2, 'one on its way')
    nav2.release((1, 0.5), (1, 1), (1, 2))
    nav2.speed = 2.0
    graph.until(lambda: is_at(nav2, 1, 2) and nav2.active is None, 'the end of the longer one')
    assert len(nav2.goals) == 3 and nav2.cancelled == 0


def test_the_same_end_again_is_no_news(graph, nav2):
    nav2.release((0, 0), (0.5, 0), (1, 0))
    graph.until(lambda: is_at(nav2, 1, 0), 'the end')
    nav2.release((0.5, 0), (1, 0))
    end = time.monotonic() + 1.0
    graph.until(lambda: time.monotonic() > end, 'a second')
    assert len(nav2.goals) == 1


def test_another_way_to_the_same_end_is_sent(graph, nav2):
    nav2.speed = 0.3
    nav2.release((0, 0), (1, 0), (2, 0), (2, 1))
    graph.until(lambda: nav2.x > 0.1, 'one on its way')
    nav2.release((0, 0), (1, 0), (1, 1), (2, 1))
    graph.until(lambda: len(nav2.goals) == 2, 'the other way')
    nav2.speed = 3.0
    seen = []
    graph.until(lambda: seen.append(nav2.x if nav2.y < 0.5 else 0.0) or is_at(nav2, 2, 1), 'the end')
    assert max(seen) < 1.05, 'by the other way'
    nav2.release((2, 1), yaw=0.0)  # it stands there: no news
    nav2.release((1, 1), (2, 1), yaw=1.57)
    graph.until(lambda: len(nav2.goals) == 3, 'another yaw at the end')


def test_a_growing_release_does_not_stop_the_robot(graph, nav2):
    nav2.speed = 1.0
    nav2.release((0, 0), (1, 0))
    for k in range(1, 8):
        graph.until(lambda: nav2.x > 0.5 * k - 0.3, 'progress')
        nav2.release(*((0.5 * i, 0) for i in range(k, k + 3)))
    graph.until(lambda: is_at(nav2, 4.5, 0) and nav2.active is None, 'the end')
    assert nav2.stops == 1 and nav2.cancelled == 0 and len(nav2.goals) >= 5
    assert 'gave up' not in graph.output() and nav2.calls == [], 'goals that were replaced are no failures'


def test_an_empty_release_cancels(graph, nav2):
    nav2.speed = 0.2
    nav2.release((0, 0), (5, 0))
    graph.until(lambda: nav2.x > 0.05, 'one on its way')
    nav2.release()
    graph.until(lambda: nav2.cancelled == 1 and nav2.active is None, 'a cancelled goal')
    assert nav2.x < 2


def test_a_controller_that_aborts_gets_the_goal_again(graph, nav2):
    nav2.aborts = 2
    nav2.release((0, 0), (1, 0))
    graph.until(lambda: is_at(nav2, 1, 0), 'arrival at the third try')
    assert len(nav2.goals) == 3 and nav2.calls == []
    assert graph.output().count('gave up with error 105 (FAILED_TO_MAKE_PROGRESS): stuck') == 2


@pytest.mark.parametrize('how', ['aborts', 'rejects'])
def test_a_robot_that_cannot_is_given_back_and_released_when_it_can(graph, nav2, how):
    setattr(nav2, how, 6)
    nav2.release((0, 0), (1, 0))
    graph.until(lambda: nav2.calls == ['hold', 'cancel'], 'its failure at the planner')
    graph.until(lambda: 'a/follow_path' in errors(graph), 'and in the diagnostics')
    graph.until(lambda: is_at(nav2, 1, 0) and nav2.calls == ['hold', 'cancel', 'release'], 'its recovery')


def test_a_goal_that_somebody_else_cancels_is_given_back_and_not_repeated(graph, nav2):
    nav2.speed = 0.2
    nav2.release((0, 0), (1, 0), (2, 0))
    graph.until(lambda: nav2.x > 0.05, 'one on its way')
    nav2.end('canceled_by_somebody')
    graph.until(lambda: nav2.calls == ['hold', 'cancel'], 'its failure at the planner')
    end = time.monotonic() + 1.5
    graph.until(lambda: time.monotonic() > end, 'a while')
    assert len(nav2.goals) == 1
    nav2.speed = 2.0
    nav2.release((1, 0), (2, 0), (3, 0))
    graph.until(lambda: is_at(nav2, 3, 0) and nav2.calls[-1] == 'release', 'a new way')


def test_a_server_that_dies_is_noticed_and_gets_the_path_when_it_is_back(graph, nav2):
    nav2.speed = 0.2
    nav2.release((0, 0), (1, 0))
    graph.until(lambda: nav2.x > 0.05, 'one on its way')
    nav2.die()
    graph.until(lambda: nav2.calls == ['hold', 'cancel'], 'its failure at the planner')
    assert 'there is no controller server' in graph.output()
    nav2.serve()
    nav2.speed = 2.0
    graph.until(lambda: is_at(nav2, 1, 0) and nav2.calls == ['hold', 'cancel', 'release'], 'the rest of the way')
    assert len(nav2.goals) == 2


def test_a_server_that_is_lost_while_the_robot_stands_is_no_lasting_fault(graph, nav2):
    nav2.release((0, 0), (0.5, 0))
    graph.until(lambda: is_at(nav2, 0.5, 0) and nav2.active is None, 'the end')
    graph.pass_diagnostics()
    nav2.die()
    graph.until(lambda: nav2.calls == ['hold', 'cancel'], 'its failure at the planner')
    nav2.serve()
    graph.until(lambda: nav2.calls == ['hold', 'cancel', 'release'], 'its return')
    assert len(nav2.goals) == 1


def test_the_planner_drives_a_robot_through_the_bridge(graph):
    """planner_node, the bridge and the server together: releases that grow, to the goal and without a stop."""
    robot, = graph.start('a', execution_mode='dependency', speed=1.0, release_ahead=1.0)
    robot.drives = False
    nav2 = Nav2(graph, 'a', speed=1.0, offers=())
    nav2.x, nav2.y = 0.25, 0.25
    step_with(graph, lambda: (nav2.step(), robot.stand(nav2.x, nav2.y)))
    graph.map_publisher.publish(grid_map(['.' * 12] * 3))
    bridge = subprocess.Popen(
        [sys.executable, str(BRIDGE), '--ros-args', '-p', 'robots:=[a]'], stdout=graph.log.file, stderr=graph.log.file)
    try:
        robot.send_goal(5.25, 1.25)
        graph.until(lambda: is_at(nav2, 5.25, 1.25) and graph.state('a') == 'arrived', 'arrival')
        assert len(nav2.goals) >= 5, 'one for each release'
        assert 'gave up' not in graph.output() and 'on hold' not in graph.output()
    finally:
        bridge.terminate()
        assert bridge.wait(timeout=20) is not None
        nav2.server.destroy()
