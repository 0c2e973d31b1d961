"""Clients of navigate_to_pose, as Nav2's are: every goal that is accepted ends in exactly one result."""
import math
import random

import pytest
from action_msgs.msg import GoalStatus, GoalStatusArray
from action_msgs.srv import CancelGoal
from fleet import fleet_on, place
from geometry_msgs.msg import PoseStamped
from graph import LATCHED, grid_map, pose_stamped
from nav2_msgs.action import NavigateToPose
from nav_msgs.msg import Goals
from rclpy.action import ActionClient
from std_srvs.srv import Trigger

SUCCEEDED, CANCELED, ABORTED = GoalStatus.STATUS_SUCCEEDED, GoalStatus.STATUS_CANCELED, GoalStatus.STATUS_ABORTED
ENDS = (SUCCEEDED, CANCELED, ABORTED)
FAR = 79  # so far that a robot is on its way for ten seconds and more, whatever the machine does meanwhile
ROWS = ['.' * (FAR + 1)] * 5


def seconds(duration):
    return duration.sec + 1e-9 * duration.nanosec


class Goal:
    """What its client hears of a goal."""

    def __init__(self, client, x, y, frame_id='map', asks=True):
        self.client, self.asks = client, asks
        self.handle, self.feedback, self.results, self.cancels = None, [], [], []
        goal = NavigateToPose.Goal()
        goal.pose = pose_stamped(x, y, frame_id)
        goal.pose.pose.orientation.z = goal.pose.pose.orientation.w = 0.0  # any yaw
        future = client.action.send_goal_async(goal, feedback_callback=lambda m: self.feedback.append(m.feedback))
        future.add_done_callback(self.on_answer)

    def on_answer(self, future):
        self.handle = future.result()
        if self.handle.accepted and self.asks:
            self.ask()

    def ask(self):
        self.handle.get_result_async().add_done_callback(lambda f: self.results.append(f.result()))

    def cancel(self):
        self.handle.cancel_goal_async().add_done_callback(lambda f: self.cancels.append(f.result()))

    @property
    def is_answered(self):
        return self.handle is not None

    @property
    def is_accepted(self):
        return self.is_answered and self.handle.accepted

    @property
    def is_done(self):
        return self.is_answered and (not self.handle.accepted or bool(self.results))

    @property
    def status(self):
        assert len(self.results) == 1
        return self.results[0].status

    @property
    def result(self):
        return self.results[0].result


class Client:
    """`world` is a fleet, or a graph without simulator."""

    def __init__(self, world, name):
        self.world, self.name = world, name
        self.wait = getattr(world, 'wait', None) or world.until
        node = getattr(world, 'graph', world).node
        self.action = ActionClient(node, NavigateToPose, f'{name}/navigate_to_pose')
        self.statuses = {}  # by goal: every status that was published
        topic = f'{name}/navigate_to_pose/_action/status'
        node.create_subscription(GoalStatusArray, topic, self.on_status, LATCHED)
        self.wait(self.action.server_is_ready, f'the action server of {name}')

    def on_status(self, message):
        for status in message.status_list:
            seen = self.statuses.setdefault(bytes(status.goal_info.goal_id.uuid), [])
            if not seen or seen[-1] != status.status:
                seen.append(status.status)

    def seen(self, goal):
        return self.statuses.get(bytes(goal.handle.goal_id.uuid), [])

    def send(self, x, y, **options):
        """Without waiting."""
        return Goal(self, *place(x, y), **options)

    def go(self, x, y, **options):
        """Until it is accepted and the robot drives."""
        goal = self.send(x, y, **options)
        self.wait(lambda: goal.is_answered, 'an answer')
        assert goal.is_accepted
        begin = self.world.sim.pose(self.name)
        self.wait(lambda: self.world.sim.pose(self.name) != begin, 'the robot to drive')
        return goal

    def end(self, goal):
        self.wait(lambda: goal.is_done, f'the end of a goal of {self.name}')
        if hasattr(self.world, 'sim'):
            self.world.sim.latest(self.name)  # poses that came before the result may not have been taken yet
        return goal.status


def fleet_with_clients(graph, start, tmp_path, starts, planner=None):
    fleet = fleet_on(graph, start, tmp_path, ROWS, starts, planner)
    return fleet, [Client(fleet, name) for name in fleet.names]


def test_a_goal_is_reached(graph, start, tmp_path):
    fleet, (client,) = fleet_with_clients(graph, start, tmp_path, [(0, 0)])
    goal = client.go(9, 3)
    assert client.end(goal) == SUCCEEDED
    assert (goal.result.error_code, goal.result.error_msg) == (0, '')
    assert fleet.is_at('robot_0', 9, 3)
    assert len(goal.feedback) >= 4
    first, last = goal.feedback[0], goal.feedback[-1]
    assert first.current_pose.header.frame_id == 'map'
    assert seconds(first.navigation_time) < seconds(last.navigation_time)
    for feedback in goal.feedback:
        here = feedback.current_pose.pose.position
        left = [abs(a - b) for a, b in zip((here.x, here.y), place(9, 3))]
        assert math.hypot(*left) - 0.3 < feedback.distance_remaining < sum(left) + 0.8
        assert seconds(feedback.estimated_time_remaining) > 0.8 * feedback.distance_remaining - 1.0
    assert last.distance_remaining < first.distance_remaining
    assert last.current_pose.pose.position.x > first.current_pose.pose.position.x
    fleet.wait(lambda: client.seen(goal)[-1:] == [SUCCEEDED], 'the status')


def test_a_goal_where_the_robot_stands_is_reached_at_once(graph, start, tmp_path):
    _, (client,) = fleet_with_clients(graph, start, tmp_path, [(4, 2)])
    assert client.end(client.send(4, 2)) == SUCCEEDED


@pytest.mark.parametrize('place_, frame_id, number, words', [
    ((2, 20), 'map', 204, 'outside the map'),
    ((1, 1), 'odom', 202, "'odom', not 'map': no transform from map to odom; it is listened for from now on"),
])
def test_a_rejected_goal_leaves_the_running_one(graph, start, tmp_path, place_, frame_id, number, words):
    fleet, (client,) = fleet_with_clients(graph, start, tmp_path, [(0, 0)])
    running = client.go(11, 0)
    rejected = client.send(*place_, frame_id=frame_id)
    fleet.wait(lambda: rejected.is_answered, 'an answer')
    assert not rejected.is_accepted
    fleet.wait(lambda: graph.error('robot_0') == number, f'error {number} in the diagnostics')
    assert f'robot_0/navigate_to_pose: goal rejected, error {number}: ' in graph.output()
    assert words in graph.output()
    assert client.end(running) == SUCCEEDED


def test_a_goal_in_the_frame_of_the_robot(graph, start, tmp_path):
    """Two metres ahead, wherever that is on the map."""
    fleet, (client,) = fleet_with_clients(graph, start, tmp_path, [(1, 2)])
    fleet.wait(lambda: graph.value('robot_0', 'execution') == 'arrived', 'the robot')
    x, y = fleet.sim.pose('robot_0')
    turn = fleet.sim.odom['robot_0'][-1].pose.pose.orientation
    yaw = 2.0 * math.atan2(turn.z, turn.w)
    ahead = Goal(client, 2.0, 0.0, frame_id='robot_0/base_link')
    place = (x + 2.0 * math.cos(yaw), y + 2.0 * math.sin(yaw))
    fleet.wait(lambda: ahead.feedback, 'feedback')
    first = ahead.feedback[0]  # the robot may have driven a part of the way before it
    here = first.current_pose.pose.position
    assert abs(first.distance_remaining - math.dist((here.x, here.y), place)) < 0.5, 'not that from the origin of the map'
    assert client.end(ahead) == SUCCEEDED
    assert math.dist(fleet.sim.pose('robot_0'), place) < 0.3


def test_a_cancelled_goal(graph, start, tmp_path):
    fleet, (client,) = fleet_with_clients(graph, start, tmp_path, [(0, 0)])
    goal = client.go(FAR, 0)
    goal.cancel()
    assert client.end(goal) == CANCELED
    fleet.wait(lambda: goal.cancels, 'an answer')
    assert goal.cancels[0].return_code == CancelGoal.Response.ERROR_NONE
    assert len(goal.cancels[0].goals_canceling) == 1
    fleet.wait(lambda: graph.state('robot_0') in ('idle', 'arrived'), 'the robot to stop')
    assert fleet.at('robot_0')[0] < FAR - 1.5, 'it did not drive on'
    goal.cancel()
    fleet.wait(lambda: len(goal.cancels) == 2, 'an answer')
    assert goal.cancels[1].return_code == CancelGoal.Response.ERROR_GOAL_TERMINATED
    assert client.end(client.send(2, 2)) == SUCCEEDED


def test_all_goals_are_cancelled_by_a_request_without_id(graph, start, tmp_path):
    _, (client,) = fleet_with_clients(graph, start, tmp_path, [(0, 0)])
    goal = client.go(FAR, 0)
    answer = graph.call(CancelGoal, '_action/cancel_goal', CancelGoal.Request(), node='robot_0/navigate_to_pose')
    assert answer.return_code == CancelGoal.Response.ERROR_NONE
    assert client.end(goal) == CANCELED


def test_a_new_goal_replaces_the_running_one(graph, start, tmp_path):
    fleet, (client,) = fleet_with_clients(graph, start, tmp_path, [(0, 0)])
    first = client.go(FAR, 0)
    second = client.send(0, 4)
    assert client.end(first) == ABORTED
    assert (first.result.error_code, first.result.error_msg) == (0, 'replaced by a newer goal')
    assert client.end(second) == SUCCEEDED
    assert fleet.is_at('robot_0', 0, 4)


def test_a_goal_of_the_topic_replaces_one_of_the_action_and_back(graph, start, tmp_path):
    fleet, (client,) = fleet_with_clients(graph, start, tmp_path, [(0, 0)])
    first = client.go(FAR, 0)
    fleet.send('robot_0', 6, 4)
    assert client.end(first) == ABORTED
    assert client.end(client.send(3, 1)) == SUCCEEDED
    assert fleet.is_at('robot_0', 3, 1)


@pytest.mark.parametrize('x, number, words', [(20, 204, 'outside the map'), (3, 206, 'in an obstacle')])
def test_a_goal_that_fails_is_aborted(graph, x, number, words):
    robot, = graph.start('a')
    robot.stand(*place(0, 0))
    client = Client(graph, 'a')
    goal = client.send(x, 1)
    graph.until(lambda: goal.is_answered, 'an answer')
    assert goal.is_accepted, 'without a map nothing speaks against it'
    graph.map_publisher.publish(grid_map(['.....', '...#.', '.....']))
    assert client.end(goal) == ABORTED
    assert goal.result.error_code == number and words in goal.result.error_msg


def test_a_result_is_kept_for_a_while(graph, start, tmp_path):
    planner = {'action_result_timeout': 4.0}
    fleet, (client,) = fleet_with_clients(graph, start, tmp_path, [(0, 0)], planner)
    goal = client.send(3, 0, asks=False)
    fleet.wait(lambda: goal.is_answered and client.seen(goal)[-1:] == [SUCCEEDED], 'the status')
    goal.ask()
    assert client.end(goal) == SUCCEEDED
    goal.ask()
    fleet.wait(lambda: len(goal.results) == 2, 'the result for another one who asks')
    assert goal.results[1].status == SUCCEEDED
    fleet.wait_seconds(8.0)
    goal.ask()
    fleet.wait(lambda: len(goal.results) == 3, 'an answer')
    assert goal.results[2].status == GoalStatus.STATUS_UNKNOWN, 'it has expired'


def test_a_robot_has_a_bounded_number_of_goals(graph):
    """Each goal replaces the one before, whose result is kept. A client that never stops gets no more than 1,000 into memory. It
    has the service of the goals only: an action client would read a list of all of them after each."""
    a, = graph.start('a', action_result_timeout=600.0, odom_timeout=0.0)
    graph.map_publisher.publish(grid_map(ROWS))
    a.stand(*place(0, 0))
    client = graph.node.create_client(NavigateToPose.Impl.SendGoalService, 'a/navigate_to_pose/_action/send_goal')
    graph.until(client.service_is_ready, 'the action server')
    graph.until(lambda: a.path, 'the first path')
    request = NavigateToPose.Impl.SendGoalService.Request(goal=NavigateToPose.Goal(pose=pose_stamped(*place(FAR, 0))))
    accepted = []
    while len(accepted) < 1005:
        answers = []
        for k in range(5):  # fewer than the service's queue holds
            request.goal_id.uuid = list((len(accepted) + k).to_bytes(16, 'little'))
            answers.append(client.call_async(request))
        graph.until(lambda: all(answer.done() for answer in answers), 'answers')
        accepted += [answer.result().accepted for answer in answers]
    assert accepted == [True] * 1000 + [False] * 5
    graph.until(lambda: 'the results of 1000 goals are kept, which is the most (action_result_timeout)' in graph.output(), 'the log')


def test_robots_that_leave_take_their_servers_along(graph, start, tmp_path):
    fleet, (first, second) = fleet_with_clients(graph, start, tmp_path, [(0, 0), (0, 4)])
    leaving, staying = first.go(FAR, 0), second.go(11, 4)
    assert graph.set_parameters(robots=['robot_1'])[0].successful
    assert first.end(leaving) == CANCELED
    assert 'left the fleet' in leaving.result.error_msg
    fleet.wait(lambda: not first.action.server_is_ready(), 'the end of the server')
    assert second.end(staying) == SUCCEEDED
    assert graph.set_parameters(robots=['robot_1', 'robot_0'])[0].successful
    fleet.wait(first.action.server_is_ready, 'the server')
    fleet.wait(lambda: graph.value('robot_0', 'execution') == 'arrived', 'the robot')
    assert first.end(first.send(1, 1)) == SUCCEEDED


def test_an_empty_list_of_goals_cancels(graph, start, tmp_path):
    fleet, (client,) = fleet_with_clients(graph, start, tmp_path, [(0, 0)])
    publisher = graph.node.create_publisher(Goals, 'robot_0/goals', 10)
    fleet.wait(lambda: publisher.get_subscription_count() > 0, 'a reader of goals')
    goal = client.go(FAR, 0)
    publisher.publish(Goals())
    assert client.end(goal) == CANCELED
    assert 'another client' in goal.result.error_msg
    fleet.wait(lambda: graph.state('robot_0') in ('idle', 'arrived'), 'the robot to stop')
    assert fleet.at('robot_0')[0] < FAR - 1.5
    publisher.publish(Goals())  # there is nothing to cancel
    assert client.end(client.send(5, 3)) == SUCCEEDED


def test_services_of_a_robot(graph, start, tmp_path):
    fleet, clients = fleet_with_clients(graph, start, tmp_path, [(0, 0), (0, 4)])
    goals = [clients[0].go(FAR, 0), clients[1].go(11, 4)]
    assert graph.call(Trigger, 'hold', Trigger.Request(), node='robot_0').success
    assert clients[1].end(goals[1]) == SUCCEEDED
    fleet.wait(lambda: fleet.sim.odom['robot_0'][-1].twist.twist.linear.x == 0.0, 'the end of what is released')
    held = fleet.at('robot_0')
    assert not goals[0].is_done and held[0] < FAR - 1.5
    fleet.wait_seconds(3.0)
    assert abs(fleet.at('robot_0')[0] - held[0]) < 0.1, 'it stands'
    assert graph.call(Trigger, 'release', Trigger.Request(), node='robot_0').success
    assert clients[0].end(goals[0]) == SUCCEEDED
    goal = clients[0].go(0, 0)
    answer = graph.call(Trigger, 'cancel', Trigger.Request(), node='robot_0')
    assert answer.success and answer.message == 'goals cancelled: 1'
    assert clients[0].end(goal) == CANCELED
    assert graph.call(Trigger, 'cancel', Trigger.Request(), node='robot_0').message == 'it has no goal'


def test_a_large_fleet_has_no_services_of_robots(graph):
    graph.start('a', 'b', robot_services_max=1)
    graph.until(lambda: 'hold and release are not offered to 2 robots' in graph.output(), 'the log')

    def has(name):
        return (f'/{name}/hold', ['std_srvs/srv/Trigger']) in graph.node.get_service_names_and_types()
    assert not has('a')
    assert graph.set_parameters(robots=['a'])[0].successful
    graph.until(lambda: has('a'), 'the services of a small fleet')
    assert graph.set_parameters(robots=['a', 'b'])[0].successful
    graph.until(lambda: not has('a'), 'their end')


def test_robots_of_a_fleet_that_is_too_large_get_no_server(graph):
    graph.start('a', actions_max=1)
    client = Client(graph, 'a')
    assert graph.set_parameters(robots=['a', 'b'])[0].successful
    graph.until(lambda: 'navigate_to_pose is not offered to more robots' in graph.output(), 'the log')
    names = [name for name, _ in graph.node.get_service_names_and_types()]
    assert '/b/navigate_to_pose/_action/send_goal' not in names and client.action.server_is_ready()


def test_clients_are_told_that_the_node_ends(graph, start, tmp_path):
    fleet, (client,) = fleet_with_clients(graph, start, tmp_path, [(0, 0)])
    goal = client.go(FAR, 4)
    assert graph.stop() == 0
    fleet.wait_without_planner(lambda: goal.is_done, 'the result')
    assert goal.status == ABORTED and 'has ended' in goal.result.error_msg


def test_fifty_goals_end_in_one_result_each(graph, start, tmp_path):
    fleet, clients = fleet_with_clients(graph, start, tmp_path, [(0, 0), (11, 0), (0, 4), (11, 4)])
    chance = random.Random(7)
    topics = [graph.node.create_publisher(PoseStamped, f'{client.name}/goal_pose', 10) for client in clients]
    goals, kinds = [], []
    for number in range(50):
        robot = number % len(clients)
        client = clients[robot]
        kind = chance.choice(['reach', 'reach', 'cancel', 'replace', 'reject', 'topic'])
        x, y = 4 * chance.randrange(3) + robot, chance.randrange(5)  # no two robots want one place
        goal = client.send(x, y if kind != 'reject' else 30)
        goals.append(goal)
        kinds.append(kind)
        fleet.wait(lambda: goal.is_answered, 'an answer')
        assert goal.is_accepted == (kind != 'reject'), (number, kind)
        if kind == 'reach':
            client.end(goal)
        elif kind == 'topic':
            topics[robot].publish(pose_stamped(*place(4 * chance.randrange(3) + robot, chance.randrange(5))))
            client.end(goal)
        elif kind == 'cancel':
            fleet.wait_seconds(chance.random())
            goal.cancel()
        # 'replace': the next goal of this robot comes while this one is driven
    for robot, client in enumerate(clients):
        goals.append(client.send(4 + robot, 2))
        kinds.append('reach')
    fleet.wait(lambda: all(goal.is_done for goal in goals), 'the ends of all goals')
    assert set(kinds) == {'reach', 'cancel', 'replace', 'reject', 'topic'}
    for goal, kind in zip(goals, kinds):
        if kind == 'reject':
            assert goal.results == [] and goal.client.seen(goal) == []
            continue
        assert len(goal.results) == 1 and goal.status in ENDS
        assert kind != 'reach' or goal.status == SUCCEEDED
        assert kind != 'cancel' or goal.status in (CANCELED, SUCCEEDED)
        fleet.wait(lambda: goal.client.seen(goal)[-1:] == [goal.status], 'the same end as status')
        assert [status for status in goal.client.seen(goal) if status in ENDS] == [goal.status]
    assert {goal.status for goal in goals if goal.results} == set(ENDS)
    fleet.check()
