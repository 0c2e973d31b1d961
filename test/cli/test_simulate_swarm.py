"""simulate --swarm: robots that drive tick by tick without a plan."""

import json

import pytest

SWARM = ['simulate', '--swarm', '--planner', 'rtaa', '--make', 'random:40x40,obstacles=20,seed=1', '--robots', 150,
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


def test_threads_do_not_change_the_run_and_seeds_and_memories_do(cli):
    one, _ = run(cli)
    assert run(cli, '--threads', 3)[0] == one
    assert run(cli, '--swarm-memory', 'window')[0] != one
    assert run(cli, '--seed', 7)[0] != one


def test_words(cli):
    words = cli(*SWARM).stdout
    assert 'no collision: 150 robots' in words and 'a tick' in words


@pytest.mark.parametrize('arguments, text', [
    (['--swarm', '--make', 'open:8x8', '--robots', 3], '--swarm is for the planner rtaa, not hca'),
    (['--swarm', '--planner', 'rtaa', '--make', 'open:8x8'], '--swarm needs --robots or --scen'),
    (['--swarm', '--controller'], '--swarm and --controller exclude each other'),
])
def test_what_does_not_go_together_is_refused(cli, arguments, text):
    assert text in cli('simulate', *arguments, exit_code=2).stderr
