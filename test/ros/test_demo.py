"""The demo from outside: planner and simulator together, and what happens when something goes wrong."""
import itertools
import math
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

os.environ.setdefault('ROS_AUTOMATIC_DISCOVERY_RANGE', 'LOCALHOST')
TOP = Path(os.environ.get('FLEETWEAVE_SOURCE_DIR', Path(__file__).resolve().parents[2]))
PROGRAMS = ['FLEETWEAVE_PLANNER_NODE', 'FLEETWEAVE_FLEET_SIM', 'FLEETWEAVE_CLI']
pytest.importorskip('rclpy')
pytestmark = pytest.mark.skipif(
    not all(os.environ.get(name) for name in PROGRAMS), reason=f'{", ".join(PROGRAMS)} must name programs')


def command(*words):
    domain = os.environ.get('ROS_DOMAIN_ID', '1')
    return [sys.executable, str(TOP / 'tools' / 'demo.py'), '--domain', domain, *map(str, words)]


def demo(*words, **variables):
    environment = dict(os.environ, **{name: str(value) for name, value in variables.items()})
    return subprocess.run(command(*words), env=environment, capture_output=True, text=True, timeout=200)


def script(path, text):
    path.write_text(text)
    path.chmod(0o755)
    return path


def positions(run):
    """After each line of poses, where every robot is: (seconds, {robot: (x, y)})."""
    places = {}
    for line in run.splitlines():
        if line.startswith('p '):
            _, moment, *poses = line.split()
            for pose in poses:
                robot, numbers = pose.split(':')
                places[robot] = tuple(float(number) for number in numbers.split(',')[:2])
            yield float(moment), dict(places)


@pytest.fixture(scope='module')
def run(tmp_path_factory):
    """One run of 8 robots for 40 simulated seconds, four times as fast as the world."""
    page = tmp_path_factory.mktemp('demo') / 'demo.html'
    return demo('--robots', 8, '--seconds', 40, '--rate', 4, '--out', page), page


def test_a_fleet_reaches_goals_without_overlaps(run):
    done, page = run
    assert done.returncode == 0, done.stdout + done.stderr
    assert int(re.search(r'^goals reached +(\d+) ', done.stdout, re.M).group(1)) >= 5
    assert re.search(r'overlaps +0\n', done.stdout)
    assert re.search(r'planning time +median [\d.]+ ms, 99th percentile [\d.]+ ms, [1-9]\d* rounds', done.stdout)
    assert re.search(r'\d+ of 40 s +\d+ goals reached', done.stdout)  # progress, in plain lines
    assert '\r' not in done.stdout


def test_the_recorded_run_is_free_of_overlaps_walls_and_leaps(run):
    _, page = run
    text = page.with_suffix('.run').read_text()
    lines = text.splitlines()
    grid = lines[lines.index('grid=') + 1:lines.index('poses=')]
    before, moment_before = {}, 0.0
    counted = 0
    for moment, places in positions(text):
        assert len(places) == 8
        for x, y in places.values():
            assert grid[int(y / 0.5)][int(x / 0.5)] == '.', f'in a wall at {moment} s'
        for (one, (x, y)), (two, (u, v)) in itertools.combinations(places.items(), 2):
            assert math.hypot(x - u, y - v) >= 0.4, f'{one} and {two} at {moment} s'
        for robot, (x, y) in places.items():
            if before and moment - moment_before < 0.11:
                u, v = before[robot]
                assert math.hypot(x - u, y - v) <= 1.5 * (moment - moment_before) + 2e-3, f'{robot} leaps at {moment} s'
                counted += 1
        before, moment_before = places, moment
    assert counted > 500


def test_frozen_robots_overlap_by_stamps_and_not_by_releases(tmp_path):
    page = tmp_path / 'demo.html'
    done = demo('--robots', 24, '--seconds', 40, '--rate', 4, '--freeze', '--out', page)
    assert done.returncode == 0, done.stdout + done.stderr
    timed, dependency = map(int, re.search(r'^overlaps +(\d+) +(\d+)$', done.stdout, re.M).groups())
    assert timed > 0 and dependency == 0
    goals = re.search(r'^goals reached +(\d+) +(\d+)$', done.stdout, re.M).groups()
    assert all(int(count) > 10 for count in goals)
    assert page.exists() and page.with_name('demo-timed.html').exists()


def released(done):
    assert done.returncode == 0, done.stdout + done.stderr
    found = re.search(
        r'^pose to release +median ([\d.]+) ms, 99th percentile ([\d.]+) ms; ([\d.]+) % of \d+ poses heard', done.stdout, re.M)
    assert found, done.stdout
    return map(float, found.groups())


def test_in_real_time_it_says_how_long_releases_take(tmp_path):
    done = demo('--robots', 8, '--seconds', 15, '--real-time', '--out', tmp_path / 'demo.html')
    median, most, heard = released(done)
    assert 0 < median <= most and 50 < heard <= 101


@pytest.mark.skipif(not os.environ.get('FLEETWEAVE_LONG'), reason='for a machine that has nothing else to do')
def test_two_hundred_robots_are_released_in_time(tmp_path):
    done = demo('--robots', 200, '--map', 'warehouse:101x57,shelf=8,aisle=2,seed=1', '--seconds', 60, '--real-time',
                '--out', tmp_path / 'demo.html')
    _, most, heard = released(done)
    assert most < 100 and heard > 95


def test_the_page_stands_alone(run):
    _, page = run
    text = page.read_text()
    assert '<html' in text and '</html>' in text
    assert not re.search(r'(src|href)="https?:', text)


def test_overlaps_give_exit_code_1(tmp_path):
    ready = tmp_path / 'ready'  # the planner can be interrupted only from here on
    planner = script(
        tmp_path / 'planner', f'#!/bin/sh\ntrap "exit 0" INT\n: > "{ready}"\nwhile :; do sleep 0.05; done\n')
    # A simulator that records two robots in one place.
    simulator = script(tmp_path / 'simulator', f'''#!/bin/sh
until [ -e "{ready}" ]; do sleep 0.05; done
''' + '''
for word; do case $word in record:=*) file=${word#record:=};; esac; done
printf 'fleetweave_run=1\\nrobots=2\\nresolution=0.5\\nradius=0.2\\nsize=2x1\\ngrid=\\n..\\nposes=\\n' > "$file"
printf 'p 0.000 0:0.25,0.25,0 1:0.75,0.25,0\\np 1.000 0:0.75,0.25,0\\no 0.300 0 1\\n' >> "$file"
''')
    done = demo(
        '--robots', 2, '--seconds', 1, '--out', tmp_path / 'demo.html', FLEETWEAVE_PLANNER_NODE=planner,
        FLEETWEAVE_FLEET_SIM=simulator, FLEETWEAVE_CLI=script(tmp_path / 'cli', '#!/bin/sh\n'))
    assert done.returncode == 1, done.stdout + done.stderr
    assert re.search(r'overlaps +1\n', done.stdout)


@pytest.mark.parametrize('name', ['FLEETWEAVE_PLANNER_NODE', 'FLEETWEAVE_FLEET_SIM'])
def test_a_process_that_dies_shows_its_last_words_and_gives_exit_code_3(tmp_path, name):
    dying = script(tmp_path / 'dying', '#!/bin/sh\necho it hurts >&2\nexit 7\n')
    done = demo('--robots', 2, '--out', tmp_path / 'demo.html', **{name: dying})
    assert done.returncode == 3
    assert 'exit code 7' in done.stderr
    assert 'it hurts' in done.stderr


def test_a_planner_that_there_is_not_is_said_so(tmp_path):
    done = demo('--robots', 2, '--planner', 'crystal_ball', '--out', tmp_path / 'demo.html')
    assert done.returncode == 3
    assert 'crystal_ball' in done.stderr


def children(pid):
    return [int(word) for word in Path(f'/proc/{pid}/task/{pid}/children').read_text().split()]


@pytest.mark.skipif(not Path('/proc/self/task').exists(), reason='looks for processes in /proc')
@pytest.mark.parametrize('number', [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_everything(tmp_path, number):
    process = subprocess.Popen(
        command('--robots', 3, '--seconds', 600, '--out', tmp_path / 'demo.html'), stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT, text=True)
    try:
        for line in process.stdout:  # until the fleet is under way
            if ' of 600 s' in line:
                break
        started = children(process.pid)
        assert len(started) == 2
        process.send_signal(number)
        process.communicate(timeout=40)
        assert process.returncode == 130
        end = time.monotonic() + 10
        while any(Path(f'/proc/{pid}').exists() for pid in started):
            assert time.monotonic() < end, 'a process is still there'
    finally:
        if process.poll() is None:
            process.terminate()
            process.wait(timeout=40)


@pytest.mark.parametrize('words', [('--robots', '0'), ('--seconds', '-3'), ('--rate', '0'), ('--moon',)])
def test_wrong_options_give_exit_code_2(words):
    done = demo(*words)
    assert done.returncode == 2
    assert words[0] in done.stderr


def test_help_names_the_options():
    done = demo('--help')
    assert done.returncode == 0
    for option in ('--robots', '--planner', '--map', '--seconds', '--seed', '--out', '--mode', '--freeze', '--web', '--record'):
        assert option in done.stdout


def test_robots_with_wheels_are_driven_by_the_follower(tmp_path):
    if not os.environ.get('FLEETWEAVE_PATH_FOLLOWER'):
        pytest.skip('FLEETWEAVE_PATH_FOLLOWER does not name a program')
    page = tmp_path / 'wheels.html'
    done = demo('--robots', 8, '--seconds', 40, '--drive', 'cmd_vel', '--max-speed', 1.2, '--out', page)
    assert done.returncode == 0, done.stdout + done.stderr
    assert int(re.search(r'^goals reached +(\d+) ', done.stdout, re.M).group(1)) >= 5
    assert re.search(r'overlaps +0\n', done.stdout)
    assert '8 robots, at most 1.2 m/s, differential, poses from tf' in (tmp_path / 'path_follower.log').read_text()


@pytest.mark.parametrize('words', [
    ('--drive', 'cmd_vel', '--mode', 'timed'), ('--drive', 'cmd_vel', '--freeze'), ('--drive', 'wheels'),
    ('--drive', 'cmd_vel', '--max-turn-rate', 0), ('--max-speed', -1)])
def test_what_wheels_cannot_do_is_said(words):
    done = demo(*words)
    assert done.returncode == 2 and words[0] in done.stderr.splitlines()[-1]
