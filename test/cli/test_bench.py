"""bench mapf: the table, the CSV and the JSON say the same."""

import csv
import json

BENCH = ['bench', 'mapf', '--make', 'random:16x16,obstacles=10,seed=2', '--robots', '5,10', '--planners', 'hca,ca',
         '--repeat', 2]
HEADER = ['map', 'scen', 'planner', 'robots', 'run', 'seed', 'threads', 'outcome', 'stop', 'sum_of_costs',
          'lower_bound', 'makespan', 'expanded', 'elapsed_ms', 'first_plan_ms', 'memory_peak_bytes', 'date', 'cpu',
          'cores']


def test_table(cli):
    lines = cli(*BENCH).stdout.splitlines()
    assert 'cores' in lines[0] and lines[0].startswith('# fleetweave')
    assert 'random:16x16,obstacles=10,seed=2' in lines[1]
    rows = [line.split() for line in lines[3:]]
    assert [(row[0], row[1], row[2]) for row in rows] == [
        ('hca', '5', '2/2'), ('ca', '5', '2/2'), ('hca', '10', '2/2'), ('ca', '10', '2/2')]
    assert [row[-2] for row in rows[::2]] == ['1.00', '1.00']  # the first planner against itself


def test_csv_has_a_line_per_run_in_turns(cli, tmp_path):
    cli(*BENCH, '--csv', 'runs.csv')
    with open(tmp_path / 'runs.csv', newline='') as stream:
        rows = list(csv.DictReader(stream))
    assert list(rows[0]) == HEADER
    assert [(row['planner'], row['robots'], row['run']) for row in rows] == [
        (planner, robots, run) for robots in ('5', '10') for run in ('0', '1') for planner in ('hca', 'ca')]
    for row in rows:
        assert row['map'] == 'random:16x16,obstacles=10,seed=2' and row['outcome'] == 'solved'
        assert 0 < int(row['lower_bound']) <= int(row['sum_of_costs'])


def test_json_agrees_with_plan(cli):
    report = json.loads(cli(*BENCH, '--json').stdout)
    assert report['cores'] >= 1 and report['cpu'] and report['date'].endswith('Z')
    assert len(report['rows']) == 4
    for row in report['rows']:
        plan = json.loads(cli('plan', '--make', report['map'], '--robots', row['robots'], '--planner', row['planner'],
                              '--json').stdout)
        assert (row['solved'], row['runs']) == (2, 2)
        for key in ('sum_of_costs', 'lower_bound', 'makespan', 'expanded'):
            assert row[key] == plan[key]
        assert row['min_ms'] <= row['median_ms']
    assert [row['time_ratio'] for row in report['rows'][::2]] == [1, 1]


def test_settings_reach_the_planners_they_name(cli):
    """Both planners have `order`; the map is crowded, since without conflicts no order differs from another."""
    def expanded(*settings):
        report = json.loads(cli('bench', 'mapf', '--make', 'random:32x32,obstacles=20,seed=3', '--robots', 60,
                                '--planners', 'hca,ca', '--repeat', 1, '--json', *settings).stdout)
        return [row['expanded'] for row in report['rows']]

    hca, ca = expanded()
    one = expanded('--set', 'ca.order=longest')
    both = expanded('--set', 'order=longest')
    assert one[0] == hca and one[1] != ca
    assert both[0] != hca and both[1] == one[1]


def test_unsolved_runs_are_no_failure(cli):
    report = json.loads(cli('bench', 'mapf', '--make', 'open:40x40', '--robots', 100, '--expansions', 10, '--repeat', 1,
                            '--json').stdout)
    assert report['rows'][0]['solved'] == 0 and 'expansions' in report['rows'][0]['end']
