"""bench lifelong: a fleet that never ends, with goals that change and doors that close."""

import csv
import json

import pytest

def run_one(cli, *arguments):
    """The report with its only row: one planner."""
    report = json.loads(cli(*arguments, '--json').stdout)
    (row,) = report.pop('rows')
    return {**report, **row}


LIFELONG = ['bench', 'lifelong', '--make', 'warehouse:31x17,seed=1', '--robots', '20', '--ticks', '200']


def test_lifelong_gives_goals_and_spreads_the_work(cli):
    answer = run_one(cli, *LIFELONG)
    assert answer['robots'] == 20 and answer['ticks'] == 200 and answer['window'] == 16
    assert answer['goals'] > 60  # a robot needs some 25 ticks for a goal
    # 2 n / window for those halfway through their window, one for each new goal, and some for those overridden.
    assert answer['searches_per_tick'] < 3 * (2 * 20 / 16) + 2
    again = run_one(cli, *LIFELONG)
    assert all(again[key] == answer[key] for key in answer if '_ms_' not in key and key != 'date')


def test_lifelong_in_words(cli):
    lines = cli(*LIFELONG).stdout.splitlines()
    assert lines[0].startswith('# fleetweave') and 'passed the check' in lines[1]
    assert [line.split()[0] for line in lines[2:]] == ['planner', 'goals', 'ms', 'processor', 'expanded', 'searches', 'memory',
                                                   'overridden']


def place(tmp_path, name, rows, robots):
    """A map from its rows and a scenario from (start x, y, goal x, y); the options for both."""
    size = f'{len(rows[0])}\t{len(rows)}'
    (tmp_path / f'{name}.map').write_text(
        f'type octile\nheight {len(rows)}\nwidth {len(rows[0])}\nmap\n' + '\n'.join(rows) + '\n')
    (tmp_path / f'{name}.scen').write_text('version 1\n' + ''.join(
        f'0\t{name}.map\t{size}\t' + '\t'.join(map(str, robot)) + '\t1\n' for robot in robots))
    return ['bench', 'lifelong', '--map', f'{name}.map', '--scen', f'{name}.scen']


def test_lifelong_says_what_is_wrong(cli, tmp_path):
    cli('bench', 'lifelong', '--robots', '3', exit_code=2)
    full = place(tmp_path, 'full', ['..', '..'], [(x, y, x, y) for x in (0, 1) for y in (0, 1)])
    assert 'tick 0: no free cell is left for a new goal' in cli(*full, '--distinct-goals', exit_code=3).stderr
    assert "no planner 'nobody'" in cli(*LIFELONG, '--planners', 'nobody', exit_code=3).stderr
    assert '"swap" is not key=value' in cli(*LIFELONG, '--planners', 'pibt:swap', exit_code=3).stderr


def test_planners_side_by_side_have_the_same_goals(cli, tmp_path):
    """One robot alone takes the shortest way with every planner, so that it gets its goals at the same ticks."""
    alone = place(tmp_path, 'alone', ['......', '..@@..', '......'], [(0, 0, 5, 2)])
    report = json.loads(cli(*alone, '--ticks', 200, '--planners', 'whca,pibt,whca:window=8', '--json').stdout)
    whca, pibt, short = report['rows']
    assert [row['planner'] for row in report['rows']] == ['whca', 'pibt', 'whca:window=8']
    assert whca['goals'] == pibt['goals'] == short['goals'] > 30
    assert whca['longest_wait'] == pibt['longest_wait'] <= 8  # the longest way


def test_a_crowd_does_not_collapse(cli):
    """Seven of ten cells are taken: rounds keep to their effort, and robots arrive all the same."""
    report = json.loads(cli('bench', 'lifelong', '--make', 'random:16x16,obstacles=20,seed=1', '--robots', 140, '--ticks',
                            150, '--planners', 'whca,pibt', '--json').stdout)
    whca, pibt = report['rows']
    assert whca['robots_stepped'] > 0 and whca['rounds_cut'] > 0 and whca['fleet_stops'] == 0
    assert whca['expanded_p99'] < 140 * 200
    assert whca['goals_per_1000_ticks'] > 1500 and pibt['goals_per_1000_ticks'] > 1500


def test_long_drives_are_checked_piece_by_piece(cli, tmp_path):
    """More ticks than a piece has, with robots in motion where one ends: slow ones, and those that turn."""
    (tmp_path / 'mixed.txt').write_text('0-9 ticks_per_move=3\n10-19 turn_ticks=2 ticks_per_move=2 heading=north\n')
    answer = run_one(cli, *LIFELONG[:-1], 2100, '--fleet', 'mixed.txt', '--robust-ticks', 1)
    assert answer['goals'] > 150
    assert 0 < answer['memory_early_mb'] <= answer['memory_peak_mb']


def test_a_robot_without_another_goal_keeps_the_one_it_has(cli, tmp_path):
    """The one on the right is shut in; the other goes to and fro."""
    shut = place(tmp_path, 'shut', ['....@.'], [(0, 0, 3, 0), (5, 0, 5, 0)])
    answer = run_one(cli, *shut, '--ticks', 100)
    assert 100 / 4 < answer['goals'] <= 100  # ways of 1 to 3 moves


@pytest.fixture
def rooms(tmp_path):
    """Two rooms of 6 x 5 with a door at (6,2); two robots in each, with their first goals in their own room."""
    wall, door = '......@......', '.............'
    base = place(tmp_path, 'rooms', [wall, wall, door, wall, wall],
                 [(0, 0, 5, 4), (0, 4, 5, 0), (12, 0, 7, 4), (12, 4, 7, 0)])

    def run(cli, closures):
        (tmp_path / 'doors.txt').write_text(closures)
        return run_one(cli, *base, '--ticks', 300, '--closures', 'doors.txt')
    return run


def test_a_door_that_is_shut_for_a_time_costs_goals(cli, rooms):
    """Half of all goals lie behind the door; while it is shut those who want through wait for it."""
    free = rooms(cli, '')
    shut = rooms(cli, '6 2 20 250\n')
    assert (free['closures'], shut['closures']) == (0, 1)
    assert 20 < shut['goals'] < free['goals'] / 2


def test_goals_lie_on_the_near_side_of_a_door_that_is_shut_for_ever(cli, rooms):
    """Nobody is sent through it, so that goals are reached all the time: a way in a room has about 4 steps."""
    assert rooms(cli, '6 2 0 -\n')['goals'] > 4 * 300 / 8


def test_robots_that_cannot_all_leave_where_it_closes_are_stuck(cli, tmp_path):
    """Either of two robots alone could step to the middle while both ends are shut, but not both."""
    lane = place(tmp_path, 'lane', ['...'], [(0, 0, 0, 0), (2, 0, 2, 0)])
    (tmp_path / 'ends.txt').write_text('0 0 8 9\n2 0 8 9\n')
    said = cli(*lane, '--closures', 'ends.txt', '--ticks', 20, exit_code=3).stderr
    assert 'tick 7: a robot stands on a cell that is about to close and cannot leave it' in said


def test_goals_that_change_every_few_ticks(cli):
    """Every robot plans anew every three ticks, a third of them at each; few goals are reached meanwhile."""
    arrival = run_one(cli, *LIFELONG)
    often = run_one(cli, *LIFELONG, '--goals-every', 3)
    assert arrival['goals_given'] == arrival['goals'] and arrival['goals_every'] == 0
    assert often['goals_given'] >= 20 * (200 // 3) and often['goals_every'] == 3
    assert often['goals'] < arrival['goals'] / 3
    assert 20 / 3 < often['searches_per_tick'] < 3 * 20 / 3


def test_csv_has_a_line_per_tick(cli, tmp_path):
    answer = run_one(cli, *LIFELONG, '--csv', 'ticks.csv')
    with open(tmp_path / 'ticks.csv', newline='') as stream:
        rows = list(csv.DictReader(stream))
    assert list(rows[0]) == ['planner', 'tick', 'round_ms', 'cpu_ms', 'searches', 'expanded', 'goals_reached']
    assert [int(row['tick']) for row in rows] == list(range(200))
    assert int(rows[-1]['goals_reached']) == answer['goals']
    searches = [int(row['searches']) for row in rows]
    assert abs(sum(searches) / 200 - answer['searches_per_tick']) < 1e-5
    assert 0 < sum(int(row['expanded']) for row in rows) <= answer['expanded']
    assert max(searches) == answer['searches_per_tick_most']
    assert abs(max(float(row['round_ms']) for row in rows) - answer['round_ms_worst']) < 1e-5
    assert 'cannot' in cli(*LIFELONG, '--csv', 'nowhere/ticks.csv', exit_code=3).stderr
