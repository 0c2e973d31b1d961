"""Two hundred robots with all that each of them is offered: the node is up within seconds, and gone as fast."""
import os
import random
import resource
import time

import rclpy
from action_msgs.msg import GoalStatus
from graph import LATCHED, pose_stamped
from nav2_msgs.action import NavigateToPose
from nav_msgs.msg import OccupancyGrid
from rclpy.action import ActionClient

COUNT = 200
WAREHOUSE = 'warehouse:101x57,shelf=8,aisle=2,seed=1'
START_SECONDS, END_SECONDS = 4.0, 4.0  # of processor time, which other programs do not change much
LEASE_SECONDS = 20.0  # after which the middleware gives up a participant that has said nothing
SHARE_MAX = 0.5  # of a core with feedback for all: it is 0.15, and less on a machine that has no time for the node
NAMES = [f'robot_{k}' for k in range(COUNT)]


def processor_seconds(process):
    with open(f'/proc/{process.pid}/stat') as file:
        fields = file.read().rsplit(')', 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf('SC_CLK_TCK')


def ended_seconds():
    """Processor time of all processes of ours that have ended."""
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def test_it_starts_and_ends_within_seconds(graph):
    before = ended_seconds()
    graph.start(arguments=['-p', f'robots:=[{",".join(NAMES)}]'], pose_source='tf')
    graph.until(lambda: f'{COUNT} robots, planner' in graph.output(), 'the node')
    start = processor_seconds(graph.process)
    assert start < START_SECONDS

    wanted = {f'/{name}/{service}' for name in NAMES for service in ('navigate_to_pose/_action/send_goal', 'hold')}
    graph.until(lambda: wanted <= {n for n, _ in graph.node.get_service_names_and_types()}, 'all services')
    last = processor_seconds(graph.process)
    assert graph.stop() == 0
    assert ended_seconds() - before - last < END_SECONDS

    # It has said good-bye: nobody waits for the lease.
    end = time.monotonic() + LEASE_SECONDS / 2
    while 'fleetweave_planner' in graph.node.get_node_names():
        assert time.monotonic() < end, 'the node is still in the graph'
        graph.executor.spin_once(timeout_sec=0.01)
    assert not wanted & {n for n, _ in graph.node.get_service_names_and_types()}


class Client:
    """Sends goal after goal to a robot, to random free places, and counts what it hears."""

    def __init__(self, node, name, draw):
        self.action, self.draw = ActionClient(node, NavigateToPose, f'{name}/navigate_to_pose'), draw
        self.feedback = self.accepted = 0
        self.ends = []

    def go(self):
        goal = NavigateToPose.Goal(pose=pose_stamped(*self.draw()))
        goal.pose.pose.orientation.w = 0.0  # any yaw
        self.action.send_goal_async(goal, feedback_callback=self.on_feedback).add_done_callback(self.on_answer)

    def on_feedback(self, _):
        self.feedback += 1

    def on_answer(self, future):
        if future.result().accepted:
            self.accepted += 1
            future.result().get_result_async().add_done_callback(self.on_end)
        else:
            self.go()  # another robot has a goal there

    def on_end(self, future):
        self.ends.append(future.result().status)
        self.go()


def test_a_client_for_each_robot(graph, start):
    """In real time. `pytest -s` shows what the node used; the figures are in docs/benchmarks.md."""
    sim = start({
        'robots': COUNT, 'map': WAREHOUSE, 'goals': 'none', 'publish_odom': 'false', 'report_period': 0,
        'follow': 'released_path'})
    robots = ['-p', f'robots:=[{",".join(NAMES)}]']
    graph.start(arguments=robots, pose_source='tf', execution_mode='dependency', speed=0.8)
    maps = []
    graph.node.create_subscription(OccupancyGrid, 'map', maps.append, LATCHED)
    graph.until(lambda: maps, 'the map')
    info, chance = maps[0].info, random.Random(1)
    free = [k for k, value in enumerate(maps[0].data) if value == 0]

    def draw():
        cell = chance.choice(free)
        return (cell % info.width + 0.5) * info.resolution, (cell // info.width + 0.5) * info.resolution
    clients = [Client(graph.node, name, draw) for name in NAMES]
    graph.until(lambda: all(client.action.server_is_ready() for client in clients), 'the servers', bound=240)
    for client in clients:
        client.go()
    graph.until(lambda: all(client.feedback > 0 for client in clients), 'feedback for each', bound=240)
    begin, before, heard = time.monotonic(), processor_seconds(graph.process), sum(c.feedback for c in clients)
    ended = sum(len(c.ends) for c in clients)
    graph.until(lambda: sum(len(c.ends) for c in clients) >= ended + 60, 'results', bound=240)
    passed = time.monotonic() - begin
    share = (processor_seconds(graph.process) - before) / passed
    heard = sum(client.feedback for client in clients) - heard
    print(f'{COUNT} robots: {100 * share:.1f} % of a core, {heard / passed:.0f} feedback messages per second')
    assert share < SHARE_MAX
    assert heard > 60
    assert all(len(client.ends) <= client.accepted <= len(client.ends) + 1 for client in clients)
    ends = [status for client in clients for status in client.ends]
    assert ends.count(GoalStatus.STATUS_SUCCEEDED) > 0.9 * len(ends)
    assert sim.process.poll() is None and sim.count('overlaps') == 0
