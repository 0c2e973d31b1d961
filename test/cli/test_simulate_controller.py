"""simulate --controller: the fleet controller drives simulated robots through faults, by a seed."""

import json

HALL = ['--make', 'warehouse:31x17,seed=1', '--robots', 8, '--robust-ticks', 1]
KEYS = {'planner', 'map', 'seed', 'failure', 'robots', 'faults', 'kills', 'failed_allocations',
        'goals_accepted', 'goals_reached', 'goals_left', 'solves',
        'releases', 'nearest_metres', 'seconds', 'hash'}


def figures(cli, *arguments, exit_code=0):
    return json.loads(cli('simulate', '--controller', *arguments, '--json', exit_code=exit_code).stdout)


def test_without_faults_all_goals_of_the_scenario_are_reached(cli):
    found = figures(cli, *HALL, '--seed', 5, '--faults', 'none')
    assert set(found) == KEYS
    assert (found['failure'], found['faults'], found['robots']) == ('', 0, 8)
    assert (found['goals_accepted'], found['goals_reached'], found['goals_left']) == (8, 8, 0)
    assert found['nearest_metres'] >= 0


def test_the_seed_decides_the_faults(cli):
    first = figures(cli, *HALL, '--seed', 2)
    assert first['failure'] == '' and first['faults'] > 0
    assert figures(cli, *HALL, '--seed', 2) == first
    assert figures(cli, *HALL, '--seed', 4)['hash'] != first['hash']


def test_without_a_map_the_seed_decides_everything_and_the_trace_tells_it(cli):
    done = cli('simulate', '--controller', '--seed', 5, '--trace')
    assert 'all goals have ended' in done.stdout and 'seed 5' in done.stdout
    assert 'seed 5:' in done.stderr and 'release to r0' in done.stderr and 'quiet' in done.stderr


def test_the_page_plays_the_run(cli, tmp_path):
    page = tmp_path / 'run.html'
    cli('simulate', '--controller', *HALL, '--seed', 2, '-o', page)
    text = page.read_text()
    assert '<html' in text and 'warehouse:31x17,seed=1, seed 2' in text


def test_options_of_the_controller_need_it(cli):
    assert '--controller' in cli('simulate', *HALL, '--trace', exit_code=2).stderr
    large = cli('simulate', '--controller', '--make', 'open:200x9', '--robots', 2, exit_code=2)
    assert '128 x 128' in large.stderr
