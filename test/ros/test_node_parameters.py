"""All six parameter services, events, YAML and command line."""
import json
import os
import subprocess

import pytest
import yaml
from graph import grid_map
from rcl_interfaces.msg import ParameterEvent, ParameterType
from rcl_interfaces.srv import (DescribeParameters, GetParameters, GetParameterTypes, ListParameters,
                                SetParametersAtomically)
from rclpy.parameter import Parameter, parameter_value_to_python
from rclpy.qos import qos_profile_parameter_events


def place(x, y):
    return 0.5 * x + 0.25, 0.5 * y + 0.25


def get(graph, *names, node='fleetweave_planner'):
    request = GetParameters.Request(names=list(names))
    values = graph.call(GetParameters, 'get_parameters', request, node=node).values
    return [parameter_value_to_python(v) for v in values]


def messages(**values):
    return [Parameter(n.replace('__', '.'), value=v).to_parameter_msg() for n, v in values.items()]


def registry():
    cli = os.environ.get('FLEETWEAVE_CLI')
    if not cli:
        pytest.skip('the command line is not built')
    return json.loads(subprocess.check_output([cli, 'list', '--json']))


def test_get(graph):
    graph.start('a', 'b', priorities='[3, 7]', speed=0.75)
    values = get(graph, 'robots', 'priorities', 'speed', 'planner', 'robust_ticks', 'use_sim_time', 'nothing')
    assert list(values[0]) == ['a', 'b'] and list(values[1]) == [3, 7]
    assert values[2:] == [0.75, 'auto', 1, False, None]


def test_types(graph):
    graph.start('a')
    names = ['robots', 'priorities', 'speed', 'planner', 'threads', 'unknown_is_free', 'nothing']
    types = graph.call(GetParameterTypes, 'get_parameter_types', GetParameterTypes.Request(names=names)).types
    assert list(types) == [
        ParameterType.PARAMETER_STRING_ARRAY, ParameterType.PARAMETER_INTEGER_ARRAY, ParameterType.PARAMETER_DOUBLE,
        ParameterType.PARAMETER_STRING, ParameterType.PARAMETER_INTEGER, ParameterType.PARAMETER_BOOL,
        ParameterType.PARAMETER_NOT_SET]


def test_list(graph):
    graph.start('a')

    def names(**fields):
        return graph.call(ListParameters, 'list_parameters', ListParameters.Request(**fields)).result

    everything = names()
    assert {'robots', 'speed', 'planner', 'use_sim_time', 'plan_lead_seconds'} <= set(everything.names)
    assert len(set(everything.names)) == len(everything.names)
    flat = names(depth=1).names
    assert 'speed' in flat and not any('.' in name for name in flat)
    assert names(prefixes=['speed']).names == ['speed']
    assert names(prefixes=['spe']).names == []
    dotted = [name for name in everything.names if '.' in name]
    if dotted:
        planner = dotted[0].split('.')[0]
        assert set(names(prefixes=[planner]).names) == {n for n in dotted if n.startswith(planner + '.')}
        assert planner in everything.prefixes


def test_describe(graph):
    graph.start('a')
    names = ['closures', 'speed', 'connectivity', 'planner', 'nothing']
    request = DescribeParameters.Request(names=names)
    closures, speed, connectivity, planner, nothing = graph.call(
        DescribeParameters, 'describe_parameters', request).descriptors
    assert closures.read_only and closures.type == ParameterType.PARAMETER_STRING_ARRAY and closures.description
    assert not speed.read_only and speed.floating_point_range[0].from_value == 0.001
    assert (connectivity.integer_range[0].from_value, connectivity.integer_range[0].to_value,
            connectivity.integer_range[0].step) == (4, 8, 4)
    assert 'hca' in planner.description
    assert nothing.name == 'nothing' and nothing.type == ParameterType.PARAMETER_NOT_SET


def test_every_planner_parameter_of_the_registry_is_there(graph):
    planners = registry()
    planners = planners if isinstance(planners, list) else planners['planners']
    graph.start('a')
    for planner in planners:
        for parameter in planner['parameters']:
            name = f'{planner["name"]}.{parameter["name"]}'
            request = DescribeParameters.Request(names=[name])
            descriptor, = graph.call(DescribeParameters, 'describe_parameters', request).descriptors
            assert descriptor.type != ParameterType.PARAMETER_NOT_SET, name
            assert descriptor.description, name
            for choice in parameter.get('choices') or []:
                assert choice in descriptor.description


def test_set_and_event(graph):
    graph.start('a', 'b')
    events = []
    graph.node.create_subscription(ParameterEvent, '/parameter_events', events.append, qos_profile_parameter_events)
    graph.until(lambda: graph.node.count_publishers('/parameter_events') >= 2, 'the publisher of events')
    results = graph.set_parameters(speed=1.5, priorities=[1, 2], planner='ca', unknown_is_free=True, seed=9)
    assert all(r.successful for r in results), [r.reason for r in results]
    assert [list(v) if not isinstance(v, (bool, str, float, int)) else v
            for v in get(graph, 'speed', 'priorities', 'planner', 'unknown_is_free', 'seed')] == [
                1.5, [1, 2], 'ca', True, 9]
    graph.until(lambda: len(events) >= 5 or graph.set_parameters(speed=1.25) is None, 'events')
    ours = [e for e in events if e.node == '/fleetweave_planner']
    assert [e.changed_parameters[0].name for e in ours][:5] == [
        'speed', 'priorities', 'planner', 'unknown_is_free', 'seed']
    assert parameter_value_to_python(ours[0].changed_parameters[0].value) == 1.5


@pytest.mark.parametrize('name, value, words', [
    ('speed', -1.0, 'between'),
    ('speed', float('nan'), 'between'),
    ('speed', 'fast', 'of type double, not string'),
    ('robust_ticks', 99, 'between 0 and 16, not 99'),
    ('connectivity', 6, '4 or 8, not 6'),
    ('planner', 'magic', "one of these, not 'magic': "),
    ('closures', ['x'], 'only be set when the node starts'),
    ('priorities', [1, 2, 3], '3 values for 2 robots'),
    ('free_thresh', 0.9, 'must not be above occupied_thresh'),
    ('nothing', 1, 'no parameter'),
    ('robots', [f'r{k}' for k in range(2001)], 'robots has 2001 names, and at most 2000 are possible'),
    ('robots', ['x' * 64], "robots: the name 'xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx...' has more than 62 characters"),
    ('unknown_is_free', 1, 'of type bool, not integer'),
])
def test_refused_with_a_reason(graph, name, value, words):
    graph.start('a', 'b')
    before = get(graph, name)
    result, = graph.set_parameters(**{name: value})
    assert not result.successful and words in result.reason
    after = get(graph, name)
    assert [str(v) for v in before] == [str(v) for v in after]


def test_whole_numbers_are_fine_for_doubles(graph):
    graph.start('a', arguments=['-p', 'odom_timeout:=3'])
    assert graph.set_parameters(speed=2)[0].successful
    assert get(graph, 'speed', 'odom_timeout') == [2.0, 3.0]


def test_atomically_is_all_or_nothing(graph):
    graph.start('a')

    def set_all(**values):
        request = SetParametersAtomically.Request(parameters=messages(**values))
        return graph.call(SetParametersAtomically, 'set_parameters_atomically', request).result

    result = set_all(speed=1.0, time_limit=-1.0)
    assert not result.successful and 'time_limit' in result.reason
    assert get(graph, 'speed', 'time_limit') == [0.5, 2.0]
    # Neither of these could be set first on its own.
    assert set_all(free_thresh=0.8, occupied_thresh=0.9).successful
    assert set_all(free_thresh=0.1, occupied_thresh=0.2).successful
    assert get(graph, 'free_thresh', 'occupied_thresh') == [0.1, 0.2]


def test_planner_switched_while_running(graph):
    a, = graph.start('a')
    graph.map_publisher.publish(grid_map(['........'] * 3))
    a.stand(*place(0, 0))
    graph.until(lambda: graph.planner('planner') == 'auto' and a.path, 'the first planner')
    assert graph.set_parameters(planner='ca')[0].successful
    a.send_goal(*place(7, 2))
    graph.until(lambda: graph.planner('planner') == 'ca' and a.reaches(*place(7, 2)), 'the second planner')
    assert graph.message('planner') == 'planning'
    assert not graph.set_parameters(planner='none')[0].successful
    a.send_goal(*place(0, 2))
    graph.until(lambda: a.reaches(*place(0, 2)), 'the second planner, still')


# ---- files, wildcards, names

@pytest.mark.parametrize('pattern, applies', [
    ('/**', True), ('/fleet/planner_one', True), ('/*/planner_one', True), ('/**/planner_one', True),
    ('/fleet/*', True), ('/fleet/**', True), ('planner_one', False), ('/other/planner_one', False), ('/*', False),
    ('/fleet/planner_two', False),
])
def test_yaml_wildcards(graph, tmp_path, pattern, applies):
    file = tmp_path / 'parameters.yaml'
    file.write_text(f'{pattern}:\n  ros__parameters:\n    speed: 0.125\n    priorities: [4]\n')
    graph.start('a', arguments=['--params-file', str(file), '-r', '__ns:=/fleet', '-r', '__node:=planner_one'])
    speed, priorities = get(graph, 'speed', 'priorities', node='/fleet/planner_one')
    assert (speed == 0.125) == applies and (list(priorities) == [4]) == applies


def test_later_entries_win(graph, tmp_path):
    file = tmp_path / 'parameters.yaml'
    file.write_text(
        '/**:\n  ros__parameters:\n    speed: 0.1\n    seed: 1\n'
        'fleetweave_planner:\n  ros__parameters:\n    speed: 0.2\n')
    graph.start('a', arguments=['--params-file', str(file), '-p', 'seed:=5'])
    assert get(graph, 'speed', 'seed') == [0.2, 5]


def test_the_shipped_file_has_every_parameter_with_its_default(graph):
    file = os.path.join(os.environ['FLEETWEAVE_SOURCE_DIR'], 'config', 'planner.yaml')
    graph.start('a', execution_mode='dependency', pose_source='tf', diagnostics_period=1.0)
    names = list(graph.call(ListParameters, 'list_parameters', ListParameters.Request()).result.names)
    defaults = [str(v) for v in get(graph, *names)]
    assert graph.stop() == 0
    graph.launch([os.environ['FLEETWEAVE_PLANNER_NODE'], '--ros-args', '--params-file', file, '-p', 'robots:=[a]'])
    assert [str(v) for v in get(graph, *names)] == defaults
    with open(file) as text:
        (section,) = yaml.safe_load(text).values()
    for name in names:
        found = section['ros__parameters']
        for key in name.split('.'):
            assert key in found, f'{name} is missing in config/planner.yaml'
            found = found[key]
    assert 'not known here' not in graph.output()


@pytest.mark.parametrize('argument, words', [
    ('speed:=-3.0', 'speed must be between'),
    ('planner:=magic', "planner must be one of these, not 'magic'"),
    ('robots:=[a,a]', 'is listed twice'),
    ('robots:=["a b"]', 'cannot be a namespace'),
    ('pose_source:=gps', 'pose_source must be tf, odom or amcl_pose'),
    ('base_frame:=base_link', "base_frame 'base_link' is the same for all robots: it must contain {robot}"),
    ('base_frame:=""', 'base_frame must have 1 to 63 characters'),
    ('tf_topic:=""', 'tf_topic must have 1 to 63 characters'),
    (f'closures:=[{",".join(f"d{k}" for k in range(2001))}]', 'closures has 2001 names, and at most 2000 are possible'),
])
def test_bad_values_at_the_start_end_it(graph, argument, words):
    graph.launch([os.environ['FLEETWEAVE_PLANNER_NODE'], '--ros-args', '-p', argument])
    assert graph.process.wait(20) == 1
    assert words in graph.output()


def test_help_lists_the_parameters():
    program = os.environ['FLEETWEAVE_PLANNER_NODE']
    done = subprocess.run([program, '--help'], stdout=subprocess.PIPE, text=True, timeout=30)
    assert done.returncode == 0
    for name in ('robots', 'speed', 'planner', 'whca.window', 'use_sim_time'):
        assert f'\n  {name} ' in done.stdout
    assert 'One of: ' in done.stdout and 'Exit codes: ' in done.stdout


def test_unknown_ones_are_warned_of(graph):
    graph.start('a', arguments=['-p', 'sped:=1.0'])
    graph.pass_diagnostics()
    assert "'sped' is given but not known here" in graph.output()


def test_the_period_of_diagnostics(graph):
    graph.start('a', diagnostics_period=3600.0)
    get(graph, 'speed')
    assert not graph.set_parameters(diagnostics_period=0.0)[0].successful
    assert graph.diagnostics_count <= 1  # the first message of a node may come before it is subscribed to
    assert graph.set_parameters(diagnostics_period=0.05)[0].successful
    graph.until(lambda: graph.diagnostics_count > 5, 'messages by the new period')
