"""replay of a record: questions are solved again and must give the recorded plans."""

import re

import pytest


@pytest.fixture
def record(cli, tmp_path):
    """plan.record: 120 robots among obstacles, ended by its time limit or not, as the machine has it."""
    cli('plan', '--make', 'random:40x40,obstacles=20,seed=3', '--robots', 80, '--planner', 'hca', '--record', 'plan.record')
    return tmp_path / 'plan.record'


def test_the_same_plan_again(cli, record):
    done = cli('replay', 'plan.record')
    assert (done.stdout, done.stderr) == ('ok: 1 entry gives its recorded plan\n', '')


@pytest.mark.parametrize('planner, robots, seconds', [
    ('hca', 300, 0.005), ('hca', 300, 0.03), ('whca', 300, 0.02), ('lazy_sat', 30, 0.05), ('lra', 300, 0.01)])
def test_the_same_plan_again_where_time_ran_out(cli, tmp_path, planner, robots, seconds):
    """Plans that the clock has cut off somewhere: the record says where."""
    made = cli('plan', '--make', 'random:40x40,obstacles=25,seed=3', '--robots', robots, '--planner', planner,
               '--time-limit', seconds, '--record', 'plan.record', '--out', 'plan.txt', exit_code=None)
    assert made.returncode in (0, 1)
    text = (tmp_path / 'plan.record').read_text()
    assert re.search(r'^answer=0 \w+ (deadline|done) ', text, re.M)
    assert cli('replay', 'plan.record').stdout == 'ok: 1 entry gives its recorded plan\n'
    solution = (tmp_path / 'plan.txt').read_text()
    assert solution[solution.index('starts='):] in text  # the record holds the plan as the plan file does


@pytest.mark.parametrize('old, new, words', [
    (r'^5:\((\d+),(\d+)\)', r'5:(39,\2)', 'different plan: recorded "5:(39,'),
    (r'^(answer=0 \w+ done .* )\d+$', r'\g<1>7', 'different number of expanded nodes: recorded "7"'),
    (r'^answer=0 solved', 'answer=0 partial', 'different result (return code, outcome, safe until): recorded "0 partial'),
    (r'^set=order shortest', 'set=order longest', 'different '),
])
def test_the_first_difference_is_told(cli, record, old, new, words):
    text = record.read_text()
    changed = re.sub(old, new, text, count=1, flags=re.M)
    assert changed != text
    record.write_text(changed)
    assert words in cli('replay', 'plan.record', exit_code=1).stderr


def test_a_problem_that_ended_the_process_is_recorded(cli, record):
    """Cut behind the problem, and within it."""
    text = record.read_text()
    record.write_text(text[:text.index('limits=')])
    done = cli('replay', 'plan.record')
    assert 'entry 1, line' in done.stderr and 'has no recorded result' in done.stderr and 'the result now is: solved' in done.stderr
    assert done.stdout == 'ok: 0 entries give their recorded plans\n'
    record.write_text(text[:text.index('asked=') - 20])
    done = cli('replay', 'plan.record')
    assert 'ends in the middle of a problem' in done.stderr


def test_a_page_of_an_entry(cli, record, open_page):
    cli('replay', 'plan.record', '--entry', 1, '-o', 'entry.html')
    assert open_page('entry.html')[1]['robots'] == 80
    assert 'give --entry' in cli('replay', 'plan.record', '-o', 'entry.html', exit_code=2).stderr
    assert 'has no entry 7' in cli('replay', 'plan.record', '--entry', 7, exit_code=2).stderr


@pytest.mark.parametrize('old, new, words', [
    ('grid=40x40', 'grid=41x40', 'a row of the grid'),
    ('robots=80', 'robots=81', 'a robot: start, goal'),
    ('planner=hca', 'planner=crystal', "there is no planner 'crystal'"),
    ('rules=4', 'rules=x', 'rules= of four numbers'),
    ('fleetweave_record=1', 'fleetweave_record=9', 'not a record'),
])
def test_a_bad_record_is_refused_with_its_line(cli, record, old, new, words):
    text = record.read_text()
    assert old in text
    record.write_text(text.replace(old, new, 1))
    assert words in cli('replay', 'plan.record', exit_code=3).stderr


def test_a_record_that_cannot_be_written(cli, tmp_path):
    done = cli('plan', '--make', 'open:5x5', '--robots', 2, '--record', 'no/where.record', exit_code=3)
    assert 'no/where.record' in done.stderr
