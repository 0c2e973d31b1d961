"""Starts the planner and a simulated fleet with random goals.

  ros2 launch fleetweave demo.launch.py
  ros2 launch fleetweave demo.launch.py robots:=50 map:=random:60x40,obstacles=10 use_rviz:=true
  ros2 launch fleetweave demo.launch.py robots:=20 drive:=cmd_vel     # robots on wheels, driven by path_follower

  ros2 launch fleetweave demo.launch.py goals:=none use_rviz:=true    # robots wait for goals: 2D Goal Pose in RViz

The launch ends when the simulator ends (after `duration` simulated seconds, or never if `duration` is 0), and when the
planner ends.
"""
from pathlib import Path

from launch import LaunchDescription
from launch.actions import DeclareLaunchArgument, IncludeLaunchDescription, OpaqueFunction, Shutdown
from launch.launch_description_sources import PythonLaunchDescriptionSource
from launch.substitutions import LaunchConfiguration
from launch_ros.actions import Node

HERE = Path(__file__).resolve().parent
CONFIG = HERE.parent / 'config'
YES_OR_NO = ['true', 'false', 'True', 'False']

ARGUMENTS = [
    DeclareLaunchArgument('namespace', default_value='', description='Namespace of all nodes and topics'),
    DeclareLaunchArgument(
        'params_file', default_value=str(CONFIG / 'demo.yaml'), description='Parameters of both nodes'),
    DeclareLaunchArgument(
        'use_sim_time', default_value='true', choices=YES_OR_NO,
        description='Take time from /clock, which the simulator publishes'),
    DeclareLaunchArgument(
        'robots', default_value='24', description='Number of robots, or their names separated by commas'),
    DeclareLaunchArgument('planner', default_value='', description='Name of the planner: see `fleetweave list`'),
    DeclareLaunchArgument(
        'map', default_value='', description='Generated map such as warehouse:41x21,seed=1, or a MovingAI .map file'),
    DeclareLaunchArgument(
        'drive', default_value='path', choices=['path', 'cmd_vel'],
        description='path: simulated robots follow paths themselves; cmd_vel: path_follower drives them'),
    DeclareLaunchArgument(
        'goals', default_value='random', choices=['random', 'none'],
        description='random: a new goal on each arrival; none: goals come from RViz or another program'),
    DeclareLaunchArgument(
        'use_rviz', default_value='false', choices=YES_OR_NO, description='Show map, markers and paths in RViz'),
    DeclareLaunchArgument(
        'log_level', default_value='info', choices=['debug', 'info', 'warn', 'error', 'fatal'],
        description='Least severe messages that the nodes log'),
    DeclareLaunchArgument(
        'duration', default_value='0', description='Simulated seconds until the simulator ends; 0: never'),
    DeclareLaunchArgument(
        'record', default_value='', description='File to record the run in, for `fleetweave replay`'),
    DeclareLaunchArgument(
        'keystore', default_value='',
        description='Keystore of DDS security (docs/security.md): nodes without a certificate of it are refused'),
]

def robot_names(text):
    """Names of the robots: 'a, b' as a list, or a number such as '3' as robot_0 to robot_2."""
    if text.strip().isdigit():
        return [f'robot_{i}' for i in range(int(text))]
    return [name.strip() for name in text.split(',') if name.strip()]


def seconds(text):
    try:
        return float(text)
    except ValueError:
        raise RuntimeError(f'duration:={text}: give a number of seconds') from None


def security(keystore, enclave):
    """The arguments and the environment of a node with this enclave; the planner's launch file checks the keystore."""
    if not keystore:
        return [], {}
    environment = {
        'ROS_SECURITY_ENABLE': 'true', 'ROS_SECURITY_STRATEGY': 'Enforce',
        'ROS_SECURITY_KEYSTORE': str(Path(keystore).resolve())}
    return ['--enclave', enclave], environment


def start(context):
    def value(name):
        return LaunchConfiguration(name).perform(context)

    overrides = {
        'publish_clock': value('use_sim_time').lower() == 'true',
        'duration': seconds(value('duration')),
        'record': value('record'),
        'goals': value('goals'),
    }
    has_wheels = value('drive') == 'cmd_vel'
    wheels = [str(CONFIG / 'demo_wheels.yaml')] if has_wheels else []
    if robot_names(value('robots')):
        overrides['robots'] = robot_names(value('robots'))
    if value('map'):
        overrides['map'] = value('map')
    passed_on = ('namespace', 'params_file', 'use_sim_time', 'robots', 'planner', 'use_rviz', 'log_level', 'keystore')
    enclave, environment = security(value('keystore'), '/fleetweave/simulator')
    return [
        # The simulator publishes the map, and the planner subscribes to it.
        IncludeLaunchDescription(
            PythonLaunchDescriptionSource(str(HERE / 'planner.launch.py')),
            launch_arguments=[
                *((name, value(name)) for name in passed_on), ('map', 'map'), ('use_follower', str(has_wheels)),
                *(('follower_params_file', file) for file in wheels)],
        ),
        Node(
            package='fleetweave',
            executable='fleet_sim',
            name='fleet_sim',
            namespace=value('namespace'),
            parameters=[value('params_file'), *wheels, overrides],
            arguments=['--ros-args', '--log-level', value('log_level'), *enclave],
            additional_env=environment,
            output='screen',
            on_exit=Shutdown(reason='the simulation has ended'),
        ),
    ]


def generate_launch_description():
    return LaunchDescription([*ARGUMENTS, OpaqueFunction(function=start)])
