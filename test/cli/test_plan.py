"""plan, check, list and make: the round trip, and plans that were spoiled on the way."""

import json
import re
import signal
import subprocess
import time

import pytest

WAREHOUSE = ['--make', 'warehouse:31x17,seed=1', '--robots', 12, '--seed', 5]
KEYS = ['planner', 'outcome', 'stop', 'sum_of_costs', 'lower_bound', 'makespan', 'expanded', 'elapsed_ms',
        'first_plan_ms', 'memory_peak_bytes', 'robots', 'counters']


def test_json_has_every_figure(cli):
    figures = json.loads(cli('plan', *WAREHOUSE, '--json').stdout)
    assert set(KEYS) <= set(figures)
    assert (figures['outcome'], figures['stop'], figures['robots']) == ('solved', 'done', 12)
    assert 0 < figures['lower_bound'] <= figures['sum_of_costs']
    assert 0 < figures['first_plan_ms'] <= figures['elapsed_ms']


def test_words_and_data_do_not_mix(cli):
    done = cli('plan', *WAREHOUSE, '--out', '-')
    assert done.stdout.startswith('agents=12\n') and done.stderr == ''


def test_the_same_seed_gives_the_same_bytes(cli):
    first = cli('plan', *WAREHOUSE, '--out', '-').stdout
    assert cli('plan', *WAREHOUSE, '--threads', 2, '--out', '-').stdout == first
    assert cli('plan', *WAREHOUSE[:-1], 6, '--out', '-').stdout != first


def test_hidden_obstacles_are_for_rtaa_and_the_plan_holds_on_the_true_map(cli, tmp_path):
    hidden = [*WAREHOUSE, '--set', 'hidden=70', '--set', 'sight=2']
    figures = json.loads(cli('plan', *hidden, '--planner', 'rtaa', '--out', 'plan.txt', '--json').stdout)
    assert figures['outcome'] == 'solved' and 0 < figures['counters']['discovered'] <= figures['counters']['hidden']
    assert cli('check', *WAREHOUSE[:2], 'plan.txt').stdout.startswith('ok: 12 robots')
    threaded = cli('plan', *hidden, '--planner', 'rtaa', '--out', '-', '--threads', 3).stdout
    assert threaded == (tmp_path / 'plan.txt').read_text()
    for planner in ('hca', 'whca', 'lazy_sat'):
        refused = cli('plan', *hidden, '--planner', planner, exit_code=2).stderr
        assert f'--set hidden=70: {planner} has no such parameter, but rtaa has' in refused


def test_a_horizon_is_as_far_as_it_has_to_go(cli):
    done = cli('plan', *WAREHOUSE, '--planner', 'whca', '--set', 'window=12', '--horizon', 5, '--out', 'plan.txt')
    assert done.stdout.startswith('partial: 12 robots')
    safe_until = int(re.search(r'safe until +tick (\d+)', done.stdout)[1])
    assert 5 <= safe_until <= 12
    whole = cli('plan', *WAREHOUSE, '--planner', 'hca', '--horizon', 5)
    assert whole.stdout.startswith('solved')


def test_round_trip_of_a_made_map(cli):
    cli('plan', *WAREHOUSE, '--out', 'plan.txt')
    text = cli('check', 'plan.txt').stdout
    assert text.startswith('ok: 12 robots')
    cli('check', *WAREHOUSE[:2], 'plan.txt')
    cli('make', WAREHOUSE[1], '-o', 'other.map', '--scen-out', 'other.scen', '--robots', 12, '--seed', 77)
    assert 'conflict (start)' in cli('check', '--scen', 'other.scen', 'plan.txt', exit_code=1).stdout


def test_round_trip_of_a_map_file(cli, ring):
    cli('plan', *ring, '--out', 'plan.txt')
    assert 'ok: 2 robots' in cli('check', *ring, '--robots', 2, 'plan.txt').stdout
    assert 'ok: 2 robots' in cli('check', 'plan.txt').stdout


def test_the_map_is_found_beside_the_plan(cli, ring, tmp_path):
    cli('plan', *ring, '--out', 'plan.txt')
    (tmp_path / 'folder').mkdir()
    (tmp_path / 'plan.txt').rename(tmp_path / 'folder/plan.txt')
    (tmp_path / 'ring.map').rename(tmp_path / 'folder/ring.map')
    cli('check', 'folder/plan.txt')
    (tmp_path / 'folder/ring.map').unlink()
    assert 'cannot find its map ring.map' in cli('check', 'folder/plan.txt', exit_code=3).stderr


# A plan for the ring by hand; each case spoils one thing in it.
PLAN = """agents=2
map_file=ring.map
solver=hand
solved=1
soc=8
makespan=4
starts=(0,0),(2,2),
goals=(2,2),(0,0),
solution=
0:(0,0),(2,2),
1:(1,0),(1,2),
2:(2,0),(0,2),
3:(2,1),(0,1),
4:(2,2),(0,0),
"""


def test_a_plan_by_hand_is_right(cli, ring, tmp_path):
    (tmp_path / 'plan.txt').write_text(PLAN)
    done = cli('check', *ring, 'plan.txt')
    assert 'sum of costs 8, makespan 4' in done.stdout and done.stderr == ''


@pytest.mark.parametrize('old, new, kind', [
    ('2:(2,0)', '2:(1,1)', 'obstacle'),
    ('3:(2,1)', '3:(0,2)', 'move'),
    ('1:(1,0),(1,2)', '1:(0,1),(0,1)', 'move'),
    ('0:(0,0)', '0:(1,0)', 'start'),
    ('4:(2,2)', '4:(2,1)', 'goal'),
    ('1:(1,0),(1,2),\n2:(2,0),(0,2),\n3:(2,1),(0,1),', '1:(0,1),(1,2),\n2:(0,2),(0,2),\n3:(1,2),(0,1),', 'cell'),
    ('1:(1,0),(1,2),\n2:(2,0),(0,2),\n3:(2,1),(0,1),', '1:(0,1),(1,2),\n2:(0,1),(0,2),\n3:(0,2),(0,1),', 'swap'),
])
def test_a_spoiled_plan_is_found(cli, ring, tmp_path, old, new, kind):
    assert old in PLAN
    (tmp_path / 'plan.txt').write_text(PLAN.replace(old, new))
    assert cli('check', *ring, 'plan.txt', exit_code=1).stdout.startswith(f'conflict ({kind})')


def test_a_plan_for_fewer_robots(cli, ring, tmp_path):
    (tmp_path / 'plan.txt').write_text(PLAN)
    assert '--robots 1 does not match the plan, which has 2 robots' in cli('check', '--robots', 1, 'plan.txt', exit_code=1).stderr


@pytest.mark.parametrize('old, new, words', [
    ('soc=8', 'soc=9', 'says soc=9, but the sum of costs of the paths is 8'),
    ('makespan=4', 'makespan=3', 'says makespan=3, but the last robot arrives at tick 4'),
])
def test_a_header_that_disagrees_is_said(cli, ring, tmp_path, old, new, words):
    (tmp_path / 'plan.txt').write_text(PLAN.replace(old, new))
    assert words in cli('check', *ring, 'plan.txt').stderr


def test_following_needs_robust_ticks_0(cli, tmp_path):
    (tmp_path / 'plan.txt').write_text(
        'agents=2\nmap_file=open:3x1\nsolver=hand\nsolved=1\nstarts=(0,0),(1,0),\ngoals=(1,0),(2,0),\nsolution=\n'
        '0:(0,0),(1,0),\n1:(1,0),(2,0),\n')
    cli('check', 'plan.txt')
    assert 'conflict (robust)' in cli('check', '--robust-ticks', 1, 'plan.txt', exit_code=1).stdout


def test_no_way_is_an_answer(cli, tmp_path):
    (tmp_path / 'lane.map').write_text('type octile\nheight 1\nwidth 3\nmap\n...\n')
    (tmp_path / 'lane.scen').write_text('version 1\n'
                                        '0\tlane.map\t3\t1\t0\t0\t2\t0\t2\n'
                                        '0\tlane.map\t3\t1\t2\t0\t0\t0\t2\n')
    done = cli('plan', '--map', 'lane.map', '--scen', 'lane.scen', '--expansions', 100000,
               '--planner', 'hca', '--set', 'orders=10', '--json', '--out', 'plan.txt', exit_code=1)
    assert json.loads(done.stdout)['outcome'] in ('partial', 'unsolvable')
    assert 'incomplete: no conflict' in cli('check', 'plan.txt', exit_code=1).stdout


def test_a_failure_leaves_the_old_file(cli, ring, tmp_path):
    (tmp_path / 'plan.txt').write_text('precious')
    cli('plan', '--map', 'none.map', '--robots', 2, '--out', 'plan.txt', exit_code=3)
    assert (tmp_path / 'plan.txt').read_text() == 'precious'
    cli('plan', *ring, '--out', 'plan.txt')
    assert (tmp_path / 'plan.txt').read_text().startswith('agents=2')
    assert sorted(path.name for path in tmp_path.iterdir()) == ['plan.txt', 'ring.map', 'ring.scen']


def test_interrupt_prints_the_best_answer(cli, tmp_path):
    """Two robots in a lane cannot change places: no order helps, and the search goes on until somebody stops it."""
    from conftest import CLI
    (tmp_path / 'lane.map').write_text('type octile\nheight 1\nwidth 60\nmap\n' + 60 * '.' + '\n')
    (tmp_path / 'lane.scen').write_text('version 1\n' + ''.join(
        f'0\tlane.map\t60\t1\t{x}\t0\t{59 - x}\t0\t1\n' for x in (*range(20), *range(40, 60))))
    process = subprocess.Popen(
        [CLI, 'plan', '--map', 'lane.map', '--scen', 'lane.scen', '--time-limit', '100',
         '--planner', 'hca', '--set', 'orders=1000000', '--json'], cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    time.sleep(0.5)  # nothing outside tells that the search has begun; a solve that ended before fails below
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    figures = json.loads(out)
    assert (process.returncode, figures['stop']) == (1, 'cancelled'), err


def test_list_is_what_plan_takes(cli):
    planners = json.loads(cli('list', '--json').stdout)
    text = cli('list').stdout
    assert {'ca', 'hca'} <= {planner['name'] for planner in planners}
    for planner in planners:
        assert planner['paper'] and planner['summary'] and planner['name'] + ': ' in text
        settings = []
        for parameter in planner['parameters']:
            initial = parameter['initial']
            word = str(initial).lower() if isinstance(initial, bool) else str(initial)
            assert f"{parameter['name']}={word}" in text
            settings += ['--set', f"{parameter['name']}={word}"]
        cli('plan', '--make', 'open:8x8', '--robots', 4, '--planner', planner['name'], *settings)


def test_made_files_give_the_same_plan_as_a_made_map(cli, tmp_path):
    cli('make', WAREHOUSE[1], '-o', 'hall.map', '--scen-out', 'hall.scen', '--robots', 12, '--seed', 5)
    from_files = cli('plan', '--map', 'hall.map', '--scen', 'hall.scen', '--seed', 5, '--out', '-').stdout
    made = cli('plan', *WAREHOUSE, '--out', '-').stdout
    assert re.sub('map_file=.*', '', from_files) == re.sub('map_file=.*', '', made)
