"""The launch files: their arguments always, and the nodes they start wherever `launch` can be imported."""
import ast
import importlib.util
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

os.environ.setdefault('ROS_AUTOMATIC_DISCOVERY_RANGE', 'LOCALHOST')
TOP = Path(os.environ.get('FLEETWEAVE_SOURCE_DIR', Path(__file__).resolve().parents[2]))
FILES = ['planner.launch.py', 'demo.launch.py', 'gazebo.launch.py']
ARGUMENTS = {'namespace', 'params_file', 'use_sim_time', 'robots', 'planner', 'map', 'use_rviz', 'log_level'}
HAS_LAUNCH = all(importlib.util.find_spec(name) for name in ('launch', 'launch_ros', 'rclpy'))
needs_launch = pytest.mark.skipif(not HAS_LAUNCH, reason='launch and launch_ros cannot be imported here')


@pytest.mark.parametrize('name', FILES)
def test_every_argument_is_declared_with_a_default_and_a_description(name):
    tree = ast.parse((TOP / 'launch' / name).read_text(), filename=name)
    assert ast.get_docstring(tree)
    declared = {}
    for call in ast.walk(tree):
        if isinstance(call, ast.Call) and getattr(call.func, 'id', '') == 'DeclareLaunchArgument':
            declared[call.args[0].value] = {keyword.arg for keyword in call.keywords}
    assert ARGUMENTS <= set(declared)
    assert all(keywords >= {'default_value', 'description'} for keywords in declared.values())


@pytest.mark.parametrize('name', FILES)
def test_no_argument_is_used_that_is_not_declared(name):
    tree = ast.parse((TOP / 'launch' / name).read_text(), filename=name)
    assert any(isinstance(node, ast.FunctionDef) and node.name == 'generate_launch_description' for node in tree.body)
    calls = [call for call in ast.walk(tree) if isinstance(call, ast.Call)]
    declared = {call.args[0].value for call in calls if getattr(call.func, 'id', '') == 'DeclareLaunchArgument'}
    used = {call.args[0].value for call in calls
            if getattr(call.func, 'id', '') == 'value' and isinstance(call.args[0], ast.Constant)}
    assert used and used <= declared


@pytest.mark.parametrize('name, node', [
    ('demo.yaml', 'fleet_sim'), ('demo_wheels.yaml', 'fleet_sim'), ('demo_wheels.yaml', 'path_follower'),
    ('fleet_sim.yaml', 'fleet_sim'), ('gazebo.yaml', 'fleet_sim'),
    ('gazebo.yaml', 'fleetweave_planner'), ('gazebo.yaml', 'path_follower'), ('path_follower.yaml', 'path_follower')])
def test_parameter_files_are_of_the_shape_that_ros_reads(name, node):
    yaml = pytest.importorskip('yaml')
    sections = yaml.safe_load((TOP / 'config' / name).read_text())
    assert f'/**/{node}' in sections
    for section in sections.values():
        assert list(section) == ['ros__parameters']
        assert section['ros__parameters']


# ---- with launch

@pytest.fixture
def prefix(tmp_path):
    """The package as an installation would have it, from links into the source and the build."""
    programs = {
        'planner_node': 'FLEETWEAVE_PLANNER_NODE', 'fleet_sim': 'FLEETWEAVE_FLEET_SIM',
        'path_follower': 'FLEETWEAVE_PATH_FOLLOWER', 'fleetweave': 'FLEETWEAVE_CLI'}
    for variable in programs.values():
        if not os.environ.get(variable):
            pytest.skip(f'{variable} does not name a program')
    (tmp_path / 'lib/fleetweave').mkdir(parents=True)
    (tmp_path / 'share/fleetweave').mkdir(parents=True)
    (tmp_path / 'share/ament_index/resource_index/packages').mkdir(parents=True)
    (tmp_path / 'share/ament_index/resource_index/packages/fleetweave').touch()
    for name, variable in programs.items():
        (tmp_path / 'lib/fleetweave' / name).symlink_to(os.environ[variable])
    for name in ('launch', 'config'):
        (tmp_path / 'share/fleetweave' / name).symlink_to(TOP / name)
    return tmp_path


RUNNER = '''
import sys
from launch import LaunchDescription, LaunchService
from launch.actions import IncludeLaunchDescription
from launch.launch_description_sources import PythonLaunchDescriptionSource
arguments = [tuple(word.split(':=', 1)) for word in sys.argv[2:]]
service = LaunchService()
service.include_launch_description(LaunchDescription([
    IncludeLaunchDescription(PythonLaunchDescriptionSource(sys.argv[1]), launch_arguments=arguments)]))
sys.exit(service.run())
'''


class Launch:
    def __init__(self, prefix, name, words, **more):
        self.log_path = prefix / 'launch.log'
        paths = [str(prefix), os.environ.get('AMENT_PREFIX_PATH', '')]
        environment = dict(os.environ, AMENT_PREFIX_PATH=':'.join(paths), ROS_LOG_DIR=str(prefix / 'log'), **more)
        file = prefix / 'share/fleetweave/launch' / name
        with open(self.log_path, 'w') as log:
            self.process = subprocess.Popen(
                [sys.executable, '-c', RUNNER, str(file), *words], stdout=log, stderr=log, env=environment,
                start_new_session=True)

    def log(self):
        return self.log_path.read_text()

    def wait(self, limit=60):
        return self.process.wait(timeout=limit)

    def close(self):
        if self.process.poll() is None:
            os.killpg(self.process.pid, signal.SIGKILL)  # the group that this test started
            self.process.wait()


@pytest.fixture
def launch(prefix):
    started = []

    def begin(name, *words, **more):
        started.append(Launch(prefix, name, words, **more))
        return started[-1]

    yield begin
    for one in started:
        one.close()


@pytest.fixture
def node():
    import rclpy
    context = rclpy.Context()
    rclpy.init(context=context)
    node = rclpy.create_node('watcher', context=context)
    node.watcher = rclpy.executors.SingleThreadedExecutor(context=context)
    node.watcher.add_node(node)
    yield node
    node.watcher.shutdown()
    node.destroy_node()
    rclpy.shutdown(context=context)


def until(launched, node, condition, what, limit=60):
    end = time.monotonic() + limit
    while not condition():
        assert time.monotonic() < end, f'waited in vain for {what}\n{launched.log()}'
        assert launched.process.poll() is None, f'the launch ended while waiting for {what}\n{launched.log()}'
        node.watcher.spin_once(timeout_sec=0.05)


@needs_launch
def test_the_demo_reaches_goals_and_ends_after_its_duration(launch, tmp_path):
    record = tmp_path / 'run.txt'
    demo = launch('demo.launch.py', 'robots:=6', 'duration:=20', f'record:={record}')
    assert demo.wait() == 0, demo.log()
    assert 'ended after 20 s' in demo.log()
    lines = record.read_text().splitlines()
    assert 'robots=6' in lines
    assert [line for line in lines if line.startswith('a ')], demo.log()
    assert not [line for line in lines if line.startswith('o ')], demo.log()


@needs_launch
def test_arguments_reach_the_nodes_in_a_namespace(launch, node):
    demo = launch(
        'demo.launch.py', 'namespace:=site', 'robots:=red,blue', 'map:=open:13x11', 'log_level:=warn')
    until(demo, node, lambda: {('fleetweave_planner', '/site'), ('fleet_sim', '/site')} <= set(
        node.get_node_names_and_namespaces()), 'the nodes')
    until(demo, node, lambda: {'/site/map', '/site/red/odom', '/site/blue/timed_path', '/clock'} <= set(dict(
        node.get_topic_names_and_types())), 'the topics')
    demo.process.send_signal(signal.SIGINT)
    assert demo.wait() in (0, 1, 130), demo.log()
    assert 'goals reached' not in demo.log()  # log_level: the simulator's lines of progress are of level info


@needs_launch
def test_the_planner_alone_starts_with_robots_by_number_and_the_map_by_another_name(launch, node):
    planner = launch('planner.launch.py', 'robots:=2', 'map:=/hall/map', 'closures:=door, lift')
    until(planner, node, lambda: ('fleetweave_planner', '/') in node.get_node_names_and_namespaces(), 'the node')
    until(planner, node, lambda: {
        '/robot_0/timed_path', '/robot_1/timed_path', '/hall/map', '/door/closed_path', '/lift/closed_path'} <= set(
            dict(node.get_topic_names_and_types())), 'the topics')
    planner.process.send_signal(signal.SIGINT)
    assert planner.wait() in (0, 1, 130), planner.log()


@needs_launch
def test_robots_on_wheels_reach_goals(launch, tmp_path):
    record = tmp_path / 'run.txt'
    demo = launch(
        'demo.launch.py', 'robots:=4', 'drive:=cmd_vel', 'map:=open:12x9', 'duration:=40', f'record:={record}')
    assert demo.wait(120) == 0, demo.log()
    lines = record.read_text().splitlines()
    assert [line for line in lines if line.startswith('a ')], demo.log()
    assert not [line for line in lines if line.startswith('o ')], demo.log()


@needs_launch
@pytest.mark.parametrize('words, complaint', [
    (['drive:=wheels'], 'drive'), (['params_file:=/no/file.yaml'], '/no/file.yaml: there is no such file'),
    (['robots:=0'], 'robots:=0'), (['duration:=long'], 'duration:=long')])
def test_a_mistake_is_named_and_ends_the_launch(launch, words, complaint):
    demo = launch('demo.launch.py', *words)
    assert demo.wait(30) != 0, demo.log()
    assert complaint in demo.log() and 'ended after' not in demo.log()


@needs_launch
def test_a_planner_that_dies_ends_the_demo(launch, node):
    demo = launch('demo.launch.py', 'robots:=2', 'map:=open:13x11')
    until(demo, node, lambda: ('fleetweave_planner', '/') in node.get_node_names_and_namespaces(), 'the planner')
    pid = int(re.search(r'\[planner_node-\d+\]: process started with pid \[(\d+)\]', demo.log()).group(1))
    os.kill(pid, signal.SIGKILL)
    demo.wait(30)
    assert re.search(r'process\[planner_node-\d+\] was required', demo.log()), demo.log()


@needs_launch
def test_with_goals_none_a_goal_without_a_name_finds_an_idle_robot(launch, node):
    """What RViz's 2D Goal Pose sends."""
    from geometry_msgs.msg import PoseStamped
    from nav_msgs.msg import Path as NavPath
    from rclpy.qos import DurabilityPolicy, QoSProfile
    demo = launch('demo.launch.py', 'robots:=2', 'map:=open:13x11', 'goals:=none')
    latched = QoSProfile(depth=1, durability=DurabilityPolicy.TRANSIENT_LOCAL)
    ends = []
    for name in ('robot_0', 'robot_1'):
        node.create_subscription(
            NavPath, f'{name}/released_path',
            lambda path: ends.append(path.poses[-1].pose.position) if path.poses else None, latched)
    publisher = node.create_publisher(PoseStamped, 'goal_pose', 10)
    until(demo, node, publisher.get_subscription_count, 'the planner')
    until(demo, node, lambda: node.count_publishers('robot_1/released_path') == 1, 'the releases')
    goal = PoseStamped()
    goal.header.frame_id = 'map'
    goal.pose.position.x, goal.pose.position.y, goal.pose.orientation.w = 3.25, 2.75, 1.0
    sent_until = [0.0]

    def has_arrived():
        if time.monotonic() > sent_until[0]:
            publisher.publish(goal)
            sent_until[0] = time.monotonic() + 3.0
        return [end for end in ends if abs(end.x - 3.25) < 0.3 and abs(end.y - 2.75) < 0.3]
    until(demo, node, has_arrived, 'a release that ends at the goal')


STAND_IN = """#!/bin/sh
echo "$0 $*" >> {log}
exec sleep 600
"""


@needs_launch
@pytest.mark.parametrize('gazebo, program, word', [('harmonic', 'gz', 'sim'), ('fortress', 'ign', 'gazebo')])
def test_a_world_and_a_bridge_are_made_for_gazebo_and_everybody_starts(
        launch, node, prefix, tmp_path, gazebo, program, word):
    """Gazebo and its bridge are stand-ins that note how they were called; the rest is real."""
    yaml = pytest.importorskip('yaml')
    log = tmp_path / 'calls.txt'
    (tmp_path / 'bin').mkdir()
    (prefix / 'lib/ros_gz_bridge').mkdir()
    (prefix / 'share/ament_index/resource_index/packages/ros_gz_bridge').touch()
    for file in (tmp_path / 'bin' / program, prefix / 'lib/ros_gz_bridge/parameter_bridge'):
        file.write_text(STAND_IN.format(log=log))
        file.chmod(0o755)
    worlds = tmp_path / 'worlds'
    worlds.mkdir()
    launched = launch(
        'gazebo.launch.py', 'robots:=red,blue', 'map:=open:13x11', f'gazebo:={gazebo}', 'headless:=true',
        'namespace:=site', f'world_dir:={worlds}', PATH=f'{tmp_path / "bin"}:{os.environ["PATH"]}')
    until(launched, node, lambda: {
        ('fleetweave_planner', '/site'), ('fleet_sim', '/site'), ('path_follower', '/site')} <= set(
            node.get_node_names_and_namespaces()), 'the nodes')
    until(launched, node, lambda: log.exists() and len(log.read_text().splitlines()) == 2, 'both programs')
    server, bridge = sorted(log.read_text().splitlines(), key=lambda line: 'parameter_bridge' in line)
    assert server.split()[1:] == [word, '-r', '-s', str(worlds / 'world.sdf')]
    assert '__ns:=/site' in bridge

    # Every topic of the bridge has the node that it is for at its other end, with the type that the bridge says.
    rows = yaml.safe_load((worlds / 'bridge.yaml').read_text())
    assert len(rows) == 5
    for row in rows:
        name = row['ros_topic_name']
        topic = name if name.startswith('/') else f'/site/{name}'
        comes_in = row['direction'] == 'GZ_TO_ROS'
        ends = node.get_subscriptions_info_by_topic if comes_in else node.get_publishers_info_by_topic
        until(launched, node, lambda: ends(topic), topic)
        assert {end.topic_type for end in ends(topic)} == {row['ros_type_name']}
    for name in ('red', 'blue'):
        until(launched, node, lambda: {
            end.node_name for end in node.get_subscriptions_info_by_topic(f'/site/{name}/odom')} == {
                'fleetweave_planner', 'path_follower', 'fleet_sim'}, f'all readers of {name}/odom')
    launched.process.send_signal(signal.SIGINT)
    assert launched.wait() in (0, 1, 130), launched.log()
