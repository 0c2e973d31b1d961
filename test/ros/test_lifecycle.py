"""planner_node as a managed node: its states, its transitions, and what they mean to robots that drive."""
from bond.msg import Status
from fleet import Fleet, map_file, place, texts
from graph import pose_stamped
from lifecycle_msgs.msg import State, Transition
from lifecycle_msgs.srv import ChangeState, GetAvailableStates, GetAvailableTransitions, GetState
from nav2_msgs.action import NavigateToPose
from rclpy.action import ActionClient

UNCONFIGURED, INACTIVE = State.PRIMARY_STATE_UNCONFIGURED, State.PRIMARY_STATE_INACTIVE
ACTIVE, FINALIZED = State.PRIMARY_STATE_ACTIVE, State.PRIMARY_STATE_FINALIZED


def change(graph, transition=0, label=''):
    request = ChangeState.Request()
    request.transition.id, request.transition.label = transition, label
    return graph.call(ChangeState, 'change_state', request).success


def state(graph):
    return graph.call(GetState, 'get_state', GetState.Request()).current_state.id


def services(graph):
    return {name for name, _ in graph.node.get_service_names_and_types_by_node('fleetweave_planner', '/')}


def topics(graph):
    return {name for name, _ in graph.node.get_publisher_names_and_types_by_node('fleetweave_planner', '/')}


def drive_fleet(graph, start, tmp_path, **planner):
    simulator = {'map': map_file(tmp_path, ['.' * 16] * 3), 'goals': 'none', 'starts': texts(['0,0'])}
    return Fleet(graph, start, ['robot_0'], planner, simulator)


def stands(fleet):
    """Where the robot is, once it does not move any more."""
    last = [None]

    def is_still():
        before, last[0] = last[0], fleet.at('robot_0')
        fleet.wait_seconds(1.0)
        return before is not None and abs(fleet.at('robot_0')[0] - last[0][0]) < 0.01
    fleet.wait(is_still, 'the robot to stand')
    return fleet.at('robot_0')


def test_it_starts_by_itself(graph):
    graph.start('a')
    assert state(graph) == ACTIVE
    states = graph.call(GetAvailableStates, 'get_available_states', GetAvailableStates.Request()).available_states
    assert {'unconfigured', 'inactive', 'active', 'finalized'} <= {one.label for one in states}
    request = GetAvailableTransitions.Request()
    now = graph.call(GetAvailableTransitions, 'get_available_transitions', request).available_transitions
    assert {one.transition.label for one in now} == {'deactivate', 'shutdown'}
    every = graph.call(GetAvailableTransitions, 'get_transition_graph', request).available_transitions
    assert len(every) > 20 and {'configure', 'cleanup'} <= {one.transition.label for one in every}


def test_every_transition(graph):
    graph.start('a', autostart=False)
    assert state(graph) == UNCONFIGURED
    graph.until(lambda: 'fleetweave_planner' in graph.node.get_node_names(), 'the node in the graph')
    assert '/a/timed_path' not in topics(graph)
    assert not change(graph, Transition.TRANSITION_ACTIVATE), 'it is not configured'
    assert not change(graph, Transition.TRANSITION_ON_CONFIGURE_SUCCESS), 'that is not for clients'
    assert not change(graph, label='no such thing')
    assert change(graph, Transition.TRANSITION_CONFIGURE)
    assert state(graph) == INACTIVE
    graph.until(lambda: '/a/timed_path' in topics(graph) and '/a/hold' in services(graph), 'its names')
    assert change(graph, label='activate')
    assert state(graph) == ACTIVE
    assert change(graph, Transition.TRANSITION_DEACTIVATE)
    assert change(graph, Transition.TRANSITION_CLEANUP)
    assert state(graph) == UNCONFIGURED
    graph.until(lambda: '/a/timed_path' not in topics(graph) and '/a/hold' not in services(graph), 'nothing of it')
    assert graph.set_parameters(robots=['b', 'c'])[0].successful
    assert change(graph, Transition.TRANSITION_CONFIGURE)
    graph.until(lambda: '/c/timed_path' in topics(graph), 'the new robots')
    assert '/a/timed_path' not in topics(graph)
    assert change(graph, Transition.TRANSITION_INACTIVE_SHUTDOWN)
    assert state(graph) == FINALIZED
    assert not change(graph, Transition.TRANSITION_CONFIGURE)


def test_a_configuration_that_fails(graph, tmp_path):
    graph.start('a', autostart=False, journal=f'{tmp_path}/missing/journal')
    assert not change(graph, Transition.TRANSITION_CONFIGURE)
    assert state(graph) == UNCONFIGURED
    assert 'journal' in graph.output()
    (tmp_path / 'missing').mkdir()
    assert change(graph, Transition.TRANSITION_CONFIGURE), 'the reason is gone'


def test_deactivate_while_driving(graph, start, tmp_path):
    fleet = drive_fleet(graph, start, tmp_path, release_ahead=1.0)
    fleet.wait(lambda: graph.value('robot_0', 'execution') == 'arrived', 'the robot')
    fleet.send('robot_0', 15, 1)
    fleet.wait(lambda: fleet.at('robot_0')[0] > 2.0, 'the robot to drive')
    assert change(graph, Transition.TRANSITION_DEACTIVATE)
    release = fleet.releases['robot_0'][-1]
    fleet.wait(lambda: 'not active' in graph.message('planner'), 'the diagnostics')
    x, y = stands(fleet)
    end = fleet.releases['robot_0'][-1].poses[-1].pose.position
    assert x < 14.0 and abs(end.x - place(x, y)[0]) < 0.1, 'it stands at the end of its release'
    assert fleet.releases['robot_0'][-1].poses[-1].pose.position.x <= release.poses[-1].pose.position.x + 0.51

    client = ActionClient(graph.node, NavigateToPose, 'robot_0/navigate_to_pose')
    fleet.wait(client.server_is_ready, 'the action server')
    answer = client.send_goal_async(NavigateToPose.Goal(pose=pose_stamped(*place(1, 1))))
    fleet.wait(answer.done, 'an answer')
    assert not answer.result().accepted, 'no goals while it is not active'
    assert 'planner_node is not active' in graph.output()
    assert graph.value('robot_0', 'goal_cell') == '15,1', 'its goal waits'

    assert change(graph, Transition.TRANSITION_ACTIVATE)
    fleet.wait(lambda: fleet.is_at('robot_0', 15, 1), 'the robot to reach its goal after all')
    fleet.check()


def test_cleanup_and_configure_while_driving_with_a_journal(graph, start, tmp_path):
    fleet = drive_fleet(graph, start, tmp_path, release_ahead=1.0, journal=f'{tmp_path}/journal')
    fleet.wait(lambda: graph.value('robot_0', 'execution') == 'arrived', 'the robot')
    fleet.send('robot_0', 15, 2)
    fleet.wait(lambda: fleet.at('robot_0')[0] > 1.0, 'the robot to drive')
    assert change(graph, Transition.TRANSITION_DEACTIVATE)
    assert change(graph, Transition.TRANSITION_CLEANUP)
    assert stands(fleet)[0] < 14.0
    assert change(graph, Transition.TRANSITION_CONFIGURE)
    assert change(graph, Transition.TRANSITION_ACTIVATE)
    fleet.wait(lambda: fleet.is_at('robot_0', 15, 2), 'the robot to continue to its goal')
    fleet.check()


# ---- the bond of a manager

class Manager:
    """The other side of the bond, as Nav2's lifecycle manager has it."""

    def __init__(self, graph):
        self.heard = []
        self.publisher = graph.node.create_publisher(Status, 'bond', 10)
        graph.node.create_subscription(Status, 'bond', self.on_status, 100)

    def on_status(self, message):
        if message.instance_id != 'manager':
            self.heard.append(message)

    def say(self, active, name='fleetweave_planner'):
        self.publisher.publish(Status(id=name, instance_id='manager', active=active))

    def count(self, active):
        return sum(message.active == active for message in self.heard)


def activate_with(graph, manager):
    manager.heard.clear()
    assert change(graph, Transition.TRANSITION_ACTIVATE)
    graph.until(lambda: manager.count(True) >= 5, 'heartbeats')


def test_a_bond_lasts_while_the_node_is_active(graph):
    manager = Manager(graph)
    graph.start('a', autostart=False)
    assert change(graph, Transition.TRANSITION_CONFIGURE)
    graph.until(lambda: graph.node.count_publishers('bond') == 2, 'the bond')
    assert manager.heard == [], 'it is not active'
    activate_with(graph, manager)
    assert {message.id for message in manager.heard} == {'fleetweave_planner'}
    assert len({message.instance_id for message in manager.heard}) == 1 and manager.count(False) == 0
    manager.say(True)
    manager.say(False, name='another_node')
    graph.until(lambda: manager.count(True) >= 15, 'more of them')
    assert change(graph, Transition.TRANSITION_DEACTIVATE)
    graph.until(lambda: manager.count(False) == 1, 'its end')
    heard = len(manager.heard)
    graph.pass_diagnostics()
    assert len(manager.heard) == heard, 'silence while it is not active'
    activate_with(graph, manager)
    assert graph.stop() == 0
    graph.process = None
    graph.until(lambda: not manager.heard[-1].active, 'the end of the process to end the bond')


def test_a_bond_that_the_manager_ends_is_ended_here(graph):
    manager = Manager(graph)
    graph.start('a', autostart=False)
    assert change(graph, Transition.TRANSITION_CONFIGURE)
    graph.until(lambda: graph.node.count_subscribers('bond') == 2, 'the bond')
    activate_with(graph, manager)
    manager.say(False)
    graph.until(lambda: manager.count(False) == 1, 'the answer')
    graph.pass_diagnostics()
    assert manager.count(False) == 1 and not manager.heard[-1].active
    assert state(graph) == ACTIVE, 'robots go on without a manager'
    assert change(graph, Transition.TRANSITION_DEACTIVATE)
    activate_with(graph, manager)


def test_a_node_that_starts_by_itself_has_no_bond(graph):
    graph.start('a')
    assert state(graph) == ACTIVE
    assert graph.node.count_publishers('bond') == 0
