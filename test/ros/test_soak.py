"""./run soak, for a minute: a fleet, faults one after the other, and nothing that does not hold. That what it looks for is
found is tested with messages that a faulty fleet would send."""
import csv
import os
import pathlib
import random
import subprocess
import sys
import time
import types

import pytest
from action_msgs.msg import GoalStatus
from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus, KeyValue
from graph import timed_path

TOP = pathlib.Path(os.environ.get('FLEETWEAVE_SOURCE_DIR', pathlib.Path(__file__).parents[2]))
sys.path.append(str(TOP / 'tools'))

from soak import growth  # noqa: E402
from soak_watch import GOAL_SECONDS, RECOVERY_SECONDS, Watch  # noqa: E402

QUICK = 'stall_planner,kill_follower,replace,kill_planner,cancel,clock_back,blocked,hold'


def test_a_fleet_with_faults_for_a_minute(tmp_path):
    words = [sys.executable, TOP / 'tools' / 'soak.py', '0.017', '--robots', '6', '--followers', '2', '--fault-seconds', '1',
             '--faults', QUICK, '--out', tmp_path, '--domain', os.environ['ROS_DOMAIN_ID']]
    done = subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=600)
    assert done.returncode == 0, done.stdout
    with open(tmp_path / 'soak.csv') as file:
        rows = list(csv.DictReader(file))
    last = rows[-1]
    assert int(last['succeeded']) > 0 and int(last['overlaps']) == int(last['violations']) == 0, done.stdout
    assert int(last['faults']) >= 2 and float(last['rss_mb']) > 0
    begun = [kind for row in rows for kind in row['fault'].split()]
    assert set(begun) <= set(QUICK.split(',')) and len(begun) == int(last['faults'])
    ended = sum(int(last[key]) for key in ('succeeded', 'aborted', 'canceled', 'lost', 'driving'))
    assert ended == int(last['accepted'])


@pytest.mark.parametrize('words, complaint', [
    (['0'], 'must be more than 0'), (['--faults', 'earthquake'], "there is no fault earthquake, only: kill_planner")])
def test_a_wrong_option_is_refused(tmp_path, words, complaint):
    done = subprocess.run(
        [sys.executable, TOP / 'tools' / 'soak.py', *words, '--out', tmp_path, '--domain', os.environ['ROS_DOMAIN_ID']],
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=120)
    assert done.returncode in (2, 3) and complaint in done.stdout


# ---- what it looks for


@pytest.fixture
def watch(tmp_path):
    process = types.SimpleNamespace(log_path='simulator.log')
    site = types.SimpleNamespace(names=['a', 'b'], processes={'simulator': process, 'planner': process})
    watch = Watch(site, random.Random(1), tmp_path / 'violations.txt')
    yield watch
    watch.close()


def release(*columns):
    return timed_path([(0, x, 0.25) for x in columns])


def status(overlaps):
    pair = KeyValue(key='overlaps', value=str(overlaps))
    return DiagnosticArray(status=[DiagnosticStatus(name='fleet_sim', values=[pair])])


def test_releases_that_shrink_are_found(watch):
    watch.places = lambda: {'a': (2.0, 0.25), 'b': (0.25, 0.25)}
    for columns in [(0.25, 0.75), (0.25, 0.75, 1.25), (1.25,), (1.25, 1.75, 2.25), (2.25, 1.75, 1.25)]:
        watch.on_release('a', release(*columns))
    assert watch.kinds == {}
    watch.on_release('a', release(2.25, 1.75))
    assert watch.kinds == {'release': 1}
    watch.on_release('a', release())
    assert watch.kinds == {'release': 2}
    watch.on_release('a', release(0.75, 3.25))  # after none anything goes
    watch.on_release('a', release(5.25))
    assert watch.kinds == {'release': 3}, 'a is still on its way'
    watch.kinds.clear()
    watch.on_release('a', release(1.5, 2.0))
    assert watch.kinds == {}, 'a is not where the release before led: there was one that nobody here has heard'
    watch.kinds.update(release=2)
    watch.excused = 0
    watch.excuse('a')
    watch.on_release('a', release())
    watch.on_release('b', release(0.25))
    assert (watch.kinds, watch.excused) == ({'release': 2}, 1)
    watch.on_release('b', release())
    assert watch.kinds == {'release': 3}, 'b had no excuse'


def test_overlaps_are_found_over_lives_of_the_simulator(watch):
    watch.on_status(status(0))
    assert watch.kinds == {}
    watch.on_status(status(2))
    watch.note_new_simulator()
    watch.on_status(status(0))
    watch.on_status(status(1))
    assert watch.kinds == {'overlap': 2} and watch.counts()['overlaps'] == 3


def test_goals_that_end_elsewhere_or_not_at_all_are_found(watch):
    watch.places = lambda: {'a': (1.0, 1.0)}
    watch.note_end('a', (1.1, 1.0), GoalStatus.STATUS_SUCCEEDED)
    watch.note_end('a', (9.0, 9.0), GoalStatus.STATUS_ABORTED)
    assert watch.kinds == {}
    watch.note_end('a', (9.0, 9.0), GoalStatus.STATUS_SUCCEEDED)
    watch.note_end('a', (9.0, 9.0), GoalStatus.STATUS_UNKNOWN)
    assert watch.kinds == {'goal': 2}
    now = time.monotonic()
    watch.under_way['a', 1] = now - GOAL_SECONDS + 60
    watch.clients['a'].check(now)
    assert watch.kinds == {'goal': 2}
    watch.under_way['a', 1] = now - GOAL_SECONDS - 1
    watch.clients['a'].check(now)
    assert watch.kinds == {'goal': 3}


def test_goals_that_a_restarted_planner_does_not_know_are_found(watch):
    watch.map = types.SimpleNamespace(info=types.SimpleNamespace(resolution=0.5))
    watch.places = lambda: {'a': (3.25, 0.25), 'b': (0.25, 0.25)}
    watch.robots = {'a': {'goal_cell': ''}, 'b': {'goal_cell': '4,0'}}
    watch.check_journal({'a': (3.25, 0.25), 'b': (2.25, 0.25)})
    assert watch.kinds == {}, 'a is there, and b drives'
    watch.check_journal({'a': (5.25, 0.25), 'b': (2.75, 0.25)})
    assert watch.kinds == {'journal': 2}


def test_a_fleet_that_does_nothing_any_more_is_found(watch):
    watch.map, watch.clients = object(), {}
    watch.last_reached = time.monotonic() - RECOVERY_SECONDS + 30
    watch.spin(0.0)
    assert watch.kinds == {}
    watch.last_reached = time.monotonic() - RECOVERY_SECONDS - 1
    watch.next_check = 0.0
    watch.spin(0.0)
    assert watch.kinds == {'recovery': 1}


def test_growth_is_that_of_long_lives():
    rows = [{'planner_life': 1, 'seconds': str(s), 'rss_mb': str(40 + s / 360)} for s in range(0, 721, 5)]
    rows += [{'planner_life': 2, 'seconds': str(s), 'rss_mb': '99'} for s in range(730, 800, 5)]
    assert growth(rows) == [pytest.approx(10.0)]
    assert growth(rows[:20]) == []
