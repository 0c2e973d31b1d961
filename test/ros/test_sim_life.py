"""Start, end and parameters of the simulator."""
import os
import re
import signal
import subprocess
from pathlib import Path

import pytest
from rcl_interfaces.msg import Log
from rcl_interfaces.srv import (DescribeParameters, GetParameters, ListParameters, SetParameters,
                                SetParametersAtomically)
from rclpy.parameter import Parameter
from rclpy.qos import DurabilityPolicy, QoSProfile
from sim import arguments, program


@pytest.mark.parametrize('number', [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_it_cleanly(start, number):
    sim = start({'robots': '[a]', 'map': 'open:12x12'}, ['a'])
    sim.pose('a')
    sim.process.send_signal(number)
    assert sim.ended() == 0
    assert 'ended after' in sim.log()


@pytest.mark.parametrize('name, value, words', [
    ('robots', 0, 'robots must be'),
    ('robots', '[a,a]', "'a' is listed twice"),
    ('robots', "['bad name']", 'bad name'),
    ('robots', 200, '200 robots do not fit'),
    ('map', 'castle:10x10', 'castle'),
    ('map', 'no/such/file.map', 'no/such/file.map'),
    ('cell_size', 0.0, 'cell_size must be'),
    ('map_resolution', 0.3, 'must be cell_size'),
    ('max_speed', 'fast', 'max_speed must be of type double, not string'),
    ('max_speed', '.nan', 'max_speed must be between'),
    ('odom_rate', 1000, 'odom_rate must be'),
    ('goals', 'perhaps', 'goals must be random or none'),
    ('publish_clock', 3, 'publish_clock must be of type bool, not integer'),
    ('rate_factor', 5.0, 'rate_factor needs publish_clock'),
    ('seed', 1.5, 'seed must be of type integer, not double'),
    ('duration', -1.0, 'duration must be'),
    ('record', '/no/such/folder/run.txt', '/no/such/folder/run.txt'),
])
def test_a_bad_parameter_is_named_and_ends_it(name, value, words):
    words_given = arguments({'map': 'open:12x12', 'duration': 0.1, name: value})
    done = subprocess.run(
        [program(), '--ros-args', *words_given], stderr=subprocess.PIPE, text=True, timeout=30)
    assert done.returncode != 0
    assert words in done.stderr


def test_parameters_from_files_with_wildcards_in_a_namespace(start, tmp_path):
    file = tmp_path / 'parameters.yaml'
    file.write_text(
        '/**:\n  ros__parameters:\n    robots: [one, two]\n    map: "open:12x12"\n    speed: 3.0\n'
        '/**/fleet_sim:\n  ros__parameters:\n    publish_clock: true\n'
        '/other/fleet_sim:\n  ros__parameters:\n    robots: 0\n'
        '/*/fleet_sim:\n  ros__parameters:\n    cell_size: 1.0\n')
    sim = start({}, ['one', 'two'], more=['-r', '__ns:=/site', '--params-file', str(file)], namespace='/site')
    sim.until(lambda: sim.odom['one'] and sim.odom['two'], 'odometry in the namespace')
    assert sim.now('one') < 1000  # its own clock
    sim.until(lambda: '12 x 12 cells of 1 m' in sim.log(), 'the line about the map')
    sim.until(lambda: sim.status, 'status in the namespace')
    log = []
    sim.node.create_subscription(Log, '/rosout', log.append, QoSProfile(
        depth=1000, durability=DurabilityPolicy.TRANSIENT_LOCAL))
    sim.until(lambda: any(m.name == 'site.fleet_sim' and '2 robots on' in m.msg for m in log), 'its log on /rosout')


def test_parameter_services_answer_and_change_nothing(start):
    sim = start({'robots': '[a, b]', 'map': 'open:12x12', 'max_speed': 2.5}, ['a'])

    def call(service_type, name, request):
        client = sim.node.create_client(service_type, f'fleet_sim/{name}')
        sim.until(client.service_is_ready, name)
        future = client.call_async(request)
        sim.until(future.done, f'an answer of {name}')
        return future.result()

    listed = call(ListParameters, 'list_parameters', ListParameters.Request()).result.names
    assert {'robots', 'map', 'max_speed', 'use_sim_time'} <= set(listed)
    values = call(GetParameters, 'get_parameters', GetParameters.Request(names=['robots', 'max_speed'])).values
    assert values[0].string_array_value == ['a', 'b'] and values[1].double_value == 2.5
    change = Parameter('max_speed', value=9.0).to_parameter_msg()
    answer = call(SetParameters, 'set_parameters', SetParameters.Request(parameters=[change])).results[0]
    assert not answer.successful and 'max_speed' in answer.reason
    descriptor, = call(
        DescribeParameters, 'describe_parameters', DescribeParameters.Request(names=['max_speed'])).descriptors
    assert descriptor.read_only and 'metres per second' in descriptor.description
    # A change of nothing is none: the simulator goes on with the values that it has.
    assert call(
        SetParametersAtomically, 'set_parameters_atomically', SetParametersAtomically.Request()).result.successful
    before = len(sim.odom['a'])
    sim.until(lambda: len(sim.odom['a']) > before + 5, 'odometry afterwards')


def test_a_start_error_says_what_is_wrong_and_nothing_else():
    done = subprocess.run(
        [program(), '--ros-args', '-p', 'robots:=0'], stderr=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
        timeout=30)
    lines = (done.stdout + done.stderr).strip().splitlines()
    assert len(lines) == 1 and 'robots must be' in lines[0], lines


def test_one_robot_is_called_a_robot(start):
    sim = start({'robots': 1, 'map': 'open:12x12'})
    sim.until(lambda: '1 robot on open:12x12' in sim.log(), 'the line about the fleet')


def test_help_lists_the_parameters():
    done = subprocess.run([program(), '--help'], stdout=subprocess.PIPE, text=True, timeout=30)
    assert done.returncode == 0
    for name in ('robots', 'map', 'max_speed', 'goals', 'duration', 'record'):
        assert f'  {name} ' in done.stdout


def test_the_parameter_file_shows_every_parameter_with_its_initial_value():
    yaml = pytest.importorskip('yaml')
    top = Path(os.environ.get('FLEETWEAVE_SOURCE_DIR', Path(__file__).resolve().parents[2]))
    shown = yaml.safe_load((top / 'config' / 'fleet_sim.yaml').read_text())['/**/fleet_sim']['ros__parameters']
    done = subprocess.run([program(), '--help'], stdout=subprocess.PIPE, text=True, timeout=30)
    table = done.stdout.split('Parameters', 1)[1]
    listed = {m[1]: yaml.safe_load(m[2]) for m in re.finditer(r'^  (\w+) .* \[(.*)\]$', table, re.M)}
    del listed['use_sim_time']
    assert shown == listed
