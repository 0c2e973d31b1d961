"""simulate --swarm: robots that drive tick by tick without a plan."""

import json
import os
import pty
import signal
import subprocess

import pytest

SWARM = ['simulate', '--swarm', '--make', 'random:40x40,obstacles=20,seed=1', '--robots', 150,
         '--ticks', 120]


def run(cli, *arguments):
    found = json.loads(cli(*SWARM, *arguments, '--json').stdout)
    return {key: found[key] for key in ('goals', 'moves', 'collisions')}, found


@pytest.mark.parametrize('connectivity', [4, 8])
def test_robots_reach_goals_without_collisions(cli, connectivity):
    figures, found = run(cli, '--connectivity', connectivity)
    assert figures['collisions'] == 0 and figures['goals'] > 150
    assert found['robots'] == 150 and found['ticks'] == 120 and found['memory_bytes'] > 0
    assert found['tick_median_ms'] <= found['tick_99_ms'] <= found['tick_most_ms']
    assert 0 < found['cpu_ms_per_tick'] <= found['cpu_most_ms'] and found['cpu_99_ms'] <= found['cpu_most_ms']


def test_threads_do_not_change_the_run_and_seeds_and_memories_do(cli):
    one, _ = run(cli)
    assert run(cli, '--threads', 3)[0] == one
    assert run(cli, '--swarm-memory', 'window')[0] != one
    assert run(cli, '--seed', 7)[0] != one


@pytest.mark.parametrize('memory', ['window', 'regions'])
def test_hidden_obstacles_are_discovered_and_not_hit(cli, memory):
    hidden = ['--hidden', 60, '--sight', 1, '--swarm-memory', memory]
    figures, found = run(cli, *hidden)
    assert figures['collisions'] == found['obstacles_hit'] == 0 and figures['goals'] > 100
    assert 100 < found['discovered'] <= found['hidden']
    again, threaded = run(cli, *hidden, '--threads', 3)
    assert again == figures and threaded['discovered'] == found['discovered']
    assert run(cli, '--swarm-memory', memory)[1]['hidden'] == 0
    assert 'obstacles hit      0' in cli(*SWARM, *hidden).stdout


@pytest.mark.parametrize('memory', ['window', 'regions'])
@pytest.mark.parametrize('connectivity', [4, 8])
def test_moving_obstacles_are_never_hit(cli, memory, connectivity):
    moving = ['--moving', 60, '--sight', 1, '--hidden', 30, '--swarm-memory', memory, '--connectivity', connectivity]
    figures, found = run(cli, *moving)
    assert figures['collisions'] == found['obstacles_hit'] == 0 and figures['goals'] > 50 and found['moving'] == 60
    assert run(cli, *moving, '--threads', 3)[0] == figures
    assert run(cli, *moving[2:])[0] != figures
    assert 'moving obstacles   60' in cli(*SWARM, *moving).stdout


def test_too_many_moving_obstacles_are_refused(cli):
    done = cli('simulate', '--swarm', '--make', 'open:4x4', '--robots', 10, '--moving', 7, exit_code=3)
    assert 'no room for 7 moving obstacles' in done.stderr


def test_words(cli):
    words = cli(*SWARM).stdout
    assert 'no collision: 150 robots' in words and 'a tick' in words


@pytest.mark.parametrize('arguments, text', [
    (['--swarm', '--planner', 'hca', '--make', 'open:8x8', '--robots', 3], '--swarm is for the planner rtaa, not hca'),
    (['--swarm', '--set', 'lookahead=3', '--make', 'open:8x8', '--robots', 3], '--swarm does not support --set'),
    (['--swarm', '--planner', 'rtaa', '--make', 'open:8x8'], '--swarm needs --robots or --scen'),
    (['--swarm', '--sight', 3, '--make', 'open:8x8', '--robots', 3], '--sight needs --hidden or --moving'),
    (['--hidden', 30, '--make', 'open:8x8', '--robots', 3], '--hidden, --moving and --sight need --swarm'),
    (['--moving', 3, '--make', 'open:8x8', '--robots', 3], '--hidden, --moving and --sight need --swarm'),
    (['--swarm', '--controller'], '--swarm and --controller exclude each other'),
])
def test_what_does_not_go_together_is_refused(cli, arguments, text):
    assert text in cli('simulate', *arguments, exit_code=2).stderr


def test_ctrl_c_prints_what_was_driven():
    many = [str(word) for word in SWARM[:-1]] + ['1000000', '--json']
    terminal, stderr = pty.openpty()  # where a progress line is shown
    process = subprocess.Popen([os.environ['FLEETWEAVE_CLI'], *many], stdout=subprocess.PIPE, stderr=stderr, text=True)
    said = b''
    while b'tick ' not in said:
        said += os.read(terminal, 4096)
    process.send_signal(signal.SIGINT)
    found = json.loads(process.communicate(timeout=60)[0])
    assert process.returncode == 1 and 0 < found['ticks'] < 1000000 and found['collisions'] == 0
    os.close(stderr)
    os.close(terminal)
