"""Reservations, waits and closures: in pictures by a parser, in pages by a real browser, against the plan."""

import json
import re
import xml.etree.ElementTree

import pytest

from browser import Page
from conftest import chromium
from test_pages import RUN

SVG = '{http://www.w3.org/2000/svg}'

# A wall with one gap and four robots that want through it; the gap is a door that opens at tick 5, and two cells close later.
HALL = """type octile
height 7
width 15
map
.......@.......
.......@.......
.......@.......
...............
.......@.......
.......@.......
.......@.......
"""
ROBOTS = [(2, 1, 12, 5), (2, 5, 12, 1), (11, 3, 3, 4), (13, 1, 1, 2)]
DOORS = '7 3 0 4\n10 6 12 20\n10 6 30 -\n14 6 2 3\n'


@pytest.fixture
def hall(cli, tmp_path):
    """plan.txt, and what it says: cells[tick][robot]."""
    (tmp_path / 'hall.map').write_text(HALL)
    (tmp_path / 'hall.scen').write_text('version 1\n' + ''.join(
        '0\thall.map\t15\t7\t%d\t%d\t%d\t%d\t0\n' % robot for robot in ROBOTS))
    (tmp_path / 'doors.txt').write_text(DOORS)
    cli('plan', '--map', 'hall.map', '--scen', 'hall.scen', '--closures', 'doors.txt', '--out', 'plan.txt')
    return cells_of((tmp_path / 'plan.txt').read_text())


def cells_of(plan):
    lines = plan[plan.index('solution=') + 10:].splitlines()
    return [[(int(x), int(y)) for x, y in re.findall(r'\((\d+),(\d+)\)', line)] for line in lines]


def at(cells, tick):
    return cells[min(tick, len(cells) - 1)]


def reserved(cells, tick, window):
    """{cell: {robot: ticks}} from tick to tick + window, both included, no further than the plan."""
    found = {}
    for t in range(tick, min(tick + window, len(cells) - 1) + 1):
        for robot, cell in enumerate(at(cells, t)):
            found.setdefault(cell, {}).setdefault(robot, []).append(t)
    return found


def waits(cells, goals):
    """[(robot, cell, from, to)] of stops away from the goal, for robots of one tick per move."""
    found = []
    for robot, goal in enumerate(goals):
        way = [row[robot] for row in cells]
        tick = 0
        while tick < len(way) - 1:
            last = tick
            while last < len(way) - 1 and way[last + 1] == way[tick]:
                last += 1
            if last > tick and way[tick] != goal:
                found.append((robot, way[tick], tick, last))
            tick = last + 1
    return found


GOALS = [robot[2:] for robot in ROBOTS]


def picture(tmp_path, name='picture.svg'):
    return xml.etree.ElementTree.parse(tmp_path / name).getroot()


def titles(root, kind, tag):
    """The words of the signs on the map; those of the legend have none."""
    parts = [part for part in root.iter(SVG + tag) if kind in part.get('class', '').split()]
    return [part.find(SVG + 'title').text for part in parts if part.find(SVG + 'title') is not None]


def span(ticks):
    return str(ticks[0]) if len(ticks) == 1 else f'{ticks[0]}–{ticks[-1]}'


# ---- pictures


def test_a_picture_has_every_wait(cli, hall, tmp_path):
    expected = sorted(f'robot {r} waits on ({x},{y}), ticks {a} to {b}' for r, (x, y), a, b in waits(hall, GOALS))
    assert expected  # the door and the gap make somebody wait
    for options in ([], ['--at', 4], ['--at', 4, '--window', 3]):
        cli('view', 'plan.txt', '-o', 'picture.svg', *options)
        root = picture(tmp_path)
        assert sorted(titles(root, 'wait', 'g')) == expected
        numbers = sorted(int(g.find(SVG + 'text').text) for g in root.iter(SVG + 'g') if 'wait' in g.get('class', ''))
        assert numbers == sorted(b - a for _, _, a, b in waits(hall, GOALS))


@pytest.mark.parametrize('tick, window', [(0, 8), (6, 5), (9, 1), (3, 1000)])
def test_a_picture_has_every_reservation_of_its_window(cli, hall, tmp_path, tick, window):
    cli('view', 'plan.txt', '-o', 'picture.svg', '--at', tick, '--window', window, '--reservations')
    expected = [f'robot {robot} keeps ({x},{y}), ticks {span(ticks)}'
                for (x, y), owners in reserved(hall, tick, window).items() for robot, ticks in split(owners)]
    root = picture(tmp_path)
    assert sorted(titles(root, 'reserved', 'rect')) == sorted(expected)
    labels = next(g for g in root.iter(SVG + 'g') if g.get('class') == 'ticks')
    assert sorted(text.text for text in labels) == sorted(words.split('ticks ')[1] for words in expected)
    discs = [(float(c.get('cx')), float(c.get('cy'))) for c in root.iter(SVG + 'circle') if c.get('class') == 'disc']
    assert discs == [(x + 0.5, y + 0.5) for x, y in hall[tick]]


def split(owners):
    """[(robot, ticks without a hole)]"""
    for robot, ticks in owners.items():
        run = [ticks[0]]
        for tick in ticks[1:]:
            if tick != run[-1] + 1:
                yield robot, run
                run = []
            run.append(tick)
        yield robot, run


def test_bands_of_one_cell_lie_below_each_other_in_time_order(cli, hall, tmp_path):
    cli('view', 'plan.txt', '-o', 'picture.svg', '--at', 0, '--reservations', '--closures', 'doors.txt')
    bands = [(float(rect.get('y')), rect.find(SVG + 'title').text) for rect in picture(tmp_path).iter(SVG + 'rect')
             if rect.get('x') == '7.03' and 3 <= float(rect.get('y')) < 4]
    assert len(bands) == 5 and 'closed, ticks 0–4' in bands[0][1]  # the door, then all four robots
    assert bands == sorted(bands)
    assert [int(re.search(r'ticks (\d+)', words).group(1)) for _, words in bands] == sorted(
        int(re.search(r'ticks (\d+)', words).group(1)) for _, words in bands)
    heights = {rect.get('height') for rect in picture(tmp_path).iter(SVG + 'rect') if rect.get('x') == '7.03'}
    assert heights == {'0.140'}  # a fifth of a cell, and a gap


def test_reservations_last_for_robust_ticks(cli, hall, tmp_path):
    cli('view', 'plan.txt', '-o', 'picture.svg', '--at', 2, '--window', 1, '--reservations', '--robust-ticks', 1)
    x, y = hall[1][0]
    assert hall[2][0] != (x, y) and f'robot 0 keeps ({x},{y}), ticks 2' in titles(picture(tmp_path), 'reserved', 'rect')


def test_closures_in_pictures(cli, hall, tmp_path):
    cli('view', 'plan.txt', '-o', 'picture.svg', '--closures', 'doors.txt')
    assert sorted(titles(picture(tmp_path), 'closed', 'rect')) == [
        '(10,6) is closed, ticks 12–20', '(10,6) is closed, ticks 30–∞', '(14,6) is closed, ticks 2–3',
        '(7,3) is closed, ticks 0–4']
    cli('view', 'plan.txt', '-o', 'picture.svg', '--closures', 'doors.txt', '--at', 5)
    assert len(titles(picture(tmp_path), 'closed', 'rect')) == 2  # the door is open, and (14,6) too
    cli('view', 'plan.txt', '-o', 'picture.svg')
    assert not titles(picture(tmp_path), 'closed', 'rect')


def test_a_plan_cut_short_shows_the_rest_of_the_way(cli, hall, tmp_path):
    text = (tmp_path / 'plan.txt').read_text().replace('solved=1', 'solved=0')
    (tmp_path / 'plan.txt').write_text(text[:text.index('\n8:') + 1])
    cli('view', 'plan.txt', '-o', 'picture.svg', '--at', 0, '--window', 7, '--reservations')
    root = picture(tmp_path)
    ends = {tuple(float(v) for v in line.get('points').split()[-1].split(',')) for line in root.iter(SVG + 'polyline')
            if line.get('class') == 'rest'}
    assert {(int(x), int(y)) for x, y in ends} == {goal for goal, cell in zip(GOALS, hall[7]) if goal != cell}
    assert 'later' in {text.text for text in root.iter(SVG + 'text')}


@pytest.mark.parametrize('options, code, words', [
    (['--at', 999], 3, 'there is no tick 999: the plan ends at tick'),
    (['--window', 4], 2, 'give --at TICK too'),
    (['--reservations'], 2, 'give --at TICK too'),
    (['--at', 1, '--window', 0], 2, '--window must be between 1'),
    (['--closures', 'none.txt'], 3, 'none.txt'),
])
def test_what_cannot_be_drawn_is_said(cli, hall, tmp_path, options, code, words):
    assert words in cli('view', 'plan.txt', '-o', 'picture.svg', *options, exit_code=code).stderr
    assert not (tmp_path / 'picture.svg').exists()


# ---- pages

# Colours at points of the map, in cells, from a copy of what is on the screen.
LOOK = """(points => {
  const copy = document.createElement('canvas');
  copy.width = stage.width;
  copy.height = stage.height;
  const brush = copy.getContext('2d', {willReadFrequently: true});
  brush.drawImage(stage, 0, 0);
  return points.map(([x, y]) => brush.getImageData(Math.round(screenX(x)), Math.round(screenY(y)), 1, 1).data.join());
})"""


def look(page, points):
    page.see()
    return page.ask(f'{LOOK}({json.dumps(points)})')


def tinted(page):
    """The cells beside the wall that are not floor at their upper or lower right, where no robot, line or word is."""
    places = [(x, y) for y in range(7) for x in range(15) if x != 7]
    floor, = look(page, [(0.93, 6.94)])
    upper = look(page, [(x + 0.93, y + 0.06) for x, y in places])
    lower = look(page, [(x + 0.93, y + 0.94) for x, y in places])
    return {place for place, *colours in zip(places, upper, lower) if set(colours) != {floor}}


@pytest.fixture
def page(cli, hall, tmp_path):
    """page(options) makes a page of the hall's plan and opens it."""
    pages = []

    def make(*options):
        cli('view', 'plan.txt', '-o', 'page.html', *options)
        pages.append(Page(chromium(), tmp_path / f'browser{len(pages)}', f'file://{tmp_path / "page.html"}'))
        pages[-1].see()
        return pages[-1]

    yield make
    for one in pages:
        one.close()
        assert one.errors == []


def go_to(page, tick):
    page.ask(f'seek({tick})')
    page.see()


def test_reserved_cells_are_those_of_the_plan(page, hall):
    view = page('--at', 6, '--window', 5)
    assert view.ask('show.t') == 6 and not view.ask('isPlaying') and view.ask('show.window') == 5
    assert tinted(view) == set()
    view.press('r')
    for tick, window in [(6, 5), (6, 6), (2, 6), (len(hall) - 1, 6)]:
        go_to(view, tick)
        while view.ask('show.window') < window:
            view.press('.')
        assert tinted(view) == {cell for cell in reserved(hall, tick, window) if cell[0] != 7}
    view.press(',')
    assert view.ask('show.window') == 5
    view.click('reservations')
    assert tinted(view) == set()


def test_reservations_of_the_page_are_those_of_the_plan_at_every_tick(page, hall):
    view = page('--reservations', '--at', 0)
    assert view.ask('show.reservations') and view.ask('byId("reservations").checked')
    for tick in range(len(hall)):
        for window in (1, 9):
            view.ask(f'findBooked({tick}, {window})')
            shown = view.ask('[...booked.items.subarray(0, booked.count)].map('
                             'i => [stays.xs[i], stays.ys[i], stays.robots[i], stays.from[i], stays.to[i]])')
            got = {(x, y, r, t) for x, y, r, a, b in shown for t in range(max(a, tick), min(b, tick + window) + 1)}
            assert got == {(x, y, r, t) for (x, y), owners in reserved(hall, tick, window).items()
                           for r, ticks in owners.items() for t in ticks}


def test_words_say_how_many_wait_and_how_many_are_there(page, hall):
    view = page('--at', 0)
    stops = waits(hall, GOALS)
    for tick in range(len(hall)):
        go_to(view, tick)
        texts = view.ask('["waiting", "ongoal"].map(id => byId(id).lastElementChild.textContent)')
        waiting = sum(a <= tick < b for _, _, a, b in stops)
        assert texts == [str(waiting), str(sum(cell == goal for cell, goal in zip(hall[tick], GOALS)))]


def test_waits_are_marked_and_can_be_switched_off(page, hall):
    robot, cell, start, _ = waits(hall, GOALS)[0]
    view = page('--at', start)
    reach = view.ask('data.radius + 2.5 / camera.scale')
    below = [(cell[0] + 0.5, cell[1] + 0.5 + reach)]
    marked = look(view, below)
    view.press('w')
    assert look(view, below) != marked and not view.ask('show.waits')
    view.click('waits')
    assert look(view, below) == marked
    view.ask(f'choose({robot})')
    view.see()
    assert f'waits from tick {start} to' in view.ask('byId("panel").textContent')


def test_closures_show_at_their_ticks(page):
    view = page('--closures', 'doors.txt', '--at', 0)
    floor, = look(view, [(0.93, 6.94)])
    line = 0.5 / view.ask('camera.scale')  # half a pixel
    faint, = look(view, [(9.5, 6 + line)])  # the line between two cells

    def state(x=10):
        inside = set(look(view, [(x + 0.2 + 0.02 * i, 6.5) for i in range(30)]))
        edge = set(look(view, [(x + 0.1 + 0.02 * i, 6 + line) for i in range(40)]))
        return 'hatched' if inside != {floor} else 'outlined' if edge - {floor, faint} else 'open'

    states = {}
    for tick in (0, 2, 3, 4, 11, 12, 16):
        go_to(view, tick)
        states[tick] = state(), state(14)
    assert states == {
        0: ('outlined', 'outlined'), 2: ('outlined', 'hatched'), 3: ('outlined', 'hatched'), 4: ('outlined', 'open'),
        11: ('outlined', 'open'), 12: ('hatched', 'open'), 16: ('hatched', 'open')}
    view.press('c')
    assert state() == 'open'
    go_to(view, 11)
    assert state() == 'open'
    view.click('closures')
    assert state() == 'outlined'


def test_a_page_without_closures_has_no_switch_for_them(page):
    view = page()
    assert view.ask('[...document.querySelectorAll(".closing")].every(part => part.hidden)')
    assert not view.ask('byId("reservations").closest("label").hidden')


def test_a_plan_cut_short_shows_the_rest_in_the_page(page, hall, tmp_path):
    text = (tmp_path / 'plan.txt').read_text().replace('solved=1', 'solved=0')
    (tmp_path / 'plan.txt').write_text(text[:text.index('\n2:') + 1])
    view = page('--at', 0)
    (x, y), (gx, gy) = hall[1][3], GOALS[3]
    line = [(x + 0.5 + (gx - x) * i / 400, y + 0.5 + (gy - y) * i / 400) for i in range(100)]
    plain = look(view, line)
    view.ask('choose(3)')
    changed = sum(a != b for a, b in zip(plain, look(view, line)))
    assert 20 < changed < 95  # dashes


def test_shapes_move_with_their_robots(page, hall, tmp_path):
    view = page('--at', 0)
    text = (tmp_path / 'page.html').read_text()
    assert text.count('"shapes":[\n"",') == 1  # robots of one cell have none
    (tmp_path / 'page.html').write_text(text.replace('"shapes":[\n"",', '"shapes":[\n"AACA",'))  # (0,0) and (1,0)
    view.ask('location.reload()')
    view.wait('typeof shapes === "object" && hasShapes')
    floor, = look(view, [(0.93, 6.94)])
    for tick in (0, 1):
        go_to(view, tick)
        x, y = hall[tick][0]
        assert look(view, [(x + 1.93, y + 0.06), (x + 2.06, y + 0.06)]) != [floor] * 2
        assert look(view, [(x + 2.06, y + 0.06)]) == [floor]


def test_a_run_has_no_layers_of_a_plan(cli, page, tmp_path):
    (tmp_path / 'run.txt').write_text(RUN)
    view = page('--at', 0)
    cli('replay', 'run.txt', '-o', 'page.html')
    view.ask('location.reload()')
    view.wait('typeof data === "object" && data.kind === "run"')
    assert view.ask('[...document.querySelectorAll(".plan")].every(part => part.hidden)')
    for key in 'rwc':
        view.press(key)
    view.see()


def test_the_window_slider_keeps_its_arrow_keys(page):
    view = page('--at', 3)
    view.ask('byId("window").focus()')
    view.press('ArrowRight')
    assert (view.ask('show.window'), view.ask('show.t')) == (9, 3)
    view.ask('stage.focus()')
    view.press('ArrowRight')
    assert (view.ask('show.window'), view.ask('show.t')) == (9, 4)
