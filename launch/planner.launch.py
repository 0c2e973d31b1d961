"""Starts the planner for an existing fleet, which publishes a map, transforms (or odometry) and goals.

  ros2 launch fleetweave planner.launch.py robots:=robot_0,robot_1
  ros2 launch fleetweave planner.launch.py params_file:=my_fleet.yaml namespace:=site map:=/map

An empty argument keeps the value of the parameter file.
"""
from pathlib import Path

from launch import LaunchDescription
from launch.actions import DeclareLaunchArgument, OpaqueFunction, Shutdown
from launch.conditions import IfCondition
from launch.substitutions import LaunchConfiguration
from launch_ros.actions import Node

CONFIG = Path(__file__).resolve().parent.parent / 'config'
YES_OR_NO = ['true', 'false', 'True', 'False']

ARGUMENTS = [
    DeclareLaunchArgument('namespace', default_value='', description='Namespace of all nodes and topics'),
    DeclareLaunchArgument(
        'params_file', default_value=str(CONFIG / 'planner.yaml'), description='Parameters of the planner node'),
    DeclareLaunchArgument(
        'use_sim_time', default_value='false', choices=YES_OR_NO, description='Take time from /clock'),
    DeclareLaunchArgument(
        'robots', default_value='',
        description='Names of the robots, separated by commas, or their number: 3 is robot_0,robot_1,robot_2'),
    DeclareLaunchArgument('planner', default_value='', description='Name of the planner: see `fleetweave list`'),
    DeclareLaunchArgument(
        'closures', default_value='',
        description='Sources of closures (doors, lifts, other fleets), separated by commas: see planner.yaml'),
    DeclareLaunchArgument('map', default_value='map', description='Topic of the map'),
    DeclareLaunchArgument(
        'use_follower', default_value='false', choices=YES_OR_NO,
        description='Also start path_follower, which follows the released paths and publishes <robot>/cmd_vel'),
    DeclareLaunchArgument(
        'follower_params_file', default_value=str(CONFIG / 'path_follower.yaml'),
        description='Parameters of path_follower'),
    DeclareLaunchArgument(
        'use_nav2', default_value='false', choices=YES_OR_NO,
        description='Also start nav2_bridge.py, which sends the released paths to Nav2 as <robot>/follow_path goals'),
    DeclareLaunchArgument(
        'use_rviz', default_value='false', choices=YES_OR_NO, description='Show map, markers and paths in RViz'),
    DeclareLaunchArgument(
        'is_required', default_value='true', choices=YES_OR_NO,
        description='End the whole launch when planner_node ends'),
    DeclareLaunchArgument(
        'log_level', default_value='info', choices=['debug', 'info', 'warn', 'error', 'fatal'],
        description='Least severe messages that the nodes log'),
    DeclareLaunchArgument(
        'keystore', default_value='',
        description='Keystore of DDS security (docs/security.md): nodes without a certificate of it are refused'),
]


def names(text):
    return [name.strip() for name in text.split(',') if name.strip()]


def robot_names(text):
    """Names of the robots: 'a, b' as a list, or a number such as '3' as robot_0 to robot_2."""
    return [f'robot_{i}' for i in range(int(text))] if text.strip().isdigit() else names(text)


def checked_file(name, path):
    """The path of a parameter file; launch_ros would only warn of a missing one, and start the nodes without it."""
    if not Path(path).is_file():
        raise RuntimeError(f'{name}:={path}: there is no such file')
    return path


def security(keystore, enclave):
    """What a node gets besides: its enclave, and an environment that enforces security. Nothing without a keystore."""
    if not keystore:
        return [], {}
    if not (Path(keystore) / 'enclaves' / enclave.lstrip('/') / 'permissions.p7s').is_file():
        raise RuntimeError(f'keystore:={keystore}: it has no enclave {enclave}; docs/security.md says how to make one')
    environment = {
        'ROS_SECURITY_ENABLE': 'true', 'ROS_SECURITY_STRATEGY': 'Enforce',
        'ROS_SECURITY_KEYSTORE': str(Path(keystore).resolve())}
    return ['--enclave', enclave], environment


def start(context):
    def value(name):
        return LaunchConfiguration(name).perform(context)

    def is_on(name):
        return value(name).lower() == 'true'

    overrides = {'use_sim_time': is_on('use_sim_time')}
    if value('robots').strip():
        overrides['robots'] = robot_names(value('robots'))
        if not overrides['robots']:
            raise RuntimeError(f'robots:={value("robots")}: give names, or a number of 1 or more')
    if names(value('closures')):
        overrides['closures'] = names(value('closures'))
    if value('planner'):
        overrides['planner'] = value('planner')
    if value('keystore') and (is_on('use_rviz') or is_on('use_nav2')):
        raise RuntimeError('keystore: the policy has no enclaves for RViz and nav2_bridge.py; start them on their own')
    planner_enclave, planner_environment = security(value('keystore'), '/fleetweave/planner')
    follower_enclave, follower_environment = security(value('keystore'), '/fleetweave/follower')
    return [
        Node(
            package='fleetweave',
            executable='planner_node',
            name='fleetweave_planner',
            namespace=value('namespace'),
            parameters=[checked_file('params_file', value('params_file')), overrides],
            remappings=[] if value('map') == 'map' else [('map', value('map'))],
            arguments=['--ros-args', '--log-level', value('log_level'), *planner_enclave],
            additional_env=planner_environment,
            output='screen',
            on_exit=Shutdown(reason='planner_node has ended') if is_on('is_required') else None,
        ),
        Node(
            package='fleetweave',
            executable='path_follower',
            name='path_follower',
            namespace=value('namespace'),
            parameters=[
                checked_file('follower_params_file', value('follower_params_file')),
                {name: overrides[name] for name in ('use_sim_time', 'robots') if name in overrides}],
            arguments=['--ros-args', '--log-level', value('log_level'), *follower_enclave],
            additional_env=follower_environment,
            output='screen',
            condition=IfCondition(value('use_follower')),
        ),
        Node(
            package='fleetweave',
            executable='nav2_bridge.py',
            name='nav2_bridge',
            namespace=value('namespace'),
            parameters=[{name: overrides[name] for name in ('use_sim_time', 'robots') if name in overrides}],
            arguments=['--ros-args', '--log-level', value('log_level')],
            output='screen',
            condition=IfCondition(value('use_nav2')),
        ),
        # Topics in the RViz configuration are relative, so RViz subscribes to those of its namespace.
        Node(
            package='rviz2',
            executable='rviz2',
            namespace=value('namespace'),
            parameters=[{'use_sim_time': overrides['use_sim_time']}],
            arguments=['-d', str(CONFIG / 'fleetweave.rviz')],
            condition=IfCondition(value('use_rviz')),
        ),
    ]


def generate_launch_description():
    return LaunchDescription([*ARGUMENTS, OpaqueFunction(function=start)])
