"""find_package(fleetweave) and pkg-config work for other packages, with ROS 2 and without, static and shared; and a planner that
is compiled there runs through the library."""
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


def compile_by_pkg_config(program, prefix, environment):
    """The consumer by a compiler and pkg-config alone, in an installed tree that has been moved."""
    assert str(prefix.resolve()) not in ''.join(path.read_text() for path in prefix.rglob('*.pc'))
    (file,) = prefix.rglob('fleetweave.pc')
    environment = {**environment, 'PKG_CONFIG_PATH': str(file.parent)}
    version = run('pkg-config', '--modversion', 'fleetweave', env=environment).strip()
    assert f'"{version}"' in (SOURCE / 'include/fleetweave/fleetweave.h').read_text()
    flags = run('pkg-config', '--cflags', '--libs', 'fleetweave', env=environment).split()
    compiler = os.environ.get('CC') or 'cc'
    run(*compiler.split(), '-std=c11', CONSUMER / 'main.c', '-o', program, *flags, env=environment)
    libraries = {'LD_LIBRARY_PATH': str(file.parents[1])}
    assert run(program, env={**environment, **libraries}) == SOLVED


def without_ros():
    """An environment in which CMake finds no ROS."""
    hidden = ('AMENT_', 'CMAKE_PREFIX_PATH', 'COLCON_', 'ROS_', 'LDFLAGS', 'LD_LIBRARY_PATH', 'PYTHONPATH')
    return {k: v for k, v in os.environ.items() if not k.startswith(hidden)}


def configure_core(folder, shared):
    options = ('-DFLEETWEAVE_ROS=OFF', '-DFLEETWEAVE_CUDA=OFF', '-DBUILD_TESTING=OFF', f'-DBUILD_SHARED_LIBS={shared}')
    run('cmake', '-S', SOURCE, '-B', folder, *options, env=without_ros())


def build_core(folder, prefix, shared):
    configure_core(folder, shared)
    run('cmake', '--build', folder, '--parallel', '2', env=without_ros())
    run('cmake', '--install', folder, '--prefix', prefix, env=without_ros())


def install_the_library_alone(folder, prefix):
    """Component `library`: headers, library, CMake package and pkg-config file. No program has been built for it."""
    configure_core(folder, 'OFF')
    run('cmake', '--build', folder, '--target', 'fleetweave', '--parallel', '2', env=without_ros())
    run('cmake', '--install', folder, '--component', 'library', '--prefix', prefix, env=without_ros())
    assert not (folder / 'fleetweave').exists()
    files = {str(path.relative_to(prefix)) for path in prefix.rglob('*') if path.is_file()}
    headers = {f'include/fleetweave/fleetweave/{path.name}' for path in (SOURCE / 'include/fleetweave').glob('*.h')}
    assert headers < files
    assert {name.rsplit('/', 1)[-1] for name in files - headers} == {
        'libfleetweave.a', 'fleetweave.pc', 'fleetweaveConfig.cmake', 'fleetweaveConfigVersion.cmake',
        'fleetweave_targets.cmake', 'fleetweave_targets-release.cmake'}


def test_core_alone_with_cmake_and_a_compiler_static_and_shared(tmp_path):
    install_the_library_alone(tmp_path / 'build', tmp_path / 'library')
    build_core(tmp_path / 'build', tmp_path / 'made', 'OFF')
    build_core(tmp_path / 'build', tmp_path / 'shared', 'ON')  # the same objects, linked again
    (tmp_path / 'made').rename(tmp_path / 'moved')  # installed files must not depend on where they were built
    shutil.rmtree(tmp_path / 'build')
    build_consumer(tmp_path / 'library_consumer', tmp_path / 'library', without_ros())
    build_consumer(tmp_path / 'consumer', tmp_path / 'moved', without_ros())
    assert 'plan' in run(tmp_path / 'moved/bin/fleetweave', '--help', env=without_ros())
    (library,) = (tmp_path / 'shared').rglob('libfleetweave.so')
    version = run(tmp_path / 'shared/bin/fleetweave', '--version', env=without_ros()).split()[-1]
    assert library.resolve().name == f'libfleetweave.so.{version}'
    assert not list((tmp_path / 'shared').rglob('libfleetweave.a'))
    build_consumer(tmp_path / 'shared_consumer', tmp_path / 'shared', without_ros())
    # Programs look for the series (docs/releasing.md), not for the exact version.
    series = '.'.join(version.split('.')[:2 if version.startswith('0.') else 1])
    needed = run('readelf', '-d', tmp_path / 'shared_consumer/consumer', env=without_ros())
    assert f'libfleetweave.so.{series}]' in needed
    if shutil.which('pkg-config'):
        compile_by_pkg_config(tmp_path / 'static_by_pkg_config', tmp_path / 'moved', without_ros())
        (tmp_path / 'shared').rename(tmp_path / 'shared_moved')
        compile_by_pkg_config(tmp_path / 'shared_by_pkg_config', tmp_path / 'shared_moved', without_ros())


@pytest.mark.skipif(not WITH_ROS, reason='this build has no ROS')
def test_installed_with_ros(tmp_path):
    run('cmake', '--install', os.environ['FLEETWEAVE_BUILD_DIR'], '--prefix', tmp_path / 'prefix')
    build_consumer(tmp_path / 'consumer', tmp_path / 'prefix', without_ros())
    if shutil.which('pkg-config'):
        compile_by_pkg_config(tmp_path / 'by_pkg_config', tmp_path / 'prefix', without_ros())


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
    # Without the optimiser: what is tested is the package. The second build has the objects of the first.
    options = ('--cmake-args', '-DBUILD_TESTING=OFF', '-DFLEETWEAVE_CUDA=OFF', '-DCMAKE_BUILD_TYPE=Debug')
    for links in ((), ('--symlink-install',)):
        shutil.rmtree(tmp_path / 'install', ignore_errors=True)
        run('colcon', 'build', *links, *options, cwd=tmp_path, env=environment)
        assert run(tmp_path / 'install/fleetweave_consumer/lib/fleetweave_consumer/consumer') == SOLVED
        installed = tmp_path / 'install/fleetweave'
        for program in ('fleetweave', 'fleetweave_bench', 'planner_node', 'fleet_sim', 'path_follower'):
            assert (installed / 'lib/fleetweave' / program).is_file()
        assert (installed / 'share/fleetweave/package.xml').is_file()
        for folder in ('launch', 'config'):
            found = installed / 'share/fleetweave' / folder
            assert found.is_dir() and any(path.is_symlink() for path in found.iterdir()) == bool(links)
