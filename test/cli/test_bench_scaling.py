"""bench scaling: maps that grow with the robots, and exponents that are those of the rows."""

import csv
import json
import math
import signal
import subprocess
import time

import pytest

from conftest import CLI

SCALING = ['bench', 'scaling', '--from', 8, '--to', 64, '--repeat', 2]


def report(cli, *arguments, exit_code=0):
    return json.loads(cli(*arguments, '--json', exit_code=exit_code).stdout)


def slope(rows, value):
    """Least squares by the book."""
    points = [(math.log(row['robots']), math.log(value(row))) for row in rows]
    x = sum(a for a, _ in points) / len(points)
    y = sum(b for _, b in points) / len(points)
    return sum((a - x) * (b - y) for a, b in points) / sum((a - x) ** 2 for a, _ in points)


def test_maps_grow_with_the_robots(cli):
    rows = report(cli, *SCALING, '--planners', 'hca', '--density', 4)['rows']
    assert [row['robots'] for row in rows] == [8, 16, 32, 64]
    for row in rows:
        assert row['solved'] and row['runs'] == 2 and row['end'] == 'solved'
        side = int(row['map'].split('x')[1].split(',')[0])
        assert row['map'] == f'random:{side}x{side},obstacles=20,seed=0'
        # The smallest side that has room: one row and column less would not do.
        assert row['robots'] * 25 <= row['free_cells'] < row['robots'] * 25 + 6 * side
        assert row['lower_bound'] <= row['sum_of_costs']
        assert math.isclose(row['mean_way'], row['lower_bound'] / row['robots'], abs_tol=1e-5)


def test_the_last_number_need_not_be_a_doubling(cli):
    found = report(cli, 'bench', 'scaling', '--from', 8, '--to', 50, '--repeat', 1, '--planners', 'hca', '--processor-time')
    assert found['processor_time'] and [row['robots'] for row in found['rows']] == [8, 16, 32, 50]
    assert all(row['median_ms'] > 0 for row in found['rows'])


def test_exponents_are_those_of_the_rows(cli):
    found = report(cli, *SCALING, '--planners', 'hca,whca', '--set', 'window=16')
    assert [fit['planner'] for fit in found['exponents']] == ['hca', 'whca']
    for fit in found['exponents']:
        rows = [row for row in found['rows'] if row['planner'] == fit['planner']]
        assert fit['rows'] == len(rows) == 4
        for key, value in (('time', lambda row: row['median_ms']), ('expanded', lambda row: row['expanded']),
                           ('memory', lambda row: row['memory_peak_mb']), ('way', lambda row: row['mean_way']),
                           ('time_per_step', lambda row: row['median_ms'] / row['lower_bound'])):
            assert math.isclose(fit[key], slope(rows, value), abs_tol=1e-3), key
        assert 0.2 < fit['way'] < 0.8  # ways grow with the side of the map, the root of the robots


def test_ways_within_reach_do_not_grow(cli):
    found = report(cli, *SCALING, '--to', 256, '--planners', 'hca', '--reach', 12)
    assert all(0 < row['mean_way'] <= 12 for row in found['rows'])
    assert abs(found['exponents'][0]['way']) < 0.2
    assert found['exponents'][0]['expanded'] < 1.3


def test_what_is_not_solved_is_told_and_left_out(cli):
    """1,000 expansions are enough for few robots only."""
    found = report(cli, *SCALING, '--planners', 'hca', '--expansions', 1000)
    solved = [row['solved'] for row in found['rows']]
    assert solved[0] and not solved[-1]
    assert found['exponents'][0]['rows'] == sum(solved)
    for row in found['rows']:
        assert row['runs'] == (2 if row['solved'] else 1)
        assert row['solved'] or (row['end'] == 'partial, expansions' and row['cost_over_bound'] is None)
    alone = report(cli, 'bench', 'scaling', '--from', 8, '--to', 8, '--planners', 'hca', '--repeat', 1)
    assert alone['exponents'][0]['time'] is None
    words = cli('bench', 'scaling', '--from', 8, '--to', 8, '--planners', 'hca', '--repeat', 1).stdout
    assert 'no exponent can be fitted' in words


@pytest.mark.parametrize('kind', ['open', 'warehouse,lane=4', 'rooms', 'random,obstacles=35', 'maze,corridor=2'])
def test_any_kind_of_map(cli, kind):
    found = report(cli, 'bench', 'scaling', '--kind', kind, '--from', 5, '--to', 10, '--planners', 'hca', '--repeat', 1,
                   '--seed', 7)
    name, keys = (kind + ',').split(',', 1)
    for row in found['rows']:
        assert row['map'].startswith(f'{name}:') and row['map'].endswith(f',{keys}seed=7') and row['solved']
        assert row['free_cells'] >= 50 * row['robots']


def test_lifelong_rows_are_those_of_bench_lifelong(cli):
    """On open floor, where no pocket is filled, the same numbers as from the other command."""
    found = report(cli, 'bench', 'scaling', '--lifelong', '--kind', 'open', '--from', 10, '--to', 40, '--repeat', 1,
                   '--ticks', 60, '--window', 12, '--seed', 3)
    assert found['lifelong'] and [row['robots'] for row in found['rows']] == [10, 20, 40]
    for row in found['rows']:
        alone = json.loads(cli('bench', 'lifelong', '--make', row['map'], '--robots', row['robots'], '--ticks', 60,
                               '--window', 12, '--seed', 3, '--json').stdout)['rows'][0]
        for key in ('goals_per_1000_ticks', 'searches_per_tick', 'memory_peak_mb'):
            assert row[key] == alone[key]
        assert 0 < row['round_ms_median'] <= row['round_ms_p99'] <= row['round_ms_worst']
    fit = found['exponents'][0]
    assert fit['way'] is None and fit['time_per_step'] is None
    assert math.isclose(fit['expanded'], slope(found['rows'], lambda row: row['expanded_per_round']), abs_tol=1e-3)


@pytest.mark.parametrize('more, columns', [
    ([], 'stop,elapsed_ms,expanded,memory_peak_bytes,sum_of_costs,lower_bound,makespan'),
    (['--lifelong', '--ticks', 30], 'round_ms_median,round_ms_p99,round_ms_worst,searches_per_tick,expanded_per_round,'
                                    'memory_peak_mb,goals_per_1000_ticks')])
def test_csv_has_a_line_per_run(cli, tmp_path, more, columns):
    cli(*SCALING, '--planners', 'hca', '--csv', 'runs.csv', *more)
    with open(tmp_path / 'runs.csv', newline='') as stream:
        rows = list(csv.DictReader(stream))
    assert list(rows[0]) == ['planner', 'robots', 'map', 'free_cells', 'run', 'outcome', *columns.split(',')]
    assert [(row['robots'], row['run']) for row in rows] == [(n, r) for n in ('8', '16', '32', '64') for r in '01']
    assert all(row['outcome'] == ('done' if more else 'solved') for row in rows)


def test_words(cli):
    lines = cli(*SCALING, '--planners', 'hca,ca').stdout.splitlines()
    assert lines[0].startswith('# fleetweave') and 'random,obstacles=20, 2 robots per 100 free cells' in lines[1]
    assert [tuple(line.split()[:2]) for line in lines[3:11]] == [
        (planner, robots) for robots in ('8', '16', '32', '64') for planner in ('hca', 'ca')]
    assert [line.split(',')[0] for line in lines[11:]] == ['hca', 'ca']
    assert all('time grows with robots^' in line and 'time per robot-step' in line for line in lines[11:])


@pytest.mark.parametrize('arguments, said', [
    (['--kind', 'forest'], 'does not begin with a kind of map'),
    (['--kind', 'random,trees=3'], 'has no key'),
    (['--planners', 'hca,hcaa'], 'did you mean hca'),
    (['--planners', 'hca,'], 'words with commas between'),
    (['--from', 20, '--to', 10], '--from must not be more than --to'),
    (['--lifelong', '--processor-time'], 'for whole plans'),
    (['--density', 0], '--density must be more than 0'),
    (['--set', 'windows=3', '--planners', 'whca'], 'did you mean window'),
])
def test_it_says_what_is_wrong(cli, arguments, said):
    assert said in cli('bench', 'scaling', *arguments, exit_code=2).stderr


def test_goals_within_reach_can_run_out(cli):
    said = cli('bench', 'scaling', '--kind', 'maze', '--density', 50, '--reach', 1, '--from', 200, '--to', 200,
               '--planners', 'hca', exit_code=3).stderr
    assert 'all cells within 1 moves are goals already' in said


def wait_until_it_listens(process):
    """Until SIGINT no longer kills: the work has begun."""
    for _ in range(3000):
        with open(f'/proc/{process.pid}/status') as stream:
            caught = next(int(line.split()[1], 16) for line in stream if line.startswith('SigCgt'))
        if caught >> (signal.SIGINT - 1) & 1:
            return
        time.sleep(0.01)
    pytest.fail('the bench did not begin')


@pytest.mark.parametrize('more', [['--planners', 'hca'], ['--lifelong', '--ticks', 100000]])
def test_an_interruption_keeps_what_was_measured(tmp_path, more):
    """Far more work than the test has patience for; what comes out is whole and only has rows that were run."""
    with subprocess.Popen([CLI, *map(str, ['bench', 'scaling', '--from', 10, '--to', 160000, '--repeat', 1000, '--json',
                                           '--time-limit', 0, *more])], cwd=tmp_path, text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        wait_until_it_listens(process)
        process.send_signal(signal.SIGINT)
        out, said = process.communicate(timeout=60)
    assert process.returncode == 1, said
    assert all(row['runs'] > 0 for row in json.loads(out)['rows'])
