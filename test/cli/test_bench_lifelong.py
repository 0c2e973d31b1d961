"""bench lifelong: a fleet that never ends, with goals that change and doors that close."""

import csv
import json

import pytest

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
    assert [line.split()[0] for line in lines[2:]] == ['goals', 'ms', 'searches', 'memory', 'expanded']


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
    assert 'tick 0: no free cell is left for a new goal' in cli(*full, exit_code=3).stderr


def test_a_robot_without_another_goal_keeps_the_one_it_has(cli, tmp_path):
    """The one on the right is shut in; the other goes to and fro."""
    shut = place(tmp_path, 'shut', ['....@.'], [(0, 0, 3, 0), (5, 0, 5, 0)])
    answer = json.loads(cli(*shut, '--ticks', 100, '--json').stdout)
    assert 100 / 4 < answer['goals'] <= 100  # ways of 1 to 3 moves


@pytest.fixture
def rooms(tmp_path):
    """Two rooms of 6 x 5 with a door at (6,2); two robots in each, with their first goals in their own room."""
    wall, door = '......@......', '.............'
    base = place(tmp_path, 'rooms', [wall, wall, door, wall, wall],
                 [(0, 0, 5, 4), (0, 4, 5, 0), (12, 0, 7, 4), (12, 4, 7, 0)])

    def run(cli, closures):
        (tmp_path / 'doors.txt').write_text(closures)
        return json.loads(cli(*base, '--ticks', 300, '--closures', 'doors.txt', '--json').stdout)
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
    arrival = json.loads(cli(*LIFELONG, '--json').stdout)
    often = json.loads(cli(*LIFELONG, '--goals-every', 3, '--json').stdout)
    assert arrival['goals_given'] == arrival['goals'] and arrival['goals_every'] == 0
    assert often['goals_given'] >= 20 * (200 // 3) and often['goals_every'] == 3
    assert often['goals'] < arrival['goals'] / 3
    assert 20 / 3 < often['searches_per_tick'] < 3 * 20 / 3


def test_csv_has_a_line_per_tick(cli, tmp_path):
    answer = json.loads(cli(*LIFELONG, '--json', '--csv', 'ticks.csv').stdout)
    with open(tmp_path / 'ticks.csv', newline='') as stream:
        rows = list(csv.DictReader(stream))
    assert list(rows[0]) == ['tick', 'round_ms', 'searches', 'expanded', 'goals_reached']
    assert [int(row['tick']) for row in rows] == list(range(200))
    assert int(rows[-1]['goals_reached']) == answer['goals']
    searches = [int(row['searches']) for row in rows]
    assert abs(sum(searches) / 200 - answer['searches_per_tick']) < 1e-5
    assert 0 < sum(int(row['expanded']) for row in rows) <= answer['expanded']
    assert max(searches) == answer['searches_per_tick_most']
    assert abs(max(float(row['round_ms']) for row in rows) - answer['round_ms_worst']) < 1e-5
    assert 'cannot' in cli(*LIFELONG, '--csv', 'nowhere/ticks.csv', exit_code=3).stderr
