"""--fleet: robots that turn, are large and slow; planned, kept in plans, checked, and errors with file and line."""

import json

import pytest

FLEET = '# a nose of two cells that turns slowly, and a slow one\n0 footprint=0,0;1,0 turn_ticks=2 heading=east\n' \
        '1 ticks_per_move=2\n'


@pytest.fixture
def room(tmp_path):
    """Two robots in a room of 5 x 4; the first has to turn to the south.

        0 . . . .
        . . . . .
        . . . . 1
        . . . . .
    """
    (tmp_path / 'room.map').write_text('type octile\nheight 4\nwidth 5\nmap\n' + '.....\n' * 4)
    (tmp_path / 'room.scen').write_text('version 1\n0\troom.map\t5\t4\t0\t0\t0\t2\t2\n'
                                        '0\troom.map\t5\t4\t4\t2\t2\t2\t2\n')
    (tmp_path / 'fleet.txt').write_text(FLEET)
    return ['--map', 'room.map', '--scen', 'room.scen']


@pytest.mark.parametrize('planner', ['ca', 'hca', 'whca', 'lra', 'bcp'])
def test_turns_take_their_time_and_the_check_knows_it(cli, room, tmp_path, planner):
    figures = json.loads(cli('plan', *room, '--planner', planner, '--fleet', 'fleet.txt', '--out', 'plan.txt',
                             '--json').stdout)
    # A turn of two ticks and two moves; two moves of two ticks.
    assert (figures['outcome'], figures['sum_of_costs'], figures['lower_bound']) == ('solved', 8, 8)
    assert 'headings=00222,-,\nsolution=\n' in (tmp_path / 'plan.txt').read_text()
    for robots in ([], ['--scen', 'room.scen']):
        assert 'ok: 2 robots' in cli('check', *robots, '--fleet', 'fleet.txt', 'plan.txt').stdout
    # As robots without properties they do nothing wrong; with a slower turn the first is too fast.
    assert 'ok: 2 robots' in cli('check', 'plan.txt').stdout
    (tmp_path / 'slow.txt').write_text(FLEET + '0 turn_ticks=3\n')
    assert cli('check', '--fleet', 'slow.txt', 'plan.txt', exit_code=1).stdout == (
        'conflict (move): robot 0 makes a move or turn to (0,0) that it cannot make, tick 2\n')


def test_a_plan_without_headings_is_not_enough(cli, room):
    cli('plan', *room, '--out', 'plan.txt')
    assert cli('check', '--fleet', 'fleet.txt', 'plan.txt', exit_code=1).stdout == (
        'conflict (shape): robot 0 has an empty path, or one without headings\n')


def test_view_takes_a_fleet(cli, room, tmp_path):
    cli('plan', *room, '--fleet', 'fleet.txt', '--out', 'plan.txt')
    cli('view', 'plan.txt', '--fleet', 'fleet.txt', '-o', 'fleet.html')
    cli('view', 'plan.txt', '-o', 'plain.html')
    # A slow robot is shown leaving earlier.
    assert (tmp_path / 'fleet.html').read_text() != (tmp_path / 'plain.html').read_text()


def test_benches_take_a_fleet(cli, room, tmp_path):
    bench = ['bench', 'mapf', *room, '--robots', '1,2', '--planners', 'hca,whca', '--repeat', 1, '--fleet', 'fleet.txt']
    report = json.loads(cli(*bench, '--json').stdout)
    assert report['fleet'] == 'fleet.txt'
    assert [row['sum_of_costs'] for row in report['rows']] == [4, 4, 8, 8]
    assert 'fleet fleet.txt' in cli(*bench).stdout.splitlines()[1]
    (tmp_path / 'mixed.txt').write_text('* turn_ticks=1 heading=north\n0-4 footprint=3x2 ticks_per_move=2 turn_ticks=2\n'
                                        '5-9 footprint=2x2 sweeps_sides=true\n')
    life = json.loads(cli('bench', 'lifelong', '--make', 'open:24x24', '--robots', 14, '--fleet', 'mixed.txt',
                          '--connectivity', 8, '--ticks', 200, '--json').stdout)
    assert life['robots'] == 14 and life['rows'][0]['goals'] > 14


@pytest.mark.parametrize('text, words', [
    (FLEET + 'x priority=1\n', 'fleet.txt:4: expected robots as 3, 0-9 or *'),
    ('2 priority=1\n', 'fleet.txt:1: there is no robot 2: the fleet has 2 robots, counted from 0'),
    ('0-7 priority=1\n', 'fleet.txt:1: there is no robot 7: the fleet has 2 robots, counted from 0'),
    ('0 turn_ticks=9\n', 'fleet.txt:1: turn_ticks must be 1 to 8, or 0 for no heading, not'),
    ('0 footprint=1,0\n', 'the footprint of robot 0 lacks its own cell (0,0)'),
    ('0 footprint=2x2 turn_ticks=1 heading=north\n', 'robot 0 covers (0,-1), outside the grid, at its start'),
    ('0 turn_ticks=1 heading=south-east\n', 'robot 0 has the diagonal heading south-east, which needs connectivity 8'),
])
def test_a_wrong_file_is_said(cli, room, tmp_path, text, words):
    (tmp_path / 'fleet.txt').write_text(text)
    assert words in cli('plan', *room, '--fleet', 'fleet.txt', exit_code=3).stderr
    assert 'none.txt' in cli('plan', *room, '--fleet', 'none.txt', exit_code=3).stderr


@pytest.mark.parametrize('planner', ['hca', 'whca'])
def test_random_robots_get_room_for_their_footprints(cli, tmp_path, planner):
    (tmp_path / 'large.txt').write_text('* footprint=3x3 turn_ticks=1 heading=west\n')
    make = ['--make', 'open:20x20', '--robots', 8, '--fleet', 'large.txt', '--planner', planner, '--out', 'plan.txt']
    cli('plan', *make)
    assert 'ok: 8 robots' in cli('check', '--fleet', 'large.txt', 'plan.txt').stdout
    crowd = ['--make', 'open:5x5', '--robots', 8, '--fleet', 'large.txt']
    assert 'no room was found for the start or the goal of robot' in cli('plan', *crowd, exit_code=3).stderr


@pytest.mark.parametrize('text', ['', '# nothing\n', '* priority=2 ticks_per_move=3\n', '1 turn_ticks=1 heading=north\n'])
def test_a_fleet_of_robots_of_one_cell_is_the_one_that_the_seed_draws(cli, tmp_path, text):
    """Starts and goals are those without a fleet file; only larger robots are placed anew."""
    (tmp_path / 'fleet.txt').write_text(text)
    made = ['plan', '--make', 'random:16x16,obstacles=20,seed=2', '--robots', 6, '--seed', 4]

    def ends(*more):
        cli(*made, *more, '--out', 'plan.txt')
        lines = (tmp_path / 'plan.txt').read_text().splitlines()
        return [line for line in lines if line.startswith(('starts=', 'goals='))]
    assert len(ends()) == 2 and ends('--fleet', 'fleet.txt') == ends()
    (tmp_path / 'fleet.txt').write_text('0 footprint=2x2\n')
    assert ends('--fleet', 'fleet.txt') != ends()
