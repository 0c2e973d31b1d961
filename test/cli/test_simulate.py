"""simulate: plans, drives with delays, and tells what came of it."""

import json

import pytest

HALL = ['--make', 'warehouse:31x17,seed=1', '--robots', 14, '--seed', 5]
KEYS = {'planner', 'map', 'mode', 'outcome', 'robots', 'arrived', 'overlaps', 'overlap_steps', 'nearest_cells',
        'radius_cells', 'deadlock', 'seconds', 'planned_seconds', 'last_arrival_seconds', 'mean_delay_seconds',
        'elapsed_ms', 'waypoints', 'dependencies', 'redundant', 'waits'}


def figures(cli, *arguments, exit_code=0):
    return json.loads(cli('simulate', *arguments, '--json', exit_code=exit_code).stdout)


def test_releases_hold_where_stamps_do_not(cli):
    dependency = figures(cli, *HALL, '--delays', 'heavy', '--stops', 300)
    assert set(dependency) == KEYS
    assert (dependency['overlaps'], dependency['arrived'], dependency['deadlock']) == (0, 14, False)
    assert dependency['nearest_cells'] >= 0
    assert dependency['waits'][0]['seconds'] >= dependency['waits'][-1]['seconds'] > 0
    timed = figures(cli, *HALL, '--delays', 'heavy', '--stops', 300, '--mode', 'timed', exit_code=1)
    assert timed['overlaps'] > 0 and timed['arrived'] == 14
    assert timed['overlap_steps'] >= timed['overlaps']
    assert timed['waits'] == []


@pytest.mark.parametrize('planner', ['ca', 'hca', 'whca', 'lra'])
def test_every_planner_can_be_driven(cli, planner):
    found = figures(cli, *HALL, '--planner', planner)
    assert (found['outcome'], found['overlaps'], found['arrived']) == ('solved', 0, 14)


def test_without_delays_robots_are_on_time(cli):
    found = figures(cli, *HALL, '--delays', 'none', '--noise', 0)
    assert found['last_arrival_seconds'] < 1.3 * found['planned_seconds']
    late = figures(cli, *HALL, '--delays', 'none', '--noise', 0, '--slow', 100)
    assert late['last_arrival_seconds'] > found['last_arrival_seconds']


def test_the_same_seed_gives_the_same_run(cli):
    def without_clock(found):
        return {key: value for key, value in found.items() if key != 'elapsed_ms'}
    first = without_clock(figures(cli, *HALL, '--delays', 'heavy'))
    assert without_clock(figures(cli, *HALL, '--delays', 'heavy')) == first
    assert without_clock(figures(cli, *HALL[:-1], 6, '--delays', 'heavy')) != first


def test_the_summary_says_it_in_words(cli):
    text = cli('simulate', *HALL, '--delays', 'heavy').stdout
    assert text.startswith('all arrived: 14 robots')
    assert 'overlaps           0' in text and 'longest waits      robot ' in text


def test_discs_that_are_too_large_touch(cli):
    """Diagonals pass a robot beside them at 0.71 cells: discs of 0.5 do not fit, those that are chosen do."""
    dense = ['--make', 'open:12x12', '--robots', 30, '--connectivity', 8]
    assert figures(cli, *dense)['overlaps'] == 0
    found = figures(cli, *dense, '--radius', 0.5, exit_code=1)
    assert found['overlaps'] > 0 and found['radius_cells'] == 0.5


def test_a_ring_is_refused_or_rotates_together(cli, tmp_path):
    (tmp_path / 'ring.map').write_text('type octile\nheight 2\nwidth 2\nmap\n..\n..\n')
    corners = [(0, 0), (1, 0), (1, 1), (0, 1)]
    rows = [f'0\tring.map\t2\t2\t{a[0]}\t{a[1]}\t{b[0]}\t{b[1]}\t1' for a, b in zip(corners, corners[1:] + corners[:1])]
    (tmp_path / 'ring.scen').write_text('version 1\n' + '\n'.join(rows) + '\n')
    ring = ['--map', 'ring.map', '--scen', 'ring.scen', '--planner', 'hca', '--robust-ticks', 0]
    refused = cli('simulate', *ring, exit_code=1)
    assert 'rotate in a ring' in refused.stderr and '--rings-together' in refused.stderr
    together = figures(cli, *ring, '--rings-together', '--delays', 'none', '--radius', 0.1)
    assert together['arrived'] == 4 and together['last_arrival_seconds'] < 3


@pytest.mark.parametrize('arguments, words', [
    (['--mode', 'blind'], '--mode must be dependency or timed'),
    (['--delays', 'much'], '--delays must be none, light or heavy'),
    (['--radius', '0.7'], '--radius must be at most 0.5 cells, not 0.7'),
    (['--stops', '-1'], '--stops'),
    (['--planner', 'hcaa'], 'hca'),
])
def test_what_is_wrong_is_said(cli, arguments, words):
    done = cli('simulate', *HALL, *arguments, exit_code=2)
    assert words in done.stderr and done.stdout == ''


def test_a_map_is_needed(cli):
    assert '--make' in cli('simulate', '--robots', 3, exit_code=2).stderr


def test_the_help_names_every_option(cli):
    text = cli('help', 'simulate').stdout
    for option in ('--mode', '--delays', '--stops', '--longest', '--slow', '--noise', '--radius', '--ahead', '--json',
                   '--rings-together', '--seconds-per-tick', '--limit'):
        assert option in text
    assert 'simulate' in cli('--help').stdout
