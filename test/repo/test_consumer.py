"""find_package(fleetweave) works for other packages, with ROS 2 and without, static and shared; and a planner that is
compiled there runs through the library."""
import os
import pathlib
import shutil
import subprocess

import pytest

SOURCE = pathlib.Path(os.environ['FLEETWEAVE_SOURCE_DIR'])
CONSUMER = SOURCE / 'test/consumer'
SOLVED = 'hca: solved\none_by_one: solved\n'
WITH_ROS = os.environ.get('FLEETWEAVE_WITH_ROS') == 'ON'


def run(*command, **options):
    done = subprocess.run(
        [str(word) for word in command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, **options)
    assert done.returncode == 0, done.stdout
    return done.stdout


def build_consumer(folder, prefix, environment):
    run('cmake', '-S', CONSUMER, '-B', folder, f'-DCMAKE_PREFIX_PATH={prefix}', env=environment)
    run('cmake', '--build', folder, env=environment)
    assert run(folder / 'consumer', env=environment) == SOLVED


def without_ros():
    """An environment in which CMake finds no ROS."""
    hidden = ('AMENT_', 'CMAKE_PREFIX_PATH', 'COLCON_', 'ROS_', 'LDFLAGS', 'LD_LIBRARY_PATH', 'PYTHONPATH')
    return {k: v for k, v in os.environ.items() if not k.startswith(hidden)}


def test_core_alone_with_cmake_and_a_compiler(tmp_path):
    environment = without_ros()
    options = ('-DFLEETWEAVE_ROS=OFF', '-DFLEETWEAVE_CUDA=OFF', '-DBUILD_TESTING=OFF')
    run('cmake', '-S', SOURCE, '-B', tmp_path / 'build', *options, env=environment)
    run('cmake', '--build', tmp_path / 'build', '--parallel', '2', env=environment)
    run('cmake', '--install', tmp_path / 'build', '--prefix', tmp_path / 'made', env=environment)
    (tmp_path / 'made').rename(tmp_path / 'moved')  # installed files must not depend on where they were built
    shutil.rmtree(tmp_path / 'build')
    build_consumer(tmp_path / 'consumer', tmp_path / 'moved', environment)
    assert 'plan' in run(tmp_path / 'moved/bin/fleetweave', '--help', env=environment)


def test_shared_library(tmp_path):
    environment = without_ros()
    options = ('-DFLEETWEAVE_ROS=OFF', '-DFLEETWEAVE_CUDA=OFF', '-DBUILD_TESTING=OFF', '-DBUILD_SHARED_LIBS=ON')
    run('cmake', '-S', SOURCE, '-B', tmp_path / 'build', *options, env=environment)
    run('cmake', '--build', tmp_path / 'build', '--parallel', '2', env=environment)
    run('cmake', '--install', tmp_path / 'build', '--prefix', tmp_path / 'made', env=environment)
    assert list((tmp_path / 'made').rglob('libfleetweave.so*'))
    assert not list((tmp_path / 'made').rglob('libfleetweave.a'))
    build_consumer(tmp_path / 'consumer', tmp_path / 'made', environment)


@pytest.mark.skipif(not WITH_ROS, reason='this build has no ROS')
def test_installed_with_ros(tmp_path):
    run('cmake', '--install', os.environ['FLEETWEAVE_BUILD_DIR'], '--prefix', tmp_path / 'prefix')
    build_consumer(tmp_path / 'consumer', tmp_path / 'prefix', without_ros())


@pytest.mark.skipif(not WITH_ROS, reason='this build has no ROS')
@pytest.mark.skipif(shutil.which('colcon') is None, reason='colcon is not installed')
def test_colcon_builds_both_in_the_right_order(tmp_path):
    environment = dict(os.environ)
    for paths in ('AMENT_PREFIX_PATH', 'CMAKE_PREFIX_PATH'):  # ROS, but no installed fleetweave
        folders = [pathlib.Path(p) for p in os.environ.get(paths, '').split(':') if p]
        kept = [str(p) for p in folders if not (p / 'share/fleetweave').exists()]
        environment[paths] = ':'.join(kept)
    (tmp_path / 'src').mkdir()
    (tmp_path / 'src/fleetweave').symlink_to(SOURCE)
    (tmp_path / 'src/consumer').symlink_to(CONSUMER)
    options = ('--cmake-args', '-DBUILD_TESTING=OFF', '-DFLEETWEAVE_CUDA=OFF')
    run('colcon', 'build', *options, cwd=tmp_path, env=environment)
    assert run(tmp_path / 'install/fleetweave_consumer/lib/fleetweave_consumer/consumer') == SOLVED
    installed = tmp_path / 'install/fleetweave'
    for program in ('fleetweave', 'planner_node', 'fleet_sim'):
        assert (installed / 'lib/fleetweave' / program).is_file()
    assert (installed / 'share/fleetweave/package.xml').is_file()
    assert (installed / 'share/fleetweave/launch').is_dir()
    assert (installed / 'share/fleetweave/config').is_dir()
