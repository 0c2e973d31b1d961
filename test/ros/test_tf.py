"""Poses over tf: one topic for the fleet, chains that break and heal, static links, frames of others; and the simulator,
which publishes transforms as a fleet with drifting odometry does."""
import math
from unittest.mock import Mock

import pytest
from fleet import Fleet, place
from geometry_msgs.msg import PoseStamped, TransformStamped
from graph import Robot, grid_map, nanoseconds, points, pose_stamped
from nav_msgs.msg import Goals
from rclpy.qos import DurabilityPolicy, QoSProfile
from rclpy.time import Time
from sim import FAST, seconds
from tf2_msgs.msg import TFMessage

STATIC = QoSProfile(depth=100, durability=DurabilityPolicy.TRANSIENT_LOCAL)
JAZZY_HASH = 'RIHS01_e369d0f05a23ae52508854b66f6aa0437f3449d652e8cbf22d5abe85d020f087'
HALL = grid_map(['.' * 12] * 6)


def compose(a, b):
    """Poses (x, y, yaw) in the plane: b, given in a, in the frame of a."""
    (ax, ay, ayaw), (bx, by, byaw) = a, b
    return (ax + math.cos(ayaw) * bx - math.sin(ayaw) * by, ay + math.sin(ayaw) * bx + math.cos(ayaw) * by, ayaw + byaw)


def inverse(a):
    x, y, yaw = a
    return (-math.cos(yaw) * x - math.sin(yaw) * y, math.sin(yaw) * x - math.cos(yaw) * y, -yaw)


def transform(parent, child, pose, stamp):
    message = TransformStamped()
    message.header.frame_id, message.child_frame_id, message.header.stamp = parent, child, stamp
    message.transform.translation.x, message.transform.translation.y = pose[0], pose[1]
    message.transform.rotation.z, message.transform.rotation.w = math.sin(pose[2] / 2), math.cos(pose[2] / 2)
    return message


def pose_of(message):
    q, t = message.transform.rotation, message.transform.translation
    return t.x, t.y, 2 * math.atan2(q.z, q.w)


class TfRobot(Robot):
    """Publishes transforms only: map -> odom -> base frame. Its odometry begins anywhere."""

    def __init__(self, graph, name, topic='/tf', prefix=None):
        super().__init__(graph, name)
        graph.node.destroy_publisher(self.pose_publisher)
        self.pose_publisher = graph.node.create_publisher(TFMessage, topic, 100)
        self.prefix = f'{name}/' if prefix is None else prefix
        self.origin = (3.0, -40.0, 2.0)
        self.has_localisation = self.has_odometry = True

    def links(self, stamp):
        odometry = compose(inverse(self.origin), (self.x, self.y, 0.0))
        if self.has_localisation:
            yield transform('map', f'{self.prefix}odom', self.origin, stamp)
        if self.has_odometry:
            yield transform(f'{self.prefix}odom', f'{self.prefix}base_link', odometry, stamp)

    def publish(self):
        if self.x is not None:
            self.pose_publisher.publish(TFMessage(transforms=list(self.links(self.graph.now_stamp()))))


def start(graph, *names, robot=TfRobot, **parameters):
    graph.start(*names, pose_source='tf', **parameters)
    graph.robots = {name: robot(graph, name) for name in names}
    graph.map_publisher.publish(HALL)
    return [graph.robots[name] for name in names]


# ---- the node

def test_the_interface_is_that_of_ros(graph):
    start(graph, 'a')
    graph.until(lambda: graph.node.get_subscriptions_info_by_topic('/tf'), 'a reader of /tf')
    ends = graph.node.get_subscriptions_info_by_topic('/tf') + graph.node.get_subscriptions_info_by_topic('/tf_static')
    assert {str(end.topic_type_hash) for end in ends} == {JAZZY_HASH}
    assert graph.node.get_subscriptions_info_by_topic('/a/odom') == []


def test_a_goal_is_planned_from_composed_transforms(graph):
    a, b = start(graph, 'a', 'b')
    a.stand(*place(1, 1))
    b.stand(*place(5, 4))
    b.origin = (-7.0, 100.0, -1.0)
    a.send_goal(*place(8, 1))
    graph.until(lambda: a.reaches(*place(8, 1)) and points(a.paths[-1])[0][1] == place(1, 1)[1], 'a path')
    graph.until(lambda: math.dist((a.x, a.y), place(8, 1)) < 0.01, 'arrival')
    graph.until(lambda: graph.state('a') == 'arrived' and graph.error('a') == 0, 'the arrival in the diagnostics')


def test_a_broken_chain_is_named(graph):
    a, b = start(graph, 'a', 'b')
    a.stand(*place(1, 1))
    b.stand(*place(5, 4))
    a.has_localisation = False
    graph.until(lambda: graph.message('a') == 'no transform from map to a/odom', 'the reason')
    assert graph.error('a') == 202
    assert 'a: error 202: no transform from map to a/odom' in graph.output()
    graph.until(lambda: graph.error('b') == 0 and graph.state('b') == 'idle', 'the other one')
    a.has_localisation = True
    graph.until(lambda: graph.error('a') == 0 and graph.state('a') == 'idle', 'a whole chain')


def test_a_robot_without_any_transform_is_named(graph):
    _, b = start(graph, 'a', 'b')
    b.stand(*place(5, 4))
    graph.until(lambda: graph.message('a') == 'no transform from map to a/base_link', 'a word of it')


def test_silence_of_everybody_is_one_line(graph):
    robots = start(graph, 'a', 'b', 'c', odom_timeout=0.5)
    for k, robot in enumerate(robots):
        robot.stand(*place(2 * k, 2 * k))
    graph.until(lambda: all(graph.state(name) == 'idle' for name in 'abc'), 'everybody')
    for robot in robots:
        robot.leave()
    graph.until(lambda: all(graph.state(name) == 'stale' for name in 'abc'), 'silence')
    graph.pass_diagnostics()
    words = 'no pose of any robot comes from /tf; a: the last transform from '
    assert graph.output().count(words) == 1 and 'error 202' not in graph.output()
    for robot in robots:
        robot.stand(*place(1, 1 + robots.index(robot)))
    graph.until(lambda: all(graph.state(name) == 'idle' for name in 'abc'), 'everybody again')


def test_silence_of_a_link_makes_a_robot_stale(graph):
    a, b = start(graph, 'a', 'b', odom_timeout=0.5)
    a.stand(*place(1, 1))
    b.stand(*place(5, 4))
    graph.until(lambda: graph.state('a') == 'idle' and graph.state('b') == 'idle', 'both')
    a.has_localisation = False  # odometry goes on, but nobody knows where it is
    graph.until(lambda: graph.state('a') == 'stale', 'silence')
    words = 'the last transform from map to a/odom is older than'
    graph.until(lambda: words in graph.message('a'), f'the reason, not {graph.message("a")}')
    assert graph.state('b') == 'idle'
    a.has_localisation, a.has_odometry = True, False
    words = 'the last transform from a/odom to a/base_link is older than'
    graph.until(lambda: words in graph.message('a'), f'the reason, not {graph.message("a")}')
    a.has_odometry = True
    graph.until(lambda: graph.state('a') == 'idle', 'poses again')


def test_static_links(graph):
    """map -> site -> a/odom and a/foot -> a/base_link are static and sent once, before the node runs."""
    fixed = graph.node.create_publisher(TFMessage, '/tf_static', STATIC)
    stamp = Time(seconds=1).to_msg()  # of no meaning
    fixed.publish(TFMessage(transforms=[
        transform('map', 'site', (1.0, 0.0, 0.0), stamp), transform('a/foot', 'a/base_link', (0.0, 0.25, 0.0), stamp),
        transform('a/base_link', 'a/laser', (0.1, 0.0, 0.0), stamp)]))
    fixed.publish(TFMessage(transforms=[transform('site', 'a/odom', (0.0, 0.0, math.pi / 2), stamp)]))

    class Footed(TfRobot):
        def links(self, stamp):
            foot = compose((self.x, self.y, 0.0), inverse((0.0, 0.25, 0.0)))
            yield transform('/a/odom', '/a/foot', compose(inverse((1.0, 0.0, math.pi / 2)), foot), stamp)

    a, = start(graph, 'a', robot=Footed)
    a.stand(*place(3, 2))
    a.send_goal(*place(3, 4))
    graph.until(lambda: a.reaches(*place(3, 4)), 'a path')
    assert points(a.paths[-1])[0][0] == place(3, 2)[0]
    graph.until(lambda: graph.state('a') == 'arrived', 'arrival')


def test_frames_of_others_and_garbage(graph):
    """A hundred robots of another system and transforms that make no sense, on the same topic."""
    a, = start(graph, 'a')
    a.stand(*place(1, 1))
    other = graph.node.create_publisher(TFMessage, '/tf', 100)

    def disturb():
        stamp = graph.now_stamp()
        links = [transform(f'x{k}/odom', f'x{k}/base_link', (1.0, 2.0, 0.3), stamp) for k in range(100)]
        nothing = TransformStamped()
        self_made = transform('a/base_link', 'a/base_link', (0.0, 0.0, 0.0), stamp)
        cycle = transform('a/base_link', 'map', (0.0, 0.0, 0.0), stamp)
        wild = transform('a/odom', 'a/base_link', (math.nan, math.inf, 0.0), stamp)
        flat = transform('a/odom', 'a/base_link', (9.0, 9.0, 0.0), stamp)
        flat.transform.rotation.z = flat.transform.rotation.w = 0.0
        late = transform('a/odom', 'a/base_link', (9.0, 9.0, 0.0), Time(nanoseconds=graph.now_ns() + 10**12).to_msg())
        other.publish(TFMessage(transforms=[*links, nothing, self_made, cycle, wild, flat, late]))

    def goes_on(condition):
        disturb()
        return condition()
    graph.until(lambda: goes_on(lambda: graph.state('a') == 'idle'), 'a pose')
    a.send_goal(*place(8, 3))
    graph.until(lambda: goes_on(lambda: math.dist((a.x, a.y), place(8, 3)) < 0.01), 'arrival')
    graph.until(lambda: goes_on(lambda: graph.state('a') == 'arrived'), 'the arrival in the diagnostics')
    output = graph.output()
    assert 'is refused: ' in output
    assert output.count('is refused: ') < 100, 'a line for each of them'
    assert 'x7/' not in output


def test_topics_and_frames_of_each_robot(graph):
    """As Nav2 has them in namespaces: the same frames in all trees."""
    names = ('a', 'b')
    graph.start(*names, pose_source='tf', tf_topic='"{robot}/tf"', base_frame='base_link')
    graph.robots = {name: TfRobot(graph, name, f'{name}/tf', '') for name in names}
    graph.map_publisher.publish(HALL)
    a, b = graph.robots.values()
    a.stand(*place(1, 1))
    b.stand(*place(5, 4))
    b.origin = (0.0, 1.0, 0.5)
    a.send_goal(*place(1, 4))
    b.send_goal(*place(5, 1))
    graph.until(lambda: a.reaches(*place(1, 4)) and b.reaches(*place(5, 1)), 'paths')
    assert graph.set_parameters(robots=['b'])[0].successful
    graph.until(lambda: not graph.node.get_subscriptions_info_by_topic('/a/tf'), 'nobody to listen to a')
    graph.until(lambda: graph.state('b') == 'arrived', 'arrival')


# ---- goals in other frames

def test_goals_ahead_of_a_robot(graph):
    """By its topic, as a queue and without an addressee: each in a frame that moves with the robot."""
    a, = start(graph, 'a')
    a.stand(*place(1, 1))
    graph.until(lambda: graph.state('a') == 'idle', 'a pose')
    a.send_goal(2.0, 0.5, frame_id='a/base_link')
    graph.until(lambda: a.reaches(*place(5, 2)), 'a path to 2 m ahead and half a metre to the left')
    graph.until(lambda: graph.state('a') == 'arrived', 'arrival')
    queue = graph.node.create_publisher(Goals, 'a/goals', 10)
    anybody = graph.node.create_publisher(PoseStamped, 'goal_pose', 10)
    graph.until(lambda: queue.get_subscription_count() and anybody.get_subscription_count(), 'readers')
    goals = Goals(goals=[pose_stamped(0.5, 0.0, 'a/base_link'), pose_stamped(0.0, 1.0, '')])
    goals.header.frame_id = 'a/base_link'  # of those that have none
    queue.publish(goals)
    graph.until(lambda: a.reaches(*place(5, 4)), 'the end of the queue: from where it stood when it came')
    graph.until(lambda: graph.state('a') == 'arrived' and a.reaches(*place(5, 4)), 'arrival')
    graph.until(lambda: math.dist((a.x, a.y), place(5, 4)) < 1e-6, 'the last centimetres')
    graph.pass_diagnostics()  # its pose there has been heard
    anybody.publish(pose_stamped(-1.0, -1.0, 'a/base_link'))
    graph.until(lambda: a.reaches(*place(3, 2)), 'a path back')
    assert 'goal_pose: (1.75, 1.25) goes to a' in graph.output(), 'coordinates of the map'
    assert 'refused' not in graph.output()


def test_a_goal_beside_a_dock(graph):
    """A static frame, turned by a quarter, sent before the node runs."""
    fixed = graph.node.create_publisher(TFMessage, '/tf_static', STATIC)
    dock = (*place(8, 1), math.pi / 2)
    fixed.publish(TFMessage(transforms=[transform('map', 'dock', dock, Time(seconds=1).to_msg())]))
    a, = start(graph, 'a')
    a.stand(*place(1, 1))
    graph.until(lambda: graph.state('a') == 'idle', 'a pose')

    def goes():  # the dock may come later than the pose
        a.send_goal(1.0, 0.5, frame_id='dock', yaw=-math.pi / 2)
        graph.pass_diagnostics(1)
        return a.reaches(*place(7, 3))
    graph.until(goes, 'a path')
    turn = a.path.poses[-1].pose.orientation
    assert abs(2.0 * math.atan2(turn.z, turn.w)) < 1e-6, 'the yaw is turned with the dock'


def test_a_goal_in_a_frame_that_is_not_known(graph):
    """A lorry that nobody asked for before. Its first goal is refused, and those after its next transform are not."""
    a, = start(graph, 'a', odom_timeout=1.0)
    a.stand(*place(1, 1))
    graph.until(lambda: graph.state('a') == 'idle', 'a pose')
    a.send_goal(0.0, 0.0, frame_id='lorry')
    graph.until(lambda: graph.error('a') == 202, 'error 202')
    words = "its frame_id is 'lorry', not 'map': no transform from map to lorry"
    assert words in graph.message('a') and 'send the goal again' in graph.output()
    lorry = graph.node.create_publisher(TFMessage, '/tf', 100)

    def goes():
        lorry.publish(TFMessage(transforms=[transform('map', 'lorry', (*place(6, 3), 1.0), graph.now_stamp())]))
        a.send_goal(0.0, 0.0, frame_id='/lorry')
        graph.spin()
        return a.reaches(*place(6, 3))
    graph.until(goes, 'a path to it')
    old = Time(nanoseconds=graph.now_ns()).to_msg()
    graph.until(lambda: graph.now_ns() - 10**9 * old.sec - old.nanosec > 2 * 10**9, 'the lorry to be silent')
    a.send_goal(1.0, 0.0, frame_id='lorry')
    graph.until(lambda: 'the last transform from map to lorry is ' in graph.message('a'), 'a word of its age')


def test_goals_where_each_robot_has_transforms_of_its_own(graph):
    names = ('a', 'b')
    graph.start(*names, pose_source='tf', tf_topic='"{robot}/tf"', base_frame='base_link')
    graph.robots = {name: TfRobot(graph, name, f'{name}/tf', '') for name in names}
    graph.map_publisher.publish(HALL)
    a, b = graph.robots.values()
    a.stand(*place(1, 1))
    b.stand(*place(3, 4))
    graph.until(lambda: graph.state('a') == graph.state('b') == 'idle', 'poses')
    for robot in (a, b):
        robot.send_goal(2.0, 0.0, frame_id='base_link')
    graph.until(lambda: a.reaches(*place(5, 1)) and b.reaches(*place(7, 4)), 'a path of each from its own place')
    anybody = graph.node.create_publisher(PoseStamped, 'goal_pose', 10)
    graph.until(anybody.get_subscription_count, 'a reader')
    anybody.publish(pose_stamped(1.0, 0.0, 'base_link'))
    graph.until(lambda: 'goal_pose refused: ' in graph.output(), 'a refusal: whose base_link is it?')
    assert 'each robot has transforms of its own' in graph.output()


def test_time_that_goes_back(sim_graph):
    a, = start(sim_graph, 'a', use_sim_time=True)
    a.stand(*place(1, 1))
    sim_graph.until(lambda: sim_graph.state('a') == 'idle' and sim_graph.node_ns > 100 * 10**9, 'a pose')
    sim_graph.time_ns = 20 * 10**9
    a.stand(*place(4, 4))
    a.drives = False  # it would go back to (1, 1) by the path of before, until it hears that this one is void
    sim_graph.until(lambda: 'ROS time went back' in sim_graph.output(), 'a word of it')
    a.send_goal(*place(8, 4))
    sim_graph.until(lambda: a.reaches(*place(8, 4)) and points(a.path)[0][1] == place(4, 4)[1], 'a path from there')


def test_transforms_from_before_the_first_time_are_forgotten(sim_graph):
    a, = start(sim_graph, 'a', use_sim_time=True)
    clock, sim_graph.clock_publisher = sim_graph.clock_publisher, Mock()
    a.stand(*place(1, 1))
    sim_graph.until(lambda: sim_graph.state('a') == 'idle', 'a pose of another run')
    sim_graph.time_ns, sim_graph.clock_publisher = 20 * 10**9, clock
    a.stand(*place(4, 4))
    a.drives = False
    a.send_goal(*place(8, 4))
    sim_graph.until(lambda: a.reaches(*place(8, 4)) and points(a.path)[0] == place(4, 4), 'a path from there')
    assert nanoseconds(a.path.header.stamp) < 60 * 10**9  # not only when this run is as old as the other one


# ---- the simulator

class Transforms:
    """All messages of /tf."""

    def __init__(self, sim):
        self.sim, self.messages = sim, []
        sim.node.create_subscription(TFMessage, '/tf', self.messages.append, QoSProfile(depth=1000))

    def poses(self):
        """By robot and stamp: origin of odometry, and the composed pose."""
        found = {}
        for message in self.messages:
            links = {link.child_frame_id: link for link in message.transforms}
            for name in [child.split('/')[0] for child in links if child.endswith('/base_link')]:
                base, odom = links[f'{name}/base_link'], links[f'{name}/odom']
                assert (odom.header.frame_id, base.header.frame_id) == ('map', f'{name}/odom')
                origin = pose_of(odom)
                stamp = round(seconds(base.header.stamp), 6)
                found.setdefault(name, {})[stamp] = (origin, compose(origin, pose_of(base)))
        return found


def test_transforms_are_true_while_odometry_drifts(start):
    names = [f'robot_{k}' for k in range(3)]
    sim = start({
        'robots': 3, 'map': 'open:20x12', **FAST, 'goals': 'none', 'odom_drift': 0.1, 'odom_jumps_per_hour': 3600,
        'starts': '["1,1","1,5","1,9"]', 'silence': '["robot_2@30"]', 'follow': 'released_path'}, names,
        path_topic='released_path')
    transforms = Transforms(sim)
    sim.until(lambda: transforms.messages, 'transforms')
    for k, name in enumerate(names):
        sim.send(name, [(0, *place(1, 1 + 4 * k)), (1, *place(18, 1 + 4 * k))])
    sim.until(lambda: sim.now('robot_0') > 35.0, '35 s')
    assert all(len(message.transforms) in (4, 6) for message in transforms.messages)
    poses = transforms.poses()
    for name in names:
        compared = 0
        for stamp, x, y in sim.track(name):
            if round(stamp, 6) in poses[name]:
                compared += 1
                assert math.dist(poses[name][round(stamp, 6)][1][:2], (x, y)) < 1e-6
        origins = [origin for origin, _ in poses[name].values()]
        assert compared > 20 and math.dist(origins[0][:2], origins[-1][:2]) > 0.1
    assert max(poses['robot_2']) < 30.1 < 34.0 < max(poses['robot_0'])


def random_fleet(graph, start, **simulator):
    names = [f'robot_{k}' for k in range(8)]
    fleet = Fleet(graph, start, names, simulator={
        'map': 'warehouse:25x15,shelf=4,aisle=2,seed=1', 'goals': 'random', 'publish_odom': 'false', **simulator})
    fleet.wait(lambda: fleet.reached() >= 25, 'goals', bound=240)
    assert fleet.overlaps() == 0, fleet.sim.log()
    assert graph.node.count_publishers('robot_0/odom') == 0
    return fleet


@pytest.mark.parametrize('noise', [0.0, 0.01])
def test_a_fleet_with_nothing_but_transforms_drives(graph, start, noise):
    random_fleet(graph, start, odom_drift=0.1, odom_jumps_per_hour=600, noise=noise)


def test_a_slow_localisation_that_stamps_ahead(graph, start):
    """As AMCL: map -> odom twice per second, a second ahead; poses come at the rate of odometry."""
    fleet = random_fleet(graph, start, odom_drift=0.005, map_odom_rate=2.0, map_odom_ahead=1.0)
    before, begin = int(graph.planner('reports')), fleet.sim.count('seconds')
    fleet.wait(lambda: fleet.sim.count('seconds') > begin + 10.0, '10 s')
    reports = int(graph.planner('reports')) - before
    assert reports > 8 * 10 * 5, f'{reports} poses of 8 robots in 10 s'
