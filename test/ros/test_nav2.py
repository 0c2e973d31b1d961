"""examples/nav2_bridge.py against a FollowPath server that drives a robot, in a real graph; needs nav2_msgs."""
import math
import os
import sys
import time
from pathlib import Path as File

import pytest
from graph import LATCHED, pose_stamped
from nav_msgs.msg import Path
from rclpy.action import ActionServer, CancelResponse, GoalResponse

try:
    from nav2_msgs.action import FollowPath
except ImportError:
    FollowPath = None

pytestmark = pytest.mark.skipif(FollowPath is None, reason='nav2_msgs cannot be imported here')

BRIDGE = File(os.environ['FLEETWEAVE_SOURCE_DIR']) / 'examples' / 'nav2_bridge.py'


class Nav2:
    """As the controller server: a new goal replaces the old one, and the robot stops at the end of its path."""

    def __init__(self, graph, name, speed=2.0):
        self.x = self.y = 0.0
        self.goals, self.active, self.aborts, self.cancelled, self.speed = [], None, 0, 0, speed
        self.finished, self.last = {}, time.monotonic()
        self.server = ActionServer(
            graph.node, FollowPath, f'{name}/follow_path', execute_callback=self.execute,
            goal_callback=lambda goal: GoalResponse.ACCEPT, handle_accepted_callback=self.accept,
            cancel_callback=self.cancel)

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
        getattr(handle, self.finished[bytes(handle.goal_id.uuid)])()
        return FollowPath.Result()

    def step(self):
        now = time.monotonic()
        left, self.last = self.speed * (now - self.last), now
        if self.active is not None and self.active.is_cancel_requested:
            self.end('canceled')
        while self.active is not None and left > 0:
            if not self.rest:
                self.end('succeed')
                return
            way = math.dist((self.x, self.y), self.rest[0])
            share = min(1.0, left / way) if way > 0 else 1.0
            self.x += share * (self.rest[0][0] - self.x)
            self.y += share * (self.rest[0][1] - self.y)
            left -= way
            if share == 1.0:
                self.rest.pop(0)


@pytest.fixture
def nav2(graph):
    graph.launch([sys.executable, str(BRIDGE), '--ros-args', '-p', 'robots:=[a]', '-p', 'retry_seconds:=0.3'])
    robot = Nav2(graph, 'a')
    robot.path = graph.node.create_publisher(Path, 'a/released_path', LATCHED)
    spin = graph.spin

    def spin_both():
        robot.step()
        spin()
    graph.spin = spin_both

    def release(*points):
        path = Path()
        path.header.frame_id = 'map'
        path.poses = [pose_stamped(x, y) for x, y in points]
        robot.path.publish(path)
    robot.release = release
    yield robot
    robot.server.destroy()


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
    assert len(nav2.goals) == 3
    assert graph.output().count('gave up') == 2
