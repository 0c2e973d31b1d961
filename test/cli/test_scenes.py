"""Headings, conflicts, figures and two plans beside each other, in a real browser."""

import json
import math
import re

import pytest

from hall import GOALS, cells_of, hall, waits  # noqa: F401, hall is a fixture
from test_fleet import room  # noqa: F401, a fixture
from test_layers import LOOK, go_to, look
from test_plan import PLAN


def place(page, robot, scene=0):
    """Where a robot's disc is, in pixels of the page."""
    return page.ask(f"""(({{view: own, tracks}}) => {{
      const box = stage.getBoundingClientRect();
      poseAt(tracks[{robot}], show.t, pose);
      return [box.x + own.left + (pose.x - camera.x) * camera.scale + own.width / 2,
              box.y + own.top + (pose.y - camera.y) * camera.scale + own.height / 2];
    }})(scenes[{scene}])""")


def rgba(page, colour):
    """A colour as `look` gives it."""
    text = page.ask(f'(pen.fillStyle = {colour}, pen.fillStyle)')
    return ','.join(str(int(text[i:i + 2], 16)) for i in (1, 3, 5)) + ',255'


# ---- headings

def test_shapes_turn_smoothly(cli, room, show):
    """Two ticks for a quarter turn of a bar of two cells: half of it at tick 1. The other robot has no heading."""
    cli('plan', *room, '--fleet', 'fleet.txt', '--out', 'plan.txt')
    view = show('plan.txt', '--fleet', 'fleet.txt', '--at', 0)
    assert view.ask('scene.tracks[1].yaws') is None
    floor, = look(view, [(4.7, 3.7)])
    far = [(0.5 + 1.3 * math.cos(a), 0.5 + 1.3 * math.sin(a)) for a in (0, math.pi / 8, math.pi / 4, math.pi / 2)]
    for tick, lies in [(0, 0), (0.5, 1), (1, 2), (2, 3)]:
        go_to(view, tick)
        assert math.isclose(view.ask('poseAt(scene.tracks[0], show.t, pose).yaw'), tick * math.pi / 4, abs_tol=1e-3)
        there, *_ = look(view, [far[lies]])
        assert there != floor
        assert tick in (0.5, 1) or look(view, [far[3 - lies]]) == [floor]
    view.ask('choose(0)')
    go_to(view, 1)
    assert 'turns to south · faces south-east' in view.ask('byId("panel").textContent')
    go_to(view, 3)
    assert 'drives · faces south ·' in view.ask('byId("panel").textContent')
    view.ask('choose(1)')
    view.see()
    assert 'faces' not in view.ask('byId("panel").textContent')


def test_nobody_spins_back(cli, show, tmp_path):
    """Left, left, left and left again is one turn to the left all the time."""
    (tmp_path / 'plan.txt').write_text(
        'agents=1\nmap_file=open:3x3\nsolver=hand\nsolved=1\nstarts=(1,1),\ngoals=(1,1),\nheadings=06420,\nsolution=\n'
        + ''.join(f'{t}:(1,1),\n' for t in range(5)))
    (tmp_path / 'fleet.txt').write_text('* turn_ticks=1\n')
    assert 'ok: 1 robot,' in cli('check', '--fleet', 'fleet.txt', 'plan.txt').stdout
    view = show('plan.txt', '--fleet', 'fleet.txt', '--at', 0)
    turned = view.ask('[0, 1, 2, 3, 4].map(t => poseAt(scene.tracks[0], t, pose).yaw)')
    assert [round(yaw / (math.pi / 2), 2) for yaw in turned] == [0, -1, -2, -3, -4]


def test_a_plan_with_headings_wants_its_fleet(cli, room):
    cli('plan', *room, '--fleet', 'fleet.txt', '--out', 'plan.txt')
    done = cli('view', 'plan.txt', '-o', 'page.html')
    assert done.stderr == ('fleetweave: note: plan.txt has headings for robot 0, but the robot has no turn_ticks; '
                           'give the --fleet FILE of `plan`\n')
    assert cli('view', 'plan.txt', '--fleet', 'fleet.txt', '-o', 'page.html').stderr == ''


# ---- conflicts

SPOILED = [
    ('2:(2,0)', '2:(1,1)'),
    ('3:(2,1)', '3:(0,2)'),
    ('0:(0,0)', '0:(1,0)'),
    ('4:(2,2)', '4:(2,1)'),
    ('1:(1,0),(1,2),\n2:(2,0),(0,2),\n3:(2,1),(0,1),', '1:(0,1),(1,2),\n2:(0,2),(0,2),\n3:(1,2),(0,1),'),
    ('1:(1,0),(1,2),\n2:(2,0),(0,2),\n3:(2,1),(0,1),', '1:(0,1),(1,2),\n2:(0,1),(0,2),\n3:(0,2),(0,1),'),
]


@pytest.mark.parametrize('old, new', SPOILED)
def test_the_page_says_what_check_says(cli, ring, show, tmp_path, old, new):
    (tmp_path / 'plan.txt').write_text(PLAN.replace(old, new))
    words = cli('check', 'plan.txt', exit_code=1).stdout.strip()
    view = show('plan.txt', '--at', 0)
    assert view.ask('byId("check").lastElementChild.textContent') == words
    assert view.ask('byId("check").classList.contains("alarm")')
    cell = [int(number) for number in re.search(r'\((\d+),(\d+)\)', words).groups()]
    tick = view.ask('scene.flaw.tick')
    on_ring = [(cell[0] + 0.5 + 0.62 * math.cos(a), cell[1] + 0.5 + 0.62 * math.sin(a)) for a in (0.7, 2.3, 3.9, 5.5)]
    go_to(view, tick - 2 if tick > 2 else tick + 2)
    before = look(view, on_ring)
    view.press('o')
    assert view.ask('show.t') == tick
    red = rgba(view, 'theme.alarm')
    after = look(view, on_ring)
    assert red in after and red not in before
    go_to(view, tick + 2 if tick <= 2 else 0)
    view.ask('byId("check").querySelector("button").click()')
    assert view.ask('show.t') == tick


def test_a_right_plan_has_no_ring(ring, show, tmp_path):
    (tmp_path / 'plan.txt').write_text(PLAN)
    view = show('plan.txt', '--at', 2)
    assert view.ask('byId("check").lastElementChild.textContent') == 'no conflict'
    assert view.ask('scene.flaw') is None
    assert view.ask('[...document.querySelectorAll(".faulty")].every(part => part.hidden)')
    view.press('o')
    assert view.ask('show.t') == 2


def test_what_cannot_be_checked_is_said(ring, show, tmp_path):
    (tmp_path / 'plan.txt').write_text(PLAN.replace('goals=(2,2)', 'goals=(1,1)'))
    view = show('plan.txt', '--at', 0)
    assert view.ask('byId("check").lastElementChild.textContent').startswith('cannot be checked: the goal of robot 0')
    view.press('o')


# ---- figures, and the robot under the pointer

def test_figures_are_those_of_the_plan(cli, hall, show):
    figures = json.loads(cli('plan', '--map', 'hall.map', '--scen', 'hall.scen', '--closures', 'doors.txt',
                             '--json').stdout)
    view = show('plan.txt', '--at', 0)
    facts = dict(view.ask('[...scene.caption.querySelectorAll("dl > div")].map('
                          'row => [row.firstChild.textContent, row.lastChild.textContent])'))
    assert facts['Sum of costs'] == str(figures['sum_of_costs']) and facts['Makespan'] == str(figures['makespan'])
    assert facts['Ticks waited'] == str(sum(b - a for _, _, a, b in waits(hall, GOALS)))


def test_the_pointer_tells_a_robots_state(hall, show):
    robot, (x, y), start, stop = waits(hall, GOALS)[0]
    view = show('plan.txt', '--at', start)
    assert view.ask('byId("tip").hidden')
    view.point_at(*place(view, robot))
    view.see()
    lines = view.ask('byId("tip").textContent').split('\n')
    assert lines[0] == f'Robot {robot} at ({x}, {y})'
    assert lines[1].startswith(f'waits from tick {start} to {stop}')
    assert lines[2] == 'goal (%d, %d)' % GOALS[robot] and lines[3].startswith('arrives at tick')
    view.ask('seek(data.scenes[0].end)')
    view.see()
    assert 'is on its goal' in view.ask('byId("tip").textContent')
    view.point_at(2, 2)
    view.see()
    assert view.ask('byId("tip").hidden')


# ---- two plans

@pytest.fixture
def two(cli, hall, tmp_path):
    """late.txt is the hall's plan, with everybody three ticks later."""
    text = (tmp_path / 'plan.txt').read_text()
    head, rows = text[:text.index('solution=') + 10], text[text.index('solution=') + 10:].splitlines()
    late = [rows[0].split(':')[1]] * 3 + [row.split(':')[1] for row in rows]
    (tmp_path / 'late.txt').write_text(head + ''.join(f'{t}:{row}\n' for t, row in enumerate(late)))
    return hall, cells_of((tmp_path / 'late.txt').read_text())


def test_two_plans_share_one_time_line(two, show):
    view = show('plan.txt', 'late.txt', '--at', 0)
    assert view.ask('scenes.map(one => one.name)') == ['hca, plan.txt', 'hca, late.txt']
    assert view.ask('Number(byId("time").max)') == len(two[1]) - 1
    for tick in (0, 2, 5, len(two[0]) + 1):
        go_to(view, tick)
        for scene, cells in enumerate(two):
            expected = [[x + 0.5, y + 0.5] for x, y in cells[min(tick, len(cells) - 1)]]
            assert view.ask(f'scenes[{scene}].tracks.map(track => {{ poseAt(track, show.t, pose); '
                            'return [pose.x, pose.y]; })') == expected
    texts = view.ask('["arrived", "arrived1"].map(id => byId(id).lastElementChild.textContent)')
    there = [sum(cell == goal for cell, goal in zip(cells[min(len(two[0]) + 1, len(cells) - 1)], GOALS)) for cells in two]
    assert texts == [f'{count} of 4' for count in there]
    assert view.ask('[...scenes[1].caption.querySelectorAll("dd")].map(part => part.textContent)')[1:4] == [
        f'{sum_of_costs(two[1])} (+12)', f'{len(two[1]) - 1} (+3)', f'{waited(two[1])} (+12)']


def sum_of_costs(cells):
    return sum(not (cells[t][r] == cells[t - 1][r] == goal) for t in range(1, len(cells)) for r, goal in enumerate(GOALS))


def waited(cells):
    return sum(b - a for _, _, a, b in waits(cells, GOALS))


def test_both_views_show_their_robots_and_can_be_pointed_at(two, show):
    view = show('plan.txt', 'late.txt', '--at', 3)
    for scene, cells in enumerate(two):
        view.see()  # the panel of a chosen robot takes room
        x, y = place(view, 2, scene)
        view.point_at(x, y)
        view.see()
        assert view.ask('byId("tip").textContent').startswith('Robot 2 at (%d, %d)\n' % cells[3][2])
        cell = cells[3][2]
        assert view.ask(f'(() => {{ view = scenes[{scene}].view; const at = [view.left, view.top]; '
                        f'return {LOOK}([[{cell[0]} + 0.3 + at[0] / camera.scale, '
                        f'{cell[1]} + 0.3 + at[1] / camera.scale]])[0]; }})()') == rgba(view, 'colours[2]')
        view.point_at(2, 2)
        view.click_at(x, y)
        assert view.ask('show.chosen') == 2
        view.press('Escape')
    view.ask('choose(1)')
    view.see()
    lines = view.ask('byId("panel").textContent').split('\n')
    assert [line.split(' · ')[0] for line in lines] == [
        'hca, plan.txt: Robot 1 at (%d, %d)' % two[0][3][1], 'hca, late.txt: Robot 1 at (%d, %d)' % two[1][3][1]]


def test_reservations_of_a_plan_that_has_ended_stay(two, show):
    view = show('plan.txt', 'late.txt', '--at', len(two[0]) + 1, '--reservations')
    assert view.ask('scenes.map(one => one.booked.count)')[0] == 4  # each robot on its goal


@pytest.mark.parametrize('size, is_beside', [((1400, 600), True), ((500, 1000), False)])
def test_views_take_the_room_there_is(two, show, size, is_beside):
    view = show('plan.txt', 'late.txt', '--at', 0, size=size)
    first, second = view.ask('scenes.map(one => [one.view.left, one.view.top])')
    assert (second[0] > first[0], second[1] > first[1]) == (is_beside, not is_beside)
    boxes = view.ask('scenes.map(one => { const a = one.caption.getBoundingClientRect(), '
                     'b = stage.getBoundingClientRect(); return [a.bottom - b.top, one.view.top]; })')
    assert all(bottom <= top + 1 for bottom, top in boxes)


def test_conflicts_of_either_plan_are_marked(cli, ring, show, tmp_path):
    (tmp_path / 'right.txt').write_text(PLAN)
    (tmp_path / 'wrong.txt').write_text(PLAN.replace(*SPOILED[5]))
    view = show('right.txt', 'wrong.txt', '--at', 0)
    assert view.ask('["check", "check1"].map(id => byId(id).classList.contains("alarm"))') == [False, True]
    view.press('o')
    assert view.ask('show.t') == 3


def test_plans_that_do_not_go_together(cli, ring, hall, tmp_path):
    (tmp_path / 'other.txt').write_text(PLAN)
    assert 'must be for the same map' in cli('view', 'plan.txt', 'other.txt', '-o', 'a.html', exit_code=3).stderr
    assert 'a picture shows one plan' in cli('view', 'plan.txt', 'plan.txt', '-o', 'a.svg', exit_code=2).stderr
    assert 'unexpected argument "c"' in cli('view', 'a', 'b', 'c', '-o', 'a.html', exit_code=2).stderr
    assert 'none.txt' in cli('view', 'plan.txt', 'none.txt', '-o', 'a.html', exit_code=3).stderr
    assert not (tmp_path / 'a.html').exists()


def test_twice_500_robots_and_500_ticks_play(show, tmp_path):
    """Each robot drives along its own row; in the second plan the odd ones wait on the way."""
    def write(name, column):
        rows = range(500)
        cells = lambda t: ''.join(f'({column(t, y)},{y}),' for y in rows)
        (tmp_path / name).write_text(
            f'agents=500\nmap_file=open:501x500\nsolver=hand\nsolved=1\nstarts={cells(0)}\ngoals={cells(500)}\n'
            'solution=\n' + ''.join(f'{t}:{cells(t)}\n' for t in range(501)))
    write('a.txt', lambda t, y: t)
    write('b.txt', lambda t, y: min(t, 100) + max(0, t - 300) if y % 2 else t)
    view = show('a.txt', 'b.txt', '--at', 0, '--reservations')
    assert (tmp_path / 'page.html').stat().st_size < 1_000_000
    view.ask('window.frames_ = 0; const drawn = draw; draw = () => { frames_++; drawn(); }; '
             'setSpeed(16); seek(480); setPlaying(true)')
    view.wait('!isPlaying', 120)
    assert view.ask('frames_') > 3
    assert view.ask('["ongoal", "ongoal1"].map(id => byId(id).lastElementChild.textContent)') == ['500', '500']
    assert view.ask('byId("waited1").lastElementChild.textContent') == '50000 (+50000)'
