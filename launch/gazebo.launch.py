"""Starts a fleet in Gazebo. The world is made from the same map that the planner uses.

  ros2 launch fleetweave gazebo.launch.py robots:=8
  ros2 launch fleetweave gazebo.launch.py map:=warehouse:31x15,seed=2 robots:=red,blue headless:=true use_rviz:=true

`fleetweave world` writes the world and the bridge file, Gazebo simulates the robots, and path_follower drives them.
fleet_sim drives no robot here: it publishes the map, sends goals and counts arrivals and overlaps.
"""
import shutil
import subprocess
import tempfile
from pathlib import Path

from launch import LaunchDescription
from launch.actions import (DeclareLaunchArgument, ExecuteProcess, IncludeLaunchDescription, OpaqueFunction,
                            RegisterEventHandler, Shutdown)
from launch.event_handlers import OnShutdown
from launch.launch_description_sources import PythonLaunchDescriptionSource
from launch.substitutions import LaunchConfiguration
from launch_ros.actions import Node
from launch_ros.substitutions import FindPackagePrefix

HERE = Path(__file__).resolve().parent
CONFIG = HERE.parent / 'config'
YES_OR_NO = ['true', 'false', 'True', 'False']

ARGUMENTS = [
    DeclareLaunchArgument('namespace', default_value='', description='Namespace of all nodes and topics'),
    DeclareLaunchArgument(
        'params_file', default_value=str(CONFIG / 'gazebo.yaml'),
        description='Parameters of planner_node, path_follower and fleet_sim'),
    DeclareLaunchArgument(
        'use_sim_time', default_value='true', choices=YES_OR_NO,
        description='Take time from /clock, which Gazebo publishes; leave it true'),
    DeclareLaunchArgument(
        'robots', default_value='8', description='Number of robots, or their names separated by commas'),
    DeclareLaunchArgument('planner', default_value='', description='Name of the planner: see `fleetweave list`'),
    DeclareLaunchArgument(
        'map', default_value='warehouse:31x15,seed=1',
        description='Generated map such as warehouse:41x21,seed=1, or a MovingAI .map file'),
    DeclareLaunchArgument('cell', default_value='0.5', description='Metres per cell of the map'),
    DeclareLaunchArgument('radius', default_value='0.2', description='Radius of the robots in metres'),
    DeclareLaunchArgument(
        'gazebo', default_value='harmonic', choices=['harmonic', 'fortress'], description='Version of Gazebo'),
    DeclareLaunchArgument(
        'headless', default_value='false', choices=YES_OR_NO,
        description='Run only the Gazebo server, without a window'),
    DeclareLaunchArgument(
        'world_dir', default_value='',
        description='Folder for the world and the bridge file; empty: a temporary folder, removed at the end'),
    DeclareLaunchArgument(
        'goals', default_value='random', choices=['random', 'none'],
        description='random: a new goal on each arrival; none: goals come from RViz or another program'),
    DeclareLaunchArgument(
        'use_rviz', default_value='false', choices=YES_OR_NO, description='Show map, markers and paths in RViz'),
    DeclareLaunchArgument(
        'log_level', default_value='info', choices=['debug', 'info', 'warn', 'error', 'fatal'],
        description='Least severe messages that the nodes log'),
]


def robot_names(text):
    """Names of the robots: 'a, b' as a list, or a number such as '3' as robot_0 to robot_2."""
    if text.strip().isdigit():
        return [f'robot_{i}' for i in range(int(text))]
    return [name.strip() for name in text.split(',') if name.strip()]


def write_world(context, world, bridge):
    def value(name):
        return LaunchConfiguration(name).perform(context)

    is_line = ':' in value('map') and '/' not in value('map')
    program = Path(FindPackagePrefix('fleetweave').perform(context)) / 'lib' / 'fleetweave' / 'fleetweave'
    result = subprocess.run([
        str(program), 'world', '--make' if is_line else '--map', value('map'),
        '--names', ','.join(robot_names(value('robots'))),
        '--cell', value('cell'), '--radius', value('radius'), '--for', value('gazebo'),
        '--sdf', str(world), '--bridge', str(bridge)], stderr=subprocess.PIPE, text=True)
    if result.returncode != 0:
        raise RuntimeError(f'no world for Gazebo: {result.stderr.strip()}')


def remove(folder):
    shutil.rmtree(folder, ignore_errors=True)


def start(context):
    def value(name):
        return LaunchConfiguration(name).perform(context)

    names = robot_names(value('robots'))
    if not names:
        raise RuntimeError(f'robots:={value("robots")}: give names, or a number of 1 or more')
    if not Path(value('params_file')).is_file():  # before anything is made
        raise RuntimeError(f'params_file:={value("params_file")}: there is no such file')
    folder = Path(value('world_dir') or tempfile.mkdtemp(prefix='fleetweave-'))
    is_temporary = not value('world_dir')
    world, bridge = folder / 'world.sdf', folder / 'bridge.yaml'
    try:
        write_world(context, world, bridge)
    except RuntimeError:
        if is_temporary:
            shutil.rmtree(folder)
        raise
    cleanups = [RegisterEventHandler(OnShutdown(on_shutdown=lambda *_: remove(folder)))] if is_temporary else []
    is_headless = value('headless').lower() == 'true'
    server = ['ign', 'gazebo'] if value('gazebo') == 'fortress' else ['gz', 'sim']
    passed_on = ('namespace', 'params_file', 'use_sim_time', 'planner', 'use_rviz', 'log_level')
    return [
        *cleanups,
        ExecuteProcess(
            cmd=[*server, '-r', *(['-s'] if is_headless else []), str(world)], output='screen',
            on_exit=Shutdown(reason='Gazebo has ended')),
        Node(
            package='ros_gz_bridge',
            executable='parameter_bridge',
            namespace=value('namespace'),
            parameters=[{'config_file': str(bridge), 'use_sim_time': True}],
            output='screen',
        ),
        IncludeLaunchDescription(
            PythonLaunchDescriptionSource(str(HERE / 'planner.launch.py')),
            launch_arguments=[
                *((name, value(name)) for name in passed_on), ('map', 'map'), ('robots', ','.join(names)),
                ('use_follower', 'true'), ('follower_params_file', value('params_file'))],
        ),
        Node(
            package='fleetweave',
            executable='fleet_sim',
            name='fleet_sim',
            namespace=value('namespace'),
            parameters=[value('params_file'), {
                'drive': 'odom', 'robots': names, 'map': value('map'), 'goals': value('goals'),
                'cell_size': float(value('cell')), 'robot_radius': float(value('radius'))}],
            arguments=['--ros-args', '--log-level', value('log_level')],
            output='screen',
        ),
    ]


def generate_launch_description():
    return LaunchDescription([*ARGUMENTS, OpaqueFunction(function=start)])
