"""The launch files with a stand-in for `launch`: what they start, and what they say of mistakes."""
import glob
import os
import stat
import tempfile
from pathlib import Path

import pytest
from launch_stand_in import arguments, load, perform

TOP = Path(os.environ.get('FLEETWEAVE_SOURCE_DIR', Path(__file__).resolve().parents[2]))
FILES = ['planner.launch.py', 'demo.launch.py', 'gazebo.launch.py']
FREE = {  # any text: names, numbers, files and topics
    'namespace', 'params_file', 'follower_params_file', 'robots', 'planner', 'closures', 'map', 'duration', 'record',
    'cell', 'radius', 'world_dir', 'keystore'}


@pytest.fixture
def launch_file(monkeypatch):
    return lambda name: load(TOP / 'launch' / name, monkeypatch)


def node(actions, executable):
    found, = [a for a in actions if a.kind == 'Node' and a.executable == executable]
    return found


def parameters(action):
    """The overrides of a node, and its file."""
    file, *more = action.parameters  # files may follow, for some arguments
    return more[-1], file


@pytest.mark.parametrize('name', FILES)
def test_every_argument_has_a_description_and_choices_unless_it_is_free_text(launch_file, name):
    declared = arguments(launch_file(name))
    assert len(declared) >= 10
    for argument, action in declared.items():
        assert action.description and not action.description.endswith('.'), argument
        assert ('choices' in action.named) == (argument not in FREE), argument
        if 'choices' in action.named:
            assert action.default_value in action.choices, argument


@pytest.mark.parametrize('name, argument, value', [
    ('demo.launch.py', 'drive', 'wheels'), ('demo.launch.py', 'goals', 'some'), ('demo.launch.py', 'use_rviz', 'maybe'),
    ('gazebo.launch.py', 'gazebo', 'classic'), ('planner.launch.py', 'log_level', 'loud')])
def test_a_value_that_is_no_choice_is_refused(launch_file, name, argument, value):
    with pytest.raises(ValueError, match=value):
        perform(launch_file(name), **{argument: value})


@pytest.mark.parametrize('name, argument', [
    ('planner.launch.py', 'params_file'), ('planner.launch.py', 'follower_params_file'),
    ('gazebo.launch.py', 'params_file')])
def test_a_missing_parameter_file_is_an_error(launch_file, name, argument):
    with pytest.raises(RuntimeError, match=f'{argument}:=/no/file.yaml: there is no such file'):
        perform(launch_file(name), **{argument: '/no/file.yaml'})


def test_the_demo_hands_the_parameter_file_to_the_planner_which_checks_it(launch_file):
    include = perform(launch_file('demo.launch.py'), params_file='/no/file.yaml')[0]
    assert ('params_file', '/no/file.yaml') in include.launch_arguments
    assert include.kind == 'IncludeLaunchDescription'  # first, so that nothing is started before the check


@pytest.mark.parametrize('name', ['planner.launch.py', 'gazebo.launch.py'])
@pytest.mark.parametrize('robots', ['0', ','])
def test_no_robots_is_an_error(launch_file, name, robots):
    with pytest.raises(RuntimeError, match='a number of 1 or more'):
        perform(launch_file(name), robots=robots)


def test_a_duration_that_is_no_number_is_an_error(launch_file):
    with pytest.raises(RuntimeError, match='duration:=long'):
        perform(launch_file('demo.launch.py'), duration='long')


def test_a_planner_that_ends_ends_the_launch(launch_file):
    module = launch_file('planner.launch.py')
    assert node(perform(module), 'planner_node').on_exit.kind == 'Shutdown'
    assert node(perform(module, is_required='false'), 'planner_node').on_exit is None
    include = perform(launch_file('demo.launch.py'))[0]
    assert 'is_required' not in dict(include.launch_arguments)  # as it is by default


def test_the_demo_s_arguments_reach_the_simulator(launch_file):
    module = launch_file('demo.launch.py')
    overrides, file = parameters(node(perform(module, goals='none', robots='2', duration='7'), 'fleet_sim'))
    assert overrides['goals'] == 'none' and overrides['robots'] == ['robot_0', 'robot_1']
    assert overrides['duration'] == 7.0 and Path(file).is_file()
    assert parameters(node(perform(module), 'fleet_sim'))[0]['goals'] == 'random'
    wheels = perform(module, drive='cmd_vel')
    files = [Path(file) for file in node(wheels, 'fleet_sim').parameters[:-1]]
    assert files[1].name == 'demo_wheels.yaml' and 'drive: "cmd_vel"' in files[1].read_text()
    assert ('use_follower', 'True') in wheels[0].launch_arguments


def folders():
    return set(glob.glob(os.path.join(tempfile.gettempdir(), 'fleetweave-*')))


@pytest.fixture
def program(tmp_path):
    """A package prefix whose `fleetweave` does as the text says."""
    def make(text):
        path = tmp_path / 'lib/fleetweave/fleetweave'
        path.parent.mkdir(parents=True)
        path.write_text(f'#!/bin/sh\n{text}\n')
        path.chmod(path.stat().st_mode | stat.S_IXUSR)
        return {'prefix': str(tmp_path)}
    return make


@pytest.fixture
def own_temp(tmp_path, monkeypatch):
    folder = tmp_path / 'temp'
    folder.mkdir()
    monkeypatch.setattr(tempfile, 'tempdir', str(folder))


def test_gazebo_s_temporary_folder_is_removed_at_the_end(launch_file, program, own_temp):
    actions = perform(launch_file('gazebo.launch.py'), program('exit 0'), robots='2')
    made, = folders()
    handler, = [a for a in actions if a.kind == 'RegisterEventHandler']
    assert handler.positional[0].kind == 'OnShutdown'
    handler.positional[0].on_shutdown('event', 'context')
    assert not Path(made).exists()


def test_a_world_that_cannot_be_made_leaves_nothing_behind(launch_file, program, own_temp):
    with pytest.raises(RuntimeError, match='no world for Gazebo: too small'):
        perform(launch_file('gazebo.launch.py'), program('echo too small >&2; exit 2'))
    assert folders() == set()


def test_a_folder_of_the_user_s_stays(launch_file, program, own_temp, tmp_path):
    actions = perform(launch_file('gazebo.launch.py'), program('exit 0'), world_dir=str(tmp_path))
    assert folders() == set() and not [a for a in actions if a.kind == 'RegisterEventHandler']


# ---- security

@pytest.fixture
def keystore(tmp_path):
    for node_name in ('planner', 'simulator', 'follower'):
        folder = tmp_path / 'enclaves/fleetweave' / node_name
        folder.mkdir(parents=True)
        (folder / 'permissions.p7s').touch()
    return tmp_path


def test_with_a_keystore_every_node_is_in_its_enclave_and_security_is_enforced(launch_file, keystore):
    planner = perform(launch_file('planner.launch.py'), keystore=str(keystore), use_follower='true')
    demo = perform(launch_file('demo.launch.py'), keystore=str(keystore))
    for actions, executable, enclave in ((planner, 'planner_node', 'planner'), (planner, 'path_follower', 'follower'),
                                         (demo, 'fleet_sim', 'simulator')):
        started = node(actions, executable)
        assert started.arguments[-2:] == ['--enclave', f'/fleetweave/{enclave}']
        assert started.additional_env == {
            'ROS_SECURITY_ENABLE': 'true', 'ROS_SECURITY_STRATEGY': 'Enforce', 'ROS_SECURITY_KEYSTORE': str(keystore)}
    assert ('keystore', str(keystore)) in demo[0].launch_arguments


def test_without_a_keystore_nothing_is_set(launch_file):
    started = node(perform(launch_file('planner.launch.py')), 'planner_node')
    assert started.additional_env == {} and '--enclave' not in started.arguments


def test_a_keystore_without_the_enclave_is_an_error(launch_file, tmp_path):
    with pytest.raises(RuntimeError, match='it has no enclave /fleetweave/planner'):
        perform(launch_file('planner.launch.py'), keystore=str(tmp_path))


@pytest.mark.parametrize('argument', ['use_rviz', 'use_nav2'])
def test_what_has_no_enclave_is_not_started_beside_secured_nodes(launch_file, keystore, argument):
    with pytest.raises(RuntimeError, match='no enclaves for RViz and nav2_bridge'):
        perform(launch_file('planner.launch.py'), keystore=str(keystore), **{argument: 'true'})
