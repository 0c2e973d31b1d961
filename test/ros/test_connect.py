"""docs/connect.md: every snippet is run. Parameter files by the planner in a real graph, the follower with a fleet."""
import ast
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from rcl_interfaces.srv import GetParameters
from rclpy.parameter import parameter_value_to_python

yaml = pytest.importorskip('yaml')

TOP = Path(os.environ.get('FLEETWEAVE_SOURCE_DIR', Path(__file__).resolve().parents[2]))
PAGE = (TOP / 'docs/connect.md').read_text()


def snippets(language):
    return re.findall(rf'^```{language}\n(.*?)^```', PAGE, re.MULTILINE | re.DOTALL)


FILES = snippets('yaml')


def wanted(text):
    section, = yaml.safe_load(text).values()
    return section['ros__parameters']


def test_the_page_has_the_snippets_that_are_run_here():
    assert len(FILES) == 4 and len(snippets('python')) == 1 and len(snippets('sh')) == 4
    assert len(re.findall(r'^```\w', PAGE, re.MULTILINE)) == 9


@pytest.mark.parametrize('index', range(len(FILES)))
def test_the_planner_takes_each_parameter_file(graph, tmp_path, index):
    file = tmp_path / 'fleet.yaml'
    file.write_text(FILES[index])
    graph.launch([os.environ['FLEETWEAVE_PLANNER_NODE'], '--ros-args', '--params-file', str(file)])
    values = wanted(FILES[index])
    answer = graph.call(GetParameters, 'get_parameters', GetParameters.Request(names=list(values)))
    for (name, value), present in zip(values.items(), answer.values):
        assert parameter_value_to_python(present) == value, name
    robots = values['robots']
    graph.until(lambda: all(graph.node.count_publishers(f'{name}/released_path') for name in robots), 'the releases')
    source = values.get('pose_source', 'tf')
    topics = {
        'tf': [values.get('tf_topic', '/tf').format(robot=name) for name in robots],
        'odom': [f'{name}/odom' for name in robots],
        'amcl_pose': [f'{name}/{topic}' for name in robots for topic in ('amcl_pose', 'odom')]}[source]
    graph.until(lambda: all(graph.node.count_subscribers(topic) for topic in topics), f'readers of {topics}')
    assert 'unknown' not in graph.output() and '[WARN]' not in graph.output()


def test_the_follower_drives_a_fleet(start, tmp_path):
    parameters = next(text for text in FILES if 'pose_source: odom' in text)
    names = wanted(parameters)['robots']
    file, program = tmp_path / 'fleet.yaml', tmp_path / 'follower.py'
    file.write_text(parameters)
    program.write_text(snippets('python')[0])
    log = open(tmp_path / 'log.txt', 'w')
    sim = start({
        'robots': f'[{",".join(names)}]', 'map': 'open:8x6', 'drive': 'cmd_vel', 'goals': 'random', 'odom_rate': 20.0,
        'max_speed': 1.0, 'goal_tolerance': 0.1, 'report_period': 1.0, 'publish_tf': 'false'})
    processes = [subprocess.Popen(
        [os.environ['FLEETWEAVE_PLANNER_NODE'], '--ros-args', '--params-file', str(file)], stdout=log, stderr=log)]
    processes += [
        subprocess.Popen([sys.executable, str(program), name], stdout=log, stderr=log) for name in names]

    def arrivals():
        counts = re.findall(r'(\d+) goals reached', sim.log())
        return int(counts[-1]) if counts else 0

    try:
        sim.until(lambda: arrivals() >= 4, 'goals that are reached', limit=150)
        assert [process.poll() for process in processes] == [None] * 3, (tmp_path / 'log.txt').read_text()
        assert ' 0 overlaps' in sim.log() and 'overlap at' not in sim.log()
    finally:
        for process in processes:
            process.terminate()
            process.wait(timeout=20)
        log.close()


def launch_arguments(name):
    return {
        call.args[0].value for call in ast.walk(ast.parse((TOP / 'launch' / name).read_text()))
        if isinstance(call, ast.Call) and getattr(call.func, 'id', '') == 'DeclareLaunchArgument'}


def test_commands_name_what_is_there():
    installed = (TOP / 'cmake/nodes.cmake').read_text()
    for line in filter(None, '\n'.join(snippets('sh')).splitlines()):
        words = line.split()
        if words[:2] == ['ros2', 'launch']:
            assert {word.split(':=')[0] for word in words[4:]} <= launch_arguments(words[3]), line
        elif words[:2] == ['ros2', 'run']:
            assert words[2] == 'fleetweave' and words[3] in installed, line
        else:
            assert words[:4] == ['ros2', 'topic', 'pub', '--once'], line


def test_the_goal_of_the_page_is_a_goal():
    """The text of `ros2 topic pub` fills the message that it names."""
    from geometry_msgs.msg import PoseStamped

    def fill(message, values):
        for name, value in values.items():
            if isinstance(value, dict):
                fill(getattr(message, name), value)
            else:
                setattr(message, name, value)  # checks name and type

    text = re.search(r'PoseStamped "(.*)"', PAGE).group(1)
    message = PoseStamped()
    fill(message, yaml.safe_load(text))
    assert message.header.frame_id == 'map' and message.pose.position.x == 2.25


def test_parameters_of_the_tables_exist():
    known = (TOP / 'config/planner.yaml').read_text()
    named = set(re.findall(r'`([a-z]+_[a-z_]+)`', PAGE)) - {
        'planner_node', 'path_follower', 'blocked_cells', 'goal_pose', 'amcl_pose', 'cmd_vel', 'cell_m', 'tick_s'}
    assert len(named) > 8
    assert [name for name in named if f'    {name}:' not in known] == []
