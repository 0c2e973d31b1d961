"""bench controller: the fleet controller with whole and with partial rounds."""

import csv
import json

CONTROLLER = ['bench', 'controller', '--make', 'warehouse:31x17,seed=1', '--robots', '12', '--seconds', '60']


def test_both_runs_reach_goals_and_partial_rounds_plan_fewer_robots(cli, tmp_path):
    answer = json.loads(cli(*CONTROLLER, '--json', '--csv', 'rounds.csv').stdout)
    assert answer['robots'] == 12 and answer['planner'] == 'hca'
    whole, partial = answer['runs']
    assert whole['rounds'] == 'whole' and whole['partial_count'] == 0 and whole['robots_per_round'] == 12
    assert partial['partial_count'] > partial['round_count'] / 2
    assert partial['robots_per_round'] < 6 and partial['expanded_per_goal'] < whole['expanded_per_goal']
    assert min(whole['goals'], partial['goals']) > 20
    with open(tmp_path / 'rounds.csv', encoding='utf-8') as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == whole['round_count'] + partial['round_count']
    again = json.loads(cli(*CONTROLLER, '--json').stdout)
    for run, other in zip(answer['runs'], again['runs']):
        assert all(run[key] == other[key] for key in run if '_ms' not in key)


def test_one_run_in_words(cli):
    lines = cli(*CONTROLLER, '--rounds', 'partial').stdout.splitlines()
    assert lines[0].startswith('# fleetweave') and '12 robots' in lines[1]
    assert [line.split()[0] for line in lines[2:]] == ['rounds', 'partial']


def test_what_is_wrong(cli):
    cli(*CONTROLLER, '--planner', 'nobody', exit_code=2)
    cli('bench', 'controller', '--robots', '3', exit_code=2)
    cli('bench', 'controller', '--make', 'open:4x4', '--robots', '12', exit_code=2)
