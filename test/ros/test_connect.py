"""docs/connect.md: every snippet is run. Parameter files by the planner in a real graph, the follower with a fleet."""
import ast
import importlib
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
from action_msgs.msg import GoalStatus
from graph import grid_map
from lifecycle_msgs.srv import ChangeState
from rcl_interfaces.srv import GetParameters
from rclpy.action import ActionClient
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
    assert len(FILES) == 4 and len(snippets('python')) == 2 and len(snippets('sh')) == 5
    assert len(re.findall(r'^```\w', PAGE, re.MULTILINE)) == 11


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
            assert ' '.join(words[:3]) in ASKED, line  # each is asked below


# ---- clients

def fill(message, values):
    for name, value in values.items():
        if isinstance(value, dict):
            fill(getattr(message, name), value)
        else:
            setattr(message, name, value)  # checks name and type
    return message


def interface(name):
    package, kind, word = name.split('/')
    return getattr(importlib.import_module(f'{package}.{kind}'), word)


def send_goal(graph, words):
    """ros2 action send_goal --feedback NAME TYPE TEXT: until its result."""
    name, type_name, text = words[4:]
    kind = interface(type_name)
    client = ActionClient(graph.node, kind, name)
    graph.until(client.server_is_ready, name)
    answer = client.send_goal_async(fill(kind.Goal(), yaml.safe_load(text)))
    graph.until(answer.done, 'an answer')
    assert answer.result().accepted
    result = answer.result().get_result_async()
    graph.until(result.done, 'the result')
    assert result.result().status == GoalStatus.STATUS_SUCCEEDED, result.result().result.error_msg


def publish(graph, words):
    """ros2 topic pub --once NAME TYPE TEXT: until the planner has the goal."""
    name, type_name, text = words[4:]
    kind = interface(type_name)
    publisher = graph.node.create_publisher(kind, name, 10)
    graph.until(lambda: publisher.get_subscription_count() > 1, f'the planner and the simulator to read {name}')
    publisher.publish(fill(kind(), yaml.safe_load(text)))
    robot = name.split('/')[1]
    graph.until(lambda: graph.value(robot, 'goal_cell') == '4,3', 'the goal')


def call(graph, words):
    """ros2 service call NAME TYPE"""
    node, name = words[3].lstrip('/').split('/')
    assert graph.call(interface(words[4]), name, interface(words[4]).Request(), node=node).success


def change_state(graph, words):
    """ros2 lifecycle set NODE LABEL"""
    request = ChangeState.Request()
    request.transition.label = words[4]
    assert graph.call(ChangeState, 'change_state', request, node=words[3].lstrip('/')).success


ASKED = {
    'ros2 action send_goal': send_goal, 'ros2 topic pub': publish, 'ros2 service call': call,
    'ros2 lifecycle set': change_state}


def test_clients(graph, start, tmp_path):
    """The program and every command of the page, one after the other, with the page's robots."""
    parameters = next(text for text in FILES if 'pose_source: odom' in text)
    names = wanted(parameters)['robots']
    file, program = tmp_path / 'fleet.yaml', tmp_path / 'client.py'
    file.write_text(parameters)
    program.write_text(snippets('python')[1])
    start({
        'robots': f'[{",".join(names)}]', 'map': 'open:8x6', 'goals': 'none', 'starts': '["0,0","0,5"]',
        'follow': 'released_path', 'report_period': 0})
    graph.launch([os.environ['FLEETWEAVE_PLANNER_NODE'], '--ros-args', '--params-file', str(file)])
    with open(tmp_path / 'client.txt', 'w') as output:
        client = subprocess.Popen([sys.executable, str(program), 'red', '3.25', '1.25'], stdout=output, stderr=output)
        try:
            graph.until(lambda: client.poll() is not None, 'the end of the program', bound=120)
        finally:
            client.kill()
            client.wait()
    said = (tmp_path / 'client.txt').read_text()
    assert client.returncode == 0 and said.endswith('there\n') and ' m left' in said, said
    asked = set()
    for line in filter(None, '\n'.join(snippets('sh')).splitlines()):
        words = shlex.split(line)
        ask = ASKED.get(' '.join(words[:3]))
        if ask is not None:
            ask(graph, words)
            asked.add(' '.join(words[:3]))
    assert asked == set(ASKED)


def test_a_program_whose_goal_is_rejected_says_so(graph, tmp_path):
    program = tmp_path / 'client.py'
    program.write_text(snippets('python')[1])
    graph.start('red')
    graph.map_publisher.publish(grid_map(['....'] * 4))
    graph.until(lambda: 'planning cells' in graph.output(), 'the map')
    done = subprocess.run([sys.executable, str(program), 'red', '99', '1'], capture_output=True, text=True, timeout=120)
    assert done.returncode == 1 and 'rejected' in done.stderr
    assert 'red/navigate_to_pose: goal rejected, error 204' in graph.output()


def test_parameters_of_the_tables_exist():
    known = (TOP / 'config/planner.yaml').read_text()
    named = set(re.findall(r'`([a-z]+_[a-z_]+)`', PAGE)) - {
        'planner_node', 'path_follower', 'blocked_cells', 'goal_pose', 'amcl_pose', 'cmd_vel', 'cell_m', 'tick_s',
        'bt_navigator'}
    assert len(named) > 8
    assert [name for name in named if f'    {name}:' not in known] == []
