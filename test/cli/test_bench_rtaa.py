"""bench rtaa: the paper's maps and groups, however they are run the same answer, and figures that belong together."""

import csv
import json

import pytest

SMALL = ['bench', 'rtaa', '--maps', 'T0,T2', '--groups', 'G0,G1', '--seeds', 1]
ASKED = ['map', 'group', 'total_s', 'per_episode_ms', 'memory_mb', 'mean_length', 'mean_episodes', 'backend', 'threads']


def bench(cli, *arguments):
    return json.loads(cli(*arguments, '--json').stdout)


def test_an_object_for_each_map_and_group(cli):
    found = bench(cli, *SMALL)
    assert [(run['map'], run['group']) for run in found['runs']] == [
        ('T0', 'G0'), ('T0', 'G1'), ('T2', 'G0'), ('T2', 'G1')]
    for run in found['runs']:
        assert all(key in run for key in ASKED)
        assert run['robots'] == run['arrived'] == {'G0': 128, 'G1': 8192}[run['group']]
        assert run['total_s'] > 0
        assert run['per_episode_ms'] == pytest.approx(run['total_s'] * 1e3 / run['mean_episodes'], abs=5e-4)
        assert run['memory_mb'] * 1e6 == pytest.approx(
            run['robot_bytes'] * run['robots'] + run['map_kb'] * 1e3, rel=1e-3)
        assert run['mean_episodes'] <= run['passes']
        assert run['mean_length'] <= 3 * run['mean_episodes'] <= run['mean_length'] + 3


def test_lengths_on_open_floor_are_the_least_there_are(cli):
    """With eight directions the mean of the longer of two random differences: 7/15 of the side."""
    run = bench(cli, *SMALL)['runs'][-1]
    assert run['mean_length'] == pytest.approx(80 * 7 / 15, rel=0.02)
    run = bench(cli, *SMALL, '--connectivity', 4)['runs'][-1]
    assert run['mean_length'] == pytest.approx(80 * 2 / 3, rel=0.02)


def test_means_are_over_seeds(cli):
    means = bench(cli, *SMALL[:-1], 3, '--obstacles', 10)['runs'][-1]
    seeds = [bench(cli, *SMALL, '--obstacles', 10, '--seed', seed)['runs'][-1] for seed in (1, 2, 3)]
    assert means['seeds'] == 3 and all(run['seeds'] == 1 for run in seeds)
    lengths = [run['mean_length'] for run in seeds]
    assert means['mean_length'] == pytest.approx(sum(lengths) / 3)
    assert (means['least_length'], means['most_length']) == (min(lengths), max(lengths))
    assert means['passes'] == max(run['passes'] for run in seeds)
    assert means['arrived'] == min(run['arrived'] for run in seeds)
    assert means['digest'] == seeds[0]['digest']  # of the first


def test_every_robot_is_touched_in_each_call(cli):
    found = bench(cli, *SMALL)
    by_call = {run['episodes_per_call']: run for run in found['ways'] if run['fused']}
    once = 2e-9 * found['runs'][-1]['robots'] * (found['runs'][-1]['robot_bytes'] - 2 * 13 * 13)  # nothing to learn
    assert by_call[64]['touched_gb'] == pytest.approx(once, rel=0.02)  # but for those who are there from the start
    assert by_call[1]['touched_gb'] == pytest.approx(once * by_call[1]['mean_episodes'], rel=0.02)
    assert all(run['cpu_s'] > 0 and run['robot_episodes_per_cpu_second'] > 1e4 for run in found['ways'])


def test_hidden_obstacles_make_ways_longer_in_every_mode(cli):
    arguments = ['bench', 'rtaa', '--maps', 'T2', '--groups', 'G0', '--seeds', 1, '--obstacles', 20]
    known = bench(cli, *arguments)
    hidden = bench(cli, *arguments, '--hidden', 80, '--sight', 1)
    assert (known['hidden_percent'], hidden['hidden_percent']) == (0, 80)
    assert hidden['runs'][0]['mean_episodes'] > known['runs'][0]['mean_episodes']
    assert {run['digest'] for run in hidden['ways']} == {hidden['runs'][0]['digest']}


def test_every_mode_of_running_gives_the_same_robots(cli):
    found = bench(cli, *SMALL, '--obstacles', 15)
    assert len({run['digest'] for run in found['ways']} | {found['runs'][-1]['digest']}) == 1
    assert {(run['fused'], run['episodes_per_call']) for run in found['ways']} >= {(True, 64), (False, 64), (False, 1)}
    again = bench(cli, *SMALL, '--obstacles', 15, '--threads', 3, '--staged', '--stride', 5)
    assert [run['digest'] for run in again['runs']] == [run['digest'] for run in found['runs']]
    other = bench(cli, *SMALL, '--obstacles', 15, '--seed', 8)
    assert [run['digest'] for run in other['runs']] != [run['digest'] for run in found['runs']]


def test_how_far_a_robot_goes_decides_how_many_episodes_it_takes(cli):
    three = bench(cli, *SMALL)['runs'][-1]
    one = bench(cli, *SMALL, '--moves', 1)['runs'][-1]
    assert one['mean_length'] == three['mean_length']
    assert one['mean_episodes'] == pytest.approx(one['mean_length'], rel=1e-4)
    assert three['mean_episodes'] < 0.4 * one['mean_episodes']


def test_the_five_tasks(cli):
    tasks = bench(cli, *SMALL)['tasks']
    assert len(tasks) == 5
    for task in tasks:
        assert 18 <= task['astar_length'] <= 23
        assert [row['lookahead'] for row in task['rtaa']] == [3, 4, 5, 6, 7]
        assert all(task['astar_length'] <= row['length'] <= 50 for row in task['rtaa'])
    assert all(row['length'] == 18 for row in tasks[0]['rtaa'])
    assert [row['episodes'] for row in tasks[0]['rtaa']] == [6, 5, 4, 3, 3]  # 18 cells, as many as lookahead each


def test_text_and_csv(cli, tmp_path):
    words = cli(*SMALL, '--csv', 'rtaa.csv').stdout
    assert 'T2    G1        8192' in words and 'RTAA*-7' in words and 'Copying memory' in words
    rows = list(csv.DictReader((tmp_path / 'rtaa.csv').read_text().splitlines()))
    assert [row['map'] for row in rows[:4]] == ['T0', 'T0', 'T2', 'T2'] and len(rows) > 6
    assert "The paper's algorithm: RTAA*" in words and 'fused and several episodes per call are ours' in words


def test_quick_leaves_large_groups_out(cli):
    found = bench(cli, 'bench', 'rtaa', '--quick', '--maps', 'T1')
    assert [run['group'] for run in found['runs']] == ['G0', 'G1', 'G2']


def test_a_gpu_that_is_required_and_not_there_is_an_error(cli):
    done = cli(*SMALL, '--backend', 'cuda', '--json', exit_code=None)
    if done.returncode == 0:
        assert all(run['backend'] == 'cuda' and run['device'] for run in json.loads(done.stdout)['runs'])
    else:
        assert done.returncode == 3 and done.stdout == ''
        assert 'backend cuda: ' in done.stderr


def test_auto_says_why_it_is_the_cpu(cli):
    found = bench(cli, *SMALL)
    for run in found['runs']:
        if run['backend'] == 'cpu':
            assert run['note'] and '\n' not in run['note'] and run['device'] == ''
    assert found['note'] == found['runs'][-1]['note']
    cpu = bench(cli, *SMALL, '--backend', 'cpu')
    assert cpu['note'] == ''
    assert [run['digest'] for run in found['runs']] == [run['digest'] for run in cpu['runs']]


@pytest.mark.parametrize('arguments, text', [
    (['--maps', 'T9'], '--maps must be names from T0 to T5'),
    (['--groups', 'G0,G6'], '--groups must be names from G0 to G5'),
    (['--backend', 'tpu'], '--backend must be auto, cpu or cuda, not "tpu"'),
    (['--moves', '4'], '--moves must not be more than --lookahead'),
    (['--connectivity', '6'], '--connectivity must be 4 or 8'),
])
def test_a_wrong_command_line_is_named(cli, arguments, text):
    assert text in cli('bench', 'rtaa', *arguments, exit_code=2).stderr
