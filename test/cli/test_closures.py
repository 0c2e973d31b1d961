"""--closures: planned around, checked for, and errors with file and line."""

import json

import pytest

DOOR = '# the door in the middle\n\n2 0 0 10\n'


@pytest.fixture
def lane(tmp_path):
    """A lane of five cells with one robot that goes along it, and a door in the middle up to tick 10."""
    (tmp_path / 'lane.map').write_text('type octile\nheight 1\nwidth 5\nmap\n.....\n')
    (tmp_path / 'lane.scen').write_text('version 1\n0\tlane.map\t5\t1\t0\t0\t4\t0\t4\n')
    (tmp_path / 'door.txt').write_text(DOOR)
    return ['--map', 'lane.map', '--scen', 'lane.scen']


@pytest.mark.parametrize('planner', ['ca', 'hca', 'whca', 'lra', 'bcp'])
def test_a_door_is_waited_for_and_the_check_knows_it(cli, lane, planner):
    figures = json.loads(cli('plan', *lane, '--planner', planner, '--closures', 'door.txt', '--out', 'late.txt',
                             '--json').stdout)
    assert (figures['outcome'], figures['makespan']) == ('solved', 13)
    assert 'swap conflicts, closures' in cli('check', '--closures', 'door.txt', 'late.txt').stdout
    assert 'closed' not in cli('check', 'late.txt').stdout
    cli('plan', *lane, '--planner', planner, '--out', 'early.txt')
    for robots in ([], ['--scen', 'lane.scen']):
        assert cli('check', *robots, '--closures', 'door.txt', 'early.txt', exit_code=1).stdout == (
            'conflict (closed): robot 0 is on (2,0) at tick 2 while it is closed\n')


def test_a_way_that_is_closed_for_ever(cli, lane, tmp_path):
    (tmp_path / 'wall.txt').write_text('2 0 1 -\n0 0 6 forever # and the start, later\n')
    figures = json.loads(cli('plan', *lane, '--closures', 'wall.txt', '--out', 'plan.txt', '--json',
                             exit_code=1).stdout)
    assert figures['outcome'] == 'unsolvable'
    assert 'incomplete: no conflict' in cli('check', '--closures', 'wall.txt', 'plan.txt', exit_code=1).stdout


@pytest.mark.parametrize('text, words', [
    (DOOR + '2 0 5\n', 'door.txt:4: expected x y from to'),
    ('5 0 1 2\n', 'door.txt:1: (5,0) is outside the map of 5 x 1'),
    ('0 0 0 3\n', 'robot 0 is on (0,0) at the start, which is closed at tick 0'),
])
def test_a_wrong_file_is_said(cli, lane, tmp_path, text, words):
    (tmp_path / 'door.txt').write_text(text)
    assert words in cli('plan', *lane, '--closures', 'door.txt', exit_code=3).stderr
    assert 'none.txt' in cli('plan', *lane, '--closures', 'none.txt', exit_code=3).stderr


def test_bench_takes_closures(cli, lane):
    bench = ['bench', 'mapf', *lane, '--robots', 1, '--planners', 'hca,whca', '--repeat', 1, '--closures', 'door.txt']
    report = json.loads(cli(*bench, '--json').stdout)
    assert report['closures'] == 'door.txt'
    assert [row['makespan'] for row in report['rows']] == [13, 13]
    assert 'closures door.txt' in cli(*bench).stdout.splitlines()[1]
