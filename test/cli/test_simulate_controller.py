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


AREAS = """areas:
  - {name: upper aisle, kind: one_way, direction: 0, rectangle: [1, 0, 11, 1]}
  - {name: lower aisle, kind: one_way, direction: 180, rectangle: [1, 6, 11, 7]}
  - {name: crossing, kind: no_waiting, rectangle: [5, 1, 7, 6]}
  - {name: office, kind: keepout, rectangle: [0, 3, 2, 4]}
  - {name: dock, kind: cost, cost: 9, rectangle: [9, 2, 11, 4]}
"""


def test_areas_of_a_site_reach_the_controller_and_the_page(cli, tmp_path):
    (tmp_path / 'areas.yaml').write_text(AREAS)
    site = ['--make', 'open:12x7', '--robots', 6, '--areas', 'areas.yaml', '--seed', 3]
    found = figures(cli, *site, '--faults', 'none', '-o', 'run.html')
    assert (found['failure'], found['goals_reached'], found['goals_left']) == ('', 6, 0)
    page = (tmp_path / 'run.html').read_text()
    assert '"rules":' in page
    with_faults = figures(cli, *site)
    assert with_faults['failure'] == '' and with_faults['faults'] > 0
    refused = cli('simulate', '--controller', *site, '--planner', 'rtaa', exit_code=2)
    assert 'rtaa does not support one-way or no-waiting areas' in refused.stderr


def test_robots_of_the_controller_keep_to_one_way_areas(cli, tmp_path):
    """On a ring of aisles, the trace of releases shows the long way around."""
    (tmp_path / 'ring.map').write_text('type octile\nheight 3\nwidth 7\nmap\n.......\n.@@@@@.\n.......\n')
    (tmp_path / 'one.scen').write_text('version 1\n0\tring.map\t7\t3\t0\t0\t6\t0\t6\n')
    (tmp_path / 'west.yaml').write_text('areas:\n- {kind: one_way, direction: 180, rectangle: [1, 0, 6, 1]}\n')
    run = ['simulate', '--controller', '--map', 'ring.map', '--scen', 'one.scen', '--faults', 'none', '--trace']
    assert '(0.25, 1.25)' not in cli(*run).stderr
    around = cli(*run, '--areas', 'west.yaml')
    assert 'all goals have ended' in around.stdout
    assert '1.25)' in ''.join(line for line in around.stderr.splitlines() if 'release to r0' in line)


def test_costs_reach_the_controller(cli, tmp_path):
    (tmp_path / 'two.map').write_text('type octile\nheight 3\nwidth 7\nmap\n..SSS..\n.@@@@@.\n.......\n')
    (tmp_path / 'one.scen').write_text('version 1\n0\ttwo.map\t7\t3\t0\t0\t6\t0\t6\n')
    run = ['simulate', '--controller', '--map', 'two.map', '--scen', 'one.scen', '--faults', 'none', '--trace']
    assert '1.25)' not in cli(*run).stderr
    assert '1.25)' in cli(*run, '--terrain', 'S=9').stderr


def test_one_seed_of_three_has_areas(cli):
    traces = [cli('simulate', '--controller', '--seed', seed, '--trace', exit_code=None).stderr
              for seed in range(1, 13)]
    with_areas = [seed for seed, text in enumerate(traces, 1) if ' area ' in text]
    assert 1 <= len(with_areas) <= 8
    plain = cli('simulate', '--controller', '--seed', with_areas[0], '--no-areas', '--trace', exit_code=None)
    assert ' area ' not in plain.stderr and ' keepout ' not in plain.stderr
