"""Things that stand in more than one file say the same."""
import os
import pathlib
import re
import subprocess
import xml.etree.ElementTree as ElementTree

SOURCE = pathlib.Path(os.environ['FLEETWEAVE_SOURCE_DIR'])


def read(path):
    return (SOURCE / path).read_text()


def test_one_version():
    manifest = ElementTree.fromstring(read('package.xml')).findtext('version')
    project = re.search(r'project\(fleetweave VERSION (\S+)', read('CMakeLists.txt')).group(1)
    header = re.search(r'#define FLEETWEAVE_VERSION "(.*)"', read('include/fleetweave/fleetweave.h')).group(1)
    assert manifest == project == header


def test_manifest_and_cmake_name_the_same_ros_packages():
    manifest = {e.text for e in ElementTree.fromstring(read('package.xml')).findall('depend')}
    lists = re.findall(r'set\(fleetweave_ros_(?:libraries|messages)\s+([^)]*)\)', read('cmake/ros.cmake'))
    assert manifest == {'rclc', 'libyaml_vendor'} | set(' '.join(lists).split())


def test_every_wheel_has_its_version():
    lines = [line for line in read('tools/ros-requirements.txt').splitlines() if line and not line.startswith('#')]
    assert all(re.fullmatch(r'[A-Za-z0-9._-]+==[0-9][A-Za-z0-9.]*', line) for line in lines)
    names = [re.split('==', line)[0].lower() for line in lines]
    assert len(names) == len(set(names))


def test_scripts_are_whole():
    for script in ('run', '.ci/run', *sorted((SOURCE / 'tools').glob('*.sh'))):
        subprocess.run(['bash', '-n', SOURCE / script], check=True)
    for script in ('run', '.ci/run'):
        assert os.access(SOURCE / script, os.X_OK)


def test_planners_ask_the_time_through_the_meter():
    """Else a recorded solve that a deadline has ended could not be repeated (src/plan/stopwatch.h)."""
    for folder in ('planner', 'spacetime'):
        for path in sorted((SOURCE / 'src' / folder).rglob('*.[ch]')):
            for line in path.read_text().splitlines():
                if 'fw_clock_now_ns' in line:
                    assert re.search(r'stats\.(first_plan|elapsed)_ns = ', line), f'{path.name}: {line.strip()}'
