"""Areas with traffic rules: the file, and every command that takes a map."""
import json
import re
import shlex

import pytest

from conftest import SOURCE

HALL = ['--make', 'open:12x7']


def write(folder, text, name='areas.yaml'):
    (folder / name).write_text(text)
    return name


def way(cli, *arguments, start='0,0', goal='4,0'):
    found = json.loads(cli('route', '--from', start, '--to', goal, '--connectivity', 4, *arguments, '--json').stdout)
    return [tuple(cell) for cell in found['routes'][0]['cells']]


def documented(page):
    """The YAML blocks of a page that have areas."""
    text = (SOURCE / 'docs' / page).read_text()
    return [block for block in re.findall(r'^```yaml\n(.*?)^```', text, re.M | re.S) if block.startswith('areas:')]


def test_the_example_of_the_command_line_page_works(cli, tmp_path):
    page = (SOURCE / 'docs' / 'command_line.md').read_text()
    example, = documented('command_line.md')
    write(tmp_path, example)
    commands, = (block for block in re.findall(r'^```console\n(.*?)^```', page, re.M | re.S) if '--areas' in block)
    said = [cli(*shlex.split(line)[2:]).stdout for line in commands.splitlines()]
    assert len(said) == 3
    assert 'one-way and no-waiting areas' in said[1]
    picture = (tmp_path / 'plan.svg').read_text()
    assert 'id="one-way"' in picture and 'id="no-waiting"' in picture


def test_the_example_of_the_ros_page_is_read(cli, tmp_path):
    example, = documented('ros.md')
    write(tmp_path, example)
    assert len(way(cli, '--make', 'open:20x20', '--areas', 'areas.yaml', '--cell-size', 0.5)) == 5


# The same area as people, scripts and YAML libraries write it.
STYLES = [
    'areas:\n  - {name: a, kind: keepout, polygon: [[1, 0], [3, 0], [3, 2], [1, 2]]}\n',
    'areas:\n- {kind: keepout, rectangle: [3, 2, 1, 0], name: "a"}\n',
    '---\n# a comment\nareas:\n- kind: keepout   # here\n  name: \'a # b\'\n  polygon:\n  - - 1.0\n    - 0.0\n'
    '  - - 3.0\n    - 0.0\n  - - 3.0\n    - 2.0\n  - - 1.0\n    - 2.0\n',
    'areas:\n    -\n        name: a\n        kind: keepout\n        polygon: [[1, 0],\n            [3, 0],\n'
    '            [3, 2], [1, 2]\n        ]\n',
    'areas:\r\n- kind: keepout\r\n  polygon:\r\n  - [1, 0]\r\n  - [3, 0]\r\n  - [3e0, 2]\r\n  - [+1, 2.]\r\n',
    'areas:\n- {name: a,\n   kind: keepout,\n   polygon: [[1, 0], [3, 0],\n             [3, 2], [1, 2]]}\n',
]


@pytest.mark.parametrize('text', STYLES)
def test_styles_of_yaml(cli, tmp_path, text):
    write(tmp_path, text)
    around = way(cli, *HALL, '--areas', 'areas.yaml')
    assert not set(around) & {(1, 0), (2, 0), (1, 1), (2, 1)} and len(around) == 9


MISTAKES = [
    ('', 'it is empty'),
    ('areas\n', "expected 'key: value'"),
    ('{}\n', ":1: 'areas:' is missing"),
    ('sites: 3\n', ":1: expected 'areas:' once, not sites"),
    ('areas: all\n', ':1: areas must be a list'),
    ('areas:\n- keepout\n', ":2: area without a name: expected 'key: value', not keepout"),
    ('areas:\n- {name: a, kind: keepout, polygon: &p [*p, *p, *p]}\n', 'a point of its polygon needs two numbers'),
    ('areas:\n- {name: "a\\0b", kind: [], rectangle: [0, 0, 1, 1]}\n', "area 'a': kind must be"),
    ('areas:\n- {name: a, kind: keepout, rectangle: [0, 0, 1, "1\\0"]}\n', 'expected a number'),
    ('areas: \x00', 'control characters are not allowed'),
    ('areas:\n- kind: fast\n', ':2: area without a name: kind must be one_way, no_waiting, keepout or cost, not fast'),
    ('areas:\n- {name: a, kind: speed, rectangle: [0, 0, 1, 1]}\n', "area 'a': speed limits are not supported"),
    ('areas:\n- {name: a, rectangle: [0, 0, 1, 1]}\n', ":2: area 'a': kind is missing"),
    ('areas:\n- name: a\n  kind: keepout\n', ":2: area 'a': it needs either polygon or rectangle"),
    ('areas:\n- {name: a, kind: one_way, rectangle: [0, 0, 1, 1]}\n', "area 'a': kind one_way needs a direction"),
    ('areas:\n- {name: a, kind: keepout, direction: 3, rectangle: [0, 0, 1, 1]}\n',
     'only kind one_way has a direction'),
    ('areas:\n- {name: a, kind: one_way, direction: north, rectangle: [0, 0, 1, 1]}\n',
     'degrees from -360 to 360, not north'),
    ('areas:\n- {name: a, kind: cost, cost: 255, rectangle: [0, 0, 1, 1]}\n', 'cost must be 1 to 254, not 255'),
    ('areas:\n- {name: a, kind: keepout, rectangle: [0, 0, 1]}\n', 'rectangle needs four numbers'),
    ('areas:\n- {name: a, kind: keepout, polygon: [[0, 0], [1, 1]]}\n', 'polygon needs at least three points'),
    ('areas:\n- {name: a, kind: keepout, polygon: [[0, 0], [1], [2, 2]]}\n',
     'a point of its polygon needs two numbers'),
    ('areas:\n- name: a\n  kind: keepout\n  polygon: [[0, 0], [1, x], [2, 2]]\n',
     ":4: area 'a': expected a number, not x"),
    ('areas:\n- name: a\n  kind: keepout\n  colour: red\n', ":4: area 'a': keys are name, kind, direction"),
    ('areas:\n- name: a\n  name: b\n', ":3: area 'a': it has twice the key name"),
    ('areas:\n- {name: a, kind: keepout\n', ':3: did not find expected'),
    ('areas:\n- name: a\n\tkind: keepout\n', ':3: found a tab character that violates indentation'),
    ('areas:\n- {name: a, kind: keepout, polygon: [[0, 0], [1, 0], [nan, 2]]}\n', 'expected a number, not nan'),
]


@pytest.mark.parametrize('text, reason', MISTAKES, ids=[reason[:40] for _, reason in MISTAKES])
def test_mistakes_are_named_with_their_line_and_area(cli, tmp_path, text, reason):
    write(tmp_path, text)
    said = cli('plan', *HALL, '--robots', 2, '--areas', 'areas.yaml', exit_code=3).stderr
    assert 'areas.yaml' in said and reason in said


def test_there_are_bounds(cli, tmp_path):
    points = ', '.join(f'[{k}, {k * k}]' for k in range(257))
    cases = [
        (f'areas:\n- {{name: a, kind: keepout, polygon: [{points}]}}\n', 'its polygon has too many points; at most 256 are possible'),
        ('areas:\n' + '- {kind: keepout, rectangle: [0, 0, 1, 1]}\n' * 10001, 'there are too many areas; at most 10000 are possible'),
    ]
    for text, reason in cases:
        write(tmp_path, text)
        assert reason in cli('plan', *HALL, '--robots', 2, '--areas', 'areas.yaml', exit_code=3).stderr
    with open(tmp_path / 'areas.yaml', 'ab') as file:
        file.truncate(256 * 2**20 + 1)  # without content: it must not be read
    assert 'the file is larger than 256 MiB' in cli('plan', *HALL, '--robots', 2, '--areas', 'areas.yaml', exit_code=3).stderr


def test_a_missing_file_is_an_error(cli):
    assert 'none.yaml' in cli('plan', *HALL, '--robots', 2, '--areas', 'none.yaml', exit_code=3).stderr


def test_routes_go_one_way(cli, tmp_path):
    """Direction 90 is towards larger y; sideways is allowed, and searches that cannot say so."""
    write(tmp_path, 'areas:\n- {kind: one_way, direction: 0, rectangle: [0, 2, 12, 3]}\n')
    common = [*HALL, '--areas', 'areas.yaml']
    assert way(cli, *common, start='2,2', goal='8,2') == [(x, 2) for x in range(2, 9)]
    assert (5, 2) not in way(cli, *common, start='8,2', goal='2,2')
    assert (5, 2) in way(cli, *common, start='5,0', goal='5,6'), 'across it'
    said = cli('route', *common, '--search', 'jps', '--from', '0,0', '--to', '1,1', exit_code=None)
    assert said.returncode != 0 and 'search jps does not support one-way areas' in said.stderr
    for name in ('astar', 'dijkstra'):
        assert (5, 2) not in way(cli, *common, '--search', name, start='8,2', goal='2,2')
    write(tmp_path, 'areas:\n- {kind: one_way, direction: 90, rectangle: [0, 2, 12, 5]}\n')
    assert way(cli, *common, start='3,0', goal='3,6') == [(3, y) for y in range(7)]
    assert cli('route', *common, '--from', '3,6', '--to', '3,0', exit_code=None).returncode != 0, 'there is no way back'


def test_lines_of_sight_do_not_cross_a_one_way_area(cli, tmp_path):
    write(tmp_path, 'areas:\n- {kind: one_way, direction: 0, rectangle: [3, 1, 9, 6]}\n')
    common = [*HALL, '--areas', 'areas.yaml', '--connectivity', 8, '--corners', '--json']
    found = json.loads(cli('route', *common, '--from', '11,1', '--to', '0,5').stdout)['routes'][0]
    assert all(not (3 <= x < 9 and 1 <= y < 6) for x, y in found['cells'])
    assert len(found['corners']) > 2


@pytest.mark.parametrize('planner', ['ca', 'hca', 'whca', 'od_id'])
def test_plans_keep_the_rules_and_the_check_finds_those_that_do_not(cli, tmp_path, planner):
    example, = documented('command_line.md')
    write(tmp_path, example)
    common = [*HALL, '--robots', 6, '--planner', planner]
    for seed in range(3):
        cli('plan', *common, '--seed', seed, '--areas', 'areas.yaml', '--out', 'plan.txt', '--record', 'plan.record')
        cli('check', 'plan.txt', '--areas', 'areas.yaml')
        cli('replay', 'plan.record')
    write(tmp_path, 'areas:\n- {name: all, kind: one_way, direction: 45, rectangle: [0, 0, 12, 7]}\n', 'other.yaml')
    said = cli('check', 'plan.txt', '--areas', 'other.yaml', exit_code=None)
    assert said.returncode != 0 and 'against the direction of a one-way area' in said.stdout + said.stderr


@pytest.mark.parametrize('planner', ['lra', 'lazy_sat', 'bcp', 'rtaa'])
def test_planners_that_cannot_keep_them_say_so(cli, tmp_path, planner):
    write(tmp_path, 'areas:\n- {kind: no_waiting, rectangle: [3, 1, 9, 6]}\n')
    said = cli('plan', *HALL, '--robots', 2, '--planner', planner, '--areas', 'areas.yaml', exit_code=None)
    assert said.returncode != 0
    assert f'{planner} does not support one-way or no-waiting areas' in said.stderr


def test_goals_in_no_waiting_areas_are_refused(cli, tmp_path):
    write(tmp_path, 'areas:\n- {kind: no_waiting, rectangle: [3, 1, 9, 6]}\n')
    (tmp_path / 'one.scen').write_text('version 1\n0\tx\t12\t7\t0\t0\t5\t3\t8\n')
    said = cli('plan', *HALL, '--scen', 'one.scen', '--areas', 'areas.yaml', exit_code=None)
    assert said.returncode != 0 and 'the goal of robot 0, (5,3), is in a no-waiting area' in said.stderr
    said = cli('route', *HALL, '--areas', 'areas.yaml', '--from', '0,0', '--to', '5,3', exit_code=None)
    assert 'the goal (5,3) is in a no-waiting area' in said.stderr


def test_pages_and_simulations_take_them(cli, tmp_path):
    example, = documented('command_line.md')
    write(tmp_path, example)
    cli('plan', *HALL, '--robots', 6, '--areas', 'areas.yaml', '--out', 'plan.txt')
    cli('view', 'plan.txt', '--areas', 'areas.yaml', '-o', 'plan.html')
    assert '"rules":' in (tmp_path / 'plan.html').read_text()
    cli('view', 'plan.txt', '-o', 'plain.html')
    assert '"rules":' not in (tmp_path / 'plain.html').read_text()
    for planner in ('hca', 'whca'):
        cli('simulate', *HALL, '--robots', 6, '--areas', 'areas.yaml', '--planner', planner)
    done = cli('simulate', '--controller', *HALL, '--robots', 3, '--areas', 'areas.yaml', '--faults', 'none')
    assert '3 reached, 0 left' in done.stdout


def test_layers_lie_over_the_map_that_a_plan_names(cli, tmp_path):
    """A keepout that comes later is seen by check, which was given no map."""
    (tmp_path / 'one.scen').write_text('version 1\n0\tx\t12\t7\t0\t3\t11\t3\t11\n')
    cli('plan', *HALL, '--scen', 'one.scen', '--out', 'plan.txt')
    cli('check', 'plan.txt')
    write(tmp_path, 'areas:\n- {kind: keepout, rectangle: [5, 0, 6, 7]}\n')
    said = cli('check', 'plan.txt', '--areas', 'areas.yaml', exit_code=None)
    assert said.returncode != 0 and 'obstacle' in said.stdout + said.stderr
