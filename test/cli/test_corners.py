"""--cut-corners: diagonals that need only their end free, as in Standley's paper."""

import json

import pytest

from test_bench_standley import FEW, ONE_ORDER

RULES = ['--connectivity', 8, '--cut-corners']
LINE = ['bench', 'standley', '--instances', 4, '--time-limit', 0.3, '--planners', ONE_ORDER]


@pytest.fixture
def gap(tmp_path):
    """The one way leads between two obstacles.

        0 . @ .
        . @ . 1
    """
    (tmp_path / 'gap.map').write_text('type octile\nheight 2\nwidth 4\nmap\n..@.\n.@..\n')
    (tmp_path / 'gap.scen').write_text('version 1\n0\tgap.map\t4\t2\t0\t0\t3\t1\t3\n')
    return ['--map', 'gap.map', '--scen', 'gap.scen']


@pytest.mark.parametrize('planner', ['ca', 'hca', 'whca', 'lra', 'standard', 'od', 'sid', 'od_id', 'lazy_sat', 'bcp'])
def test_plan_and_check(cli, gap, tmp_path, planner):
    unsolved = cli('plan', *gap, '--connectivity', 8, '--planner', planner, exit_code=1)
    assert unsolved.stdout.startswith('unsolvable')
    cli('plan', *gap, *RULES, '--planner', planner, '--out', 'plan.txt')
    assert 'cuts_corners=1\nsolution=\n' in (tmp_path / 'plan.txt').read_text()
    # The file says by which rule it was planned.
    assert '8-connected with corners cut' in cli('check', 'plan.txt').stdout
    assert 'ok: 1 robot,' in cli('check', *gap, *RULES, 'plan.txt').stdout


def test_a_file_that_does_not_say_so_is_judged_without(cli, gap, tmp_path):
    cli('plan', *gap, *RULES, '--out', 'plan.txt')
    file = tmp_path / 'plan.txt'
    file.write_text(file.read_text().replace('cuts_corners=1\n', ''))
    assert 'conflict (move)' in cli('check', '--connectivity', 8, 'plan.txt', exit_code=1).stdout
    assert 'ok: 1 robot,' in cli('check', *RULES, 'plan.txt').stdout


def test_without_the_option_files_are_as_they_were(cli):
    made = ['--make', 'random:16x16,obstacles=20,seed=1', '--robots', 6, '--connectivity', 8, '--out', '-']
    assert 'cuts_corners' not in cli('plan', *made).stdout


@pytest.mark.parametrize('out', ['page.html', 'picture.svg'])
def test_view_knows_the_rule(cli, gap, tmp_path, out):
    cli('plan', *gap, *RULES, '--out', 'plan.txt')
    cli('view', 'plan.txt', '-o', out)
    right = (tmp_path / out).read_text()
    file = tmp_path / 'plan.txt'
    file.write_text(file.read_text().replace('cuts_corners=1\n', ''))
    cli('view', 'plan.txt', '-o', out, '--connectivity', 8)
    assert 'cannot make' not in right and 'cannot make' in (tmp_path / out).read_text()


def test_a_record_keeps_the_rule(cli, gap):
    cli('plan', *gap, *RULES, '--record', 'gap.record')
    assert cli('replay', 'gap.record').stdout.startswith('ok: 1 entry')


def test_random_robots_have_a_way_in_the_model(cli):
    made = ['--make', 'random:20x20,obstacles=45,seed=1', '--robots', 10]
    for seed in range(5):
        bound = json.loads(cli('plan', *made, '--seed', seed, *RULES, '--json', exit_code=None).stdout)['lower_bound']
        assert bound > 0


@pytest.mark.parametrize('arguments, words, exit_code', [
    (['--cut-corners'], 'give --connectivity 8 too', 2),
    ([*RULES, '--planner', 'rtaa'], 'rtaa does not support cutting corners', 3),
    ([*RULES, '--fleet', 'wide.fleet'], 'robot 0 covers more than one cell', 3),
    ([*RULES, '--fleet', 'turning.fleet'], 'robot 0 has a heading', 3),
])
def test_what_it_is_not_for_is_refused(cli, tmp_path, arguments, words, exit_code):
    (tmp_path / 'wide.fleet').write_text('* footprint=2x1\n')
    (tmp_path / 'turning.fleet').write_text('* turn_ticks=1\n')
    done = cli('plan', '--make', 'open:9x9', '--robots', 3, *arguments, exit_code=exit_code)
    assert words in done.stderr and done.stdout == ''


def test_slow_robots_may(cli, tmp_path):
    (tmp_path / 'slow.fleet').write_text('* ticks_per_move=3\n')
    made = ['--make', 'random:16x16,obstacles=35,seed=2', '--robots', 6]
    cli('plan', *made, *RULES, '--fleet', 'slow.fleet', '--out', 'plan.txt')
    assert 'corners cut' in cli('check', '--fleet', 'slow.fleet', 'plan.txt').stdout


def test_discs_are_not_driven_through_corners(cli):
    done = cli('simulate', '--make', 'open:9x9', '--robots', 3, *RULES, exit_code=2)
    assert 'no option --cut-corners' in done.stderr


# ---- bench standley ------------------------------------------------------------------------------------------------


def test_figures_say_which_model_it_was(cli):
    words = cli(*LINE, '--cut-corners').stdout
    assert 'a diagonal needs only its end free, as in the paper' in words
    assert 'a diagonal needs the cells beside it free' in cli(*LINE).stdout
    assert json.loads(cli(*LINE, '--cut-corners', '--json').stdout)['cuts_corners'] is True
    assert json.loads(cli(*LINE, '--json').stdout)['cuts_corners'] is False


def test_files_of_the_two_models_are_kept_apart(cli, tmp_path):
    plain, cut, joined = (tmp_path / name for name in ('plain.csv', 'cut.csv', 'all.csv'))
    cli(*LINE, '--csv', plain)
    cli(*LINE, '--cut-corners', '--csv', cut)
    head = cut.read_text().splitlines()[0]
    assert head.startswith('# standley corners=cut seed=1 instances=4 ')
    assert plain.read_text().splitlines()[0] == head.replace('corners=cut ', '')
    for file, options in ((plain, ['--cut-corners']), (cut, [])):
        before = file.read_text()
        assert 'another run' in cli(*LINE, *options, '--csv', file, exit_code=2).stderr
        assert file.read_text() == before
    assert 'corners must be the same' in cli('bench', 'merge', joined, plain, cut, exit_code=2).stderr
    assert not joined.exists()
    cli(*LINE, '--cut-corners', '--csv', cut)  # goes on, with nothing left to do
    assert 'as in the paper' in cli('bench', 'merge', joined, cut).stdout
    assert joined.read_text().splitlines()[0] == head


def test_ways_are_no_longer_with_corners_cut(cli, tmp_path):
    rows = {}
    for name, options in (('plain', []), ('cut', ['--cut-corners'])):
        file = tmp_path / f'{name}.csv'
        cli(*FEW, '--planners', 'lazy_sat', *options, '--csv', file)
        rows[name] = [line.split(',') for line in file.read_text().splitlines()[2:]]
    assert [row[:2] for row in rows['plain']] == [row[:2] for row in rows['cut']]  # instances and robots
    assert sum(int(row[9]) for row in rows['cut']) != sum(int(row[9]) for row in rows['plain'])
