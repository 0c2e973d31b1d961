"""bench mapf: the table, the CSV and the JSON say the same. bench lifelong: a fleet that never ends."""

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


LIFELONG = ['bench', 'lifelong', '--make', 'warehouse:31x17,seed=1', '--robots', '20', '--ticks', '200']


def test_lifelong_gives_goals_and_spreads_the_work(cli):
    answer = json.loads(cli(*LIFELONG, '--json').stdout)
    assert answer['robots'] == 20 and answer['ticks'] == 200 and answer['window'] == 16
    assert answer['goals'] > 60  # a robot needs some 25 ticks for a goal
    # 2 n / window for those halfway through their window, one for each new goal, and some for those overridden.
    assert answer['searches_per_tick'] < 3 * (2 * 20 / 16) + 2
    again = json.loads(cli(*LIFELONG, '--json').stdout)
    times = ('round_ms_median', 'round_ms_p99', 'round_ms_worst')
    assert all(again[key] == answer[key] for key in answer if key not in times)


def test_lifelong_in_words(cli):
    lines = cli(*LIFELONG).stdout.splitlines()
    assert lines[0].startswith('# fleetweave') and 'passed the check' in lines[1]
    assert [line.split()[0] for line in lines[2:]] == ['goals', 'ms', 'searches', 'expanded']


def test_lifelong_says_what_is_wrong(cli):
    cli('bench', 'lifelong', '--robots', '3', exit_code=2)
    assert 'no goal left' in cli('bench', 'lifelong', '--make', 'open:2x2', '--robots', '4', exit_code=3).stderr
