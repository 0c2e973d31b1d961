"""bench table: both sides hold the same plan and give the same answers; what is counted is what the plan says."""

import csv
import json

TABLE = ['bench', 'table', '--make', 'random:24x24,obstacles=15,seed=2', '--robots', 30, '--questions', 5000,
         '--repeat', 2]
WORK = ['fills_per_second', 'inserts_per_second', 'look_ups_per_second', 'gaps_per_second', 'removals_per_second']


def case(cli, *arguments):
    cases = json.loads(cli(*arguments, '--json').stdout)['cases']
    assert len(cases) == 1
    return cases[0]


def stays_of(plan, last_tick):
    """Counted from the plan file: a stay is a run of ticks on one cell."""
    rows = [line.split(':')[1].strip(',').split('),(') for line in plan.splitlines() if line[:1].isdigit()]
    paths = list(zip(*rows))
    assert len(rows) == last_tick + 1
    return sum(1 + sum(a != b for a, b in zip(path, path[1:])) for path in paths)


def test_counts_are_those_of_the_plan(cli, tmp_path):
    found = case(cli, *TABLE)
    cli('plan', '--make', found['map'], '--robots', 30, '--planner', 'hca', '--out', 'plan.txt')
    plan = (tmp_path / 'plan.txt').read_text()
    assert f'makespan={found["last_tick"]}\n' in plan
    assert found['reservations'] == 30 * (found['last_tick'] + 1)
    assert found['stays'] == stays_of(plan, found['last_tick'])
    assert found['questions'] == 5000 and 2300 < found['hits'] < 5000  # every second one is about some robot's path


def test_both_sides_have_all_figures(cli):
    found = case(cli, *TABLE)
    for key in WORK:
        assert found['table'][key] > 0 and found['hash'][key] > 0
        ratio = found['table'][key] / found['hash'][key]
        assert abs(found['ratios'][key] - ratio) <= 1e-5 * max(1, ratio)
    # A slot has cell, tick and robot; at most 5/8 of them are in use, and at least half of that after growing.
    assert 12 / 0.625 <= found['hash']['bytes_per_reservation'] <= 2 * 12 / 0.625
    assert 0.3 < found['hash']['load'] <= 0.625
    assert abs(found['hash']['load'] * found['hash']['bytes'] - 12 * found['reservations']) < 1
    assert found['table']['bytes'] >= 12 * found['stays']
    assert found['table']['bytes_per_stay'] >= found['table']['bytes_per_reservation']


def test_csv_has_a_line_per_map_and_table(cli, tmp_path):
    text = cli(*TABLE, '--csv', 'table.csv').stdout
    assert 'table / hash' in text
    rows = list(csv.DictReader((tmp_path / 'table.csv').read_text().splitlines()))
    assert [row['side'] for row in rows] == ['table', 'hash']
    for row in rows:
        assert row['map'] == TABLE[3] and row['queries'] == '5000' and all(float(row[key]) > 0 for key in WORK)


def test_the_same_seed_asks_the_same(cli):
    def counts(*more):
        found = case(cli, *TABLE, *more)
        return found['hits'], found['stays'], found['table']['bytes'], found['hash']['bytes']

    assert counts() == counts()
    assert counts()[0] != counts('--seed', 1)[0]


def test_closures_are_in_both(cli, tmp_path):
    """A wall of doors, one of them shut for ever, is hit by questions about any place; the answers still agree."""
    (tmp_path / 'doors.txt').write_text('0 5 0 -\n' + ''.join(f'{x} 5 3 20\n' for x in range(1, 24)))
    (tmp_path / 'down.scen').write_text('version 1\n' + ''.join(
        f'0\topen.map\t24\t12\t{x}\t0\t{x}\t11\t11\n' for x in range(2, 8)))
    found = [case(cli, 'bench', 'table', '--make', 'open:24x12', '--scen', 'down.scen', '--questions', 4000,
                  '--repeat', 1, *more) for more in ([], ['--closures', 'doors.txt'])]
    assert [one['last_tick'] for one in found] == [11, 27]  # through the doors at tick 21, six more to the goal
    assert [one['reservations'] for one in found] == [6 * 12, 6 * 28]
    # 23 doors of 288 places for 18 of 28 ticks, and the one for ever, in the half that asks about any place
    assert found[1]['hits'] > 4000 * (0.5 + 0.5 * (23 * 18 / 28 + 1) / 288) - 120


def test_without_a_map_there_is_a_warehouse_and_open_floor(cli):
    lines = cli('bench', 'table', '--questions', 1000, '--repeat', 1).stdout.splitlines()
    heads = [line for line in lines if ' robots by hca ' in line]
    assert [head.split(',')[0] for head in heads] == ['# warehouse:161x63', '# open:256x256']
    assert sum('both gave the same answers' in line for line in lines) == 2
    assert sum(line.startswith('bytes per reservation') for line in lines) == 2


def test_it_says_what_is_wrong(cli):
    assert 'a map is needed' in cli('bench', 'table', '--robots', 5, exit_code=2).stderr
    assert 'did you mean hca' in cli('bench', 'table', '--planner', 'hcaa', exit_code=2).stderr
    assert 'no paths to reserve' in cli(*TABLE, '--expansions', 10, exit_code=1).stderr
