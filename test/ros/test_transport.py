"""By which means the nodes exchange messages: UDP, unless the user has configured Fast DDS; and what they leave behind."""
import glob
import os
import re
import signal
import subprocess

import pytest

PROGRAMS = {
    'FLEETWEAVE_PLANNER_NODE': ['robots:=[a]'],
    'FLEETWEAVE_FLEET_SIM': ['robots:=[a]', 'map:=open:8x8'],
    'FLEETWEAVE_PATH_FOLLOWER': ['robots:=[a]'],
}
USERS = ('FASTDDS_BUILTIN_TRANSPORTS', 'FASTRTPS_DEFAULT_PROFILES_FILE', 'FASTDDS_DEFAULT_PROFILES_FILE')
EMPTY_PROFILES = '<?xml version="1.0" encoding="UTF-8"?>\n<dds><profiles/></dds>\n'


@pytest.fixture
def begin(tmp_path):
    """Starts a program in an environment in which the user has chosen nothing but `choices`; it is up on return."""
    processes = []

    def start(variable='FLEETWEAVE_PLANNER_NODE', **choices):
        environment = {name: value for name, value in os.environ.items() if name not in USERS}
        words = [word for parameter in PROGRAMS[variable] for word in ('-p', parameter)]
        process = subprocess.Popen(
            [os.environ[variable], '--ros-args', *words], stderr=subprocess.PIPE, text=True, cwd=tmp_path,
            env={**environment, 'TMPDIR': str(tmp_path), **choices})
        processes.append(process)
        while True:
            line = process.stderr.readline()
            assert line, f'{variable} ended with {process.wait()}'
            if '[INFO]' in line:  # the first one comes when the node is there
                return process

    yield start
    for process in processes:
        if process.poll() is None:
            process.kill()
        process.wait()
        process.stderr.close()


def shared_files(process):
    """Files of Fast DDS in shared memory that this process, and not another one, has mapped or opened."""
    with open(f'/proc/{process.pid}/maps') as maps:
        files = set(re.findall(r'/dev/shm/\S*fast(?:rtps|dds)\S*', maps.read()))
    for link in glob.glob(f'/proc/{process.pid}/fd/*'):
        try:
            files.update(re.findall(r'/dev/shm/\S*fast(?:rtps|dds)\S*', os.readlink(link)))
        except FileNotFoundError:  # closed since
            pass
    return files


def end(process, number):
    process.send_signal(number)
    process.stderr.read()
    return process.wait(timeout=60)


@pytest.mark.parametrize('discovery', ['LOCALHOST', 'OFF'])
@pytest.mark.parametrize('variable', PROGRAMS)
def test_the_nodes_use_no_shared_memory_of_the_middleware(begin, tmp_path, variable, discovery):
    """With LOCALHOST rmw_fastrtps chooses transports, otherwise Fast DDS does."""
    process = begin(variable, ROS_AUTOMATIC_DISCOVERY_RANGE=discovery)
    assert shared_files(process) == set()
    assert list(tmp_path.glob('fleetweave-transport-*')) == [], 'the profile is read once'
    assert end(process, signal.SIGINT) == 0


def test_the_deprecated_way_to_stay_on_this_machine_works_too(begin):
    environment = {'ROS_LOCALHOST_ONLY': '1', 'ROS_AUTOMATIC_DISCOVERY_RANGE': 'LOCALHOST'}
    assert shared_files(begin(**environment)) == set()


def test_what_the_user_has_chosen_stays(begin, tmp_path):
    profiles = tmp_path / 'profiles.xml'
    profiles.write_text(EMPTY_PROFILES)
    for choices in ({'FASTDDS_BUILTIN_TRANSPORTS': 'DEFAULT'}, {'FASTRTPS_DEFAULT_PROFILES_FILE': str(profiles)}):
        assert shared_files(begin(**choices)), choices
    profiles.rename(tmp_path / 'DEFAULT_FASTRTPS_PROFILES.xml')  # in the working directory
    assert shared_files(begin())


def test_without_a_place_for_the_profile_the_node_still_starts(begin):
    process = begin(TMPDIR='/no/such/folder')
    assert shared_files(process), 'with shared memory'
    assert end(process, signal.SIGINT) == 0


@pytest.mark.parametrize('number', [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize('variable', PROGRAMS)
def test_an_orderly_end_leaves_nothing_in_shared_memory(begin, variable, number):
    """Also where the user wants shared memory. Ports below 7400 are for all domains, so others may use them."""
    before = set(glob.glob('/dev/shm/*'))
    process = begin(variable, FASTDDS_BUILTIN_TRANSPORTS='DEFAULT')
    own = {file for file in shared_files(process) - before if not re.search(r'_port7[0-3]\d\d(_el)?$', file)}
    assert any(re.search(r'_[0-9a-f]{16}$', file) for file in own), own
    assert end(process, number) == 0
    semaphores = {f'/dev/shm/sem.{os.path.basename(file)}_mutex' for file in own} - before
    assert [file for file in own | semaphores if os.path.exists(file)] == []
