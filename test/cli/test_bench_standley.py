"""bench standley: the paper's experiments, restartable and in shards, and bench merge."""

import csv
import json
import signal
import subprocess
import time

from conftest import CLI

ONE_ORDER = 'hca:order=shortest:orders=1:overrides=0'
FEW = ['bench', 'standley', '--instances', 6, '--time-limit', 0.3]


def rows_of(path):
    lines = path.read_text().splitlines()
    assert lines[0].startswith('# standley seed=')
    return list(csv.DictReader(lines[1:]))


def report(cli, *arguments, exit_code=0):
    return json.loads(cli(*arguments, '--json', exit_code=exit_code).stdout)


def test_shares_and_times_per_algorithm(cli, tmp_path):
    file = tmp_path / 'rows.csv'
    found = report(cli, *FEW, '--planners', f'od_id,{ONE_ORDER}', '--csv', file)
    rows = rows_of(file)
    assert len(rows) == 12 and found['instances'] == 6 and found['time_limit'] == 0.3
    for name in ('od_id', ONE_ORDER):
        own = [row for row in rows if row['algorithm'] == name]
        solved = [row for row in own if row['outcome'] == 'solved' and (name != 'od_id' or row['stop'] == 'done')]
        assert abs(found['solved_share'][name] - len(solved) / 6) < 1e-5
        times = sorted(float(row['ms']) for row in own)
        assert abs(found['median_ms'][name] - (times[2] + times[3]) / 2) < 1e-3
        assert found['algorithms'][name]['solved'] == len(solved)
        assert found['algorithms'][name]['solved_ms'] == sorted(found['algorithms'][name]['solved_ms'])
    for row in rows:
        assert 2 <= int(row['robots']) <= 60 and row['part'] == 'all'
        if row['outcome'] == 'solved':
            assert int(row['alone']) <= int(row['lower_bound']) <= int(row['sum_of_costs'])
        if row['algorithm'] == 'od_id' and row['stop'] == 'done':
            assert row['lower_bound'] == row['sum_of_costs'] and int(row['largest_group']) >= 1
    beside = found['hca_beside_od_id']
    assert beside['instances'] == 6
    assert beside['hca_unsolved'] == sum(
        row['algorithm'] == ONE_ORDER and row['outcome'] != 'solved' for row in rows)


def test_largest_groups_alone_are_given_to_joint_searches(cli, tmp_path):
    file = tmp_path / 'rows.csv'
    found = report(
        cli, 'bench', 'standley', '--instances', 4, '--time-limit', 0.1, '--planners', 'standard,od,lazy_sat,od_id', '--csv',
        file)
    groups = [row for row in rows_of(file) if row['part'] == 'group']
    solved = [row for row in rows_of(file) if row['algorithm'] == 'od_id' and row['stop'] == 'done']
    assert len(groups) == 2 * len(solved) > 0
    for row in solved:
        sizes = {group['robots'] for group in groups if group['instance'] == row['instance']}
        assert sizes == {row['largest_group']}
    for name in ('standard', 'od'):
        assert sum(size['instances'] for size in found['algorithms'][name]['largest_groups']) == len(solved)


def test_the_paper_and_ours_are_told_apart_by_default(cli):
    """S, OD, S+ID and OD+ID as published, the SAT-based planner of ours, and one order of HCA*, each in a row."""
    small = ['bench', 'standley', '--instances', 3, '--time-limit', 0.05, '--cut-corners']
    text = cli(*small).stdout
    rows = {line.split()[0]: line.split()[1] for line in text.splitlines()[4:10]}
    assert rows == {'standard': 'paper', 'od': 'paper', 'od_id:operators=standard': 'paper', 'od_id': 'paper',
                    'lazy_sat': 'ours', ONE_ORDER: 'paper'}
    assert text.count('hca finds no plan in') == 2 and text.count('(paper: 361 of 430)') == 1
    found = report(cli, *small)
    assert {name: found['algorithms'][name]['origin'] for name in rows} == rows
    assert found['hca_beside_od_id']['instances'] == found['hca_beside_lazy_sat']['instances'] == 3


def test_a_run_goes_on_where_it_was(cli, tmp_path):
    file = tmp_path / 'rows.csv'
    arguments = [*FEW, '--planners', ONE_ORDER, '--csv', file]
    cli(*arguments)
    whole = file.read_text().splitlines()
    file.write_text('\n'.join(whole[:5]) + '\n' + whole[5][:9])  # three rows, and a piece of the fourth
    marked = file.read_text().replace(f',{whole[2].split(",")[6]},', ',123.250000,', 1)
    file.write_text(marked)
    cli(*arguments)
    again = file.read_text().splitlines()
    assert len(again) == len(whole) and sum('123.25' in line for line in again) == 1  # not measured a second time
    assert [line.split(',')[7] for line in again[2:]] == [line.split(',')[7] for line in whole[2:]]
    cli(*arguments, '--seed', 9, exit_code=2)
    assert file.read_text().splitlines() == again


def test_shards_are_joined(cli, tmp_path):
    parts = [tmp_path / f'part{i}.csv' for i in (1, 2, 3)]
    for number, part in enumerate(parts, 1):
        cli(*FEW, '--planners', ONE_ORDER, '--shard', f'{number}/3', '--csv', part)
        assert [int(row['instance']) % 3 for row in rows_of(part)] == [number - 1] * 2
    joined = tmp_path / 'all.csv'
    found = json.loads(cli('bench', 'merge', joined, *parts, '--json').stdout)
    assert [int(row['instance']) for row in rows_of(joined)] == list(range(6))
    assert found['algorithms'][ONE_ORDER]['instances'] == 6
    alone = tmp_path / 'alone.csv'
    cli(*FEW, '--planners', ONE_ORDER, '--csv', alone)
    keys = ('instance', 'robots', 'outcome', 'sum_of_costs', 'alone', 'expanded')
    assert [[row[key] for key in keys] for row in rows_of(alone)] == [
        [row[key] for key in keys] for row in rows_of(joined)]
    other = tmp_path / 'other.csv'
    cli(*FEW, '--planners', ONE_ORDER, '--seed', 5, '--csv', other)
    assert 'another run' in cli('bench', 'merge', joined, parts[0], other, exit_code=2).stderr
    assert len(rows_of(joined)) == 6


def test_threads_change_nothing_but_the_order(cli, tmp_path):
    files = [tmp_path / 'one.csv', tmp_path / 'two.csv']
    for threads, file in enumerate(files, 1):
        cli(*FEW, '--planners', ONE_ORDER, '--threads', threads, '--csv', file)
    keys = ('instance', 'robots', 'outcome', 'sum_of_costs', 'expanded')
    one, two = (sorted([row[key] for key in keys] for row in rows_of(file)) for file in files)
    assert one == two


def test_words_and_wrong_arguments(cli):
    words = cli(*FEW, '--planners', f'od_id,{ONE_ORDER}', '--processor-time').stdout
    assert 'paper: od_id (OD+ID) solves 90.45 %' in words and 'hca finds no plan in' in words
    for shard in ('3/2', '0/2', '4294967297/4294967298'):
        assert 'must be I/N' in cli(*FEW, '--shard', shard, exit_code=2).stderr
    assert 'nobody' in cli(*FEW, '--planners', 'nobody', exit_code=2).stderr
    assert 'no parameter' in cli(*FEW, '--planners', 'od:window=3', exit_code=2).stderr
    assert 'OUT.csv' in cli('bench', 'merge', 'a.csv', exit_code=2).stderr


def test_ctrl_c_leaves_whole_instances(tmp_path):
    file = tmp_path / 'rows.csv'
    process = subprocess.Popen(
        [CLI, 'bench', 'standley', '--instances', '400', '--planners', 'standard', '--time-limit', '0.2', '--csv',
         str(file)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    end = time.monotonic() + 60
    while time.monotonic() < end and (not file.exists() or len(file.read_text().splitlines()) < 4):
        time.sleep(0.05)
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=60)
    assert process.returncode == 1
    rows = rows_of(file)
    assert len(rows) >= 2 and all(row['stop'] != 'cancelled' for row in rows)


def test_two_that_cannot_pass_are_found_among_others_that_cost_more(cli):
    """Instances of the bench that have no plan; joint searches of all who cost more than alone do not come to an end."""
    for instance in (1563, 3433):
        only = ['bench', 'standley', '--instances', 10000, '--shard', f'{instance + 1}/10000', '--planners', 'lazy_sat']
        found = report(cli, *only, '--time-limit', 60)
        assert found['algorithms']['lazy_sat']['unsolvable'] == 1
