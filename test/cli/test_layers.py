"""Reservations, waits and closures in the page: in a real browser, against the plan."""

import json

import pytest

from hall import GOALS, hall, reserved, waits  # noqa: F401, hall is a fixture
from test_pages import RUN

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
def page(hall, show):
    """page(options) makes a page of the hall's plan and opens it."""
    return lambda *options: show('plan.txt', *options)


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
            shown = view.ask('(({reservations, booked}) => [...booked.items.subarray(0, booked.count)].map('
                             'i => ["xs", "ys", "robots", "from", "to"].map(name => reservations[name][i])))(scene)')
            got = {(x, y, r, t) for x, y, r, a, b in shown for t in range(max(a, tick), min(b, tick + window) + 1)}
            assert got == {(x, y, r, t) for (x, y), owners in reserved(hall, tick, window).items()
                           for r, ticks in owners.items() for t in ticks}


def test_texts_say_how_many_wait_and_how_many_are_there(page, hall):
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
    assert text.count('"footprints":[\n"",') == 1  # robots of one cell have none
    (tmp_path / 'page.html').write_text(text.replace('"footprints":[\n"",', '"footprints":[\n"AACA",'))  # (0,0) and (1,0)
    view.ask('location.reload()')
    view.wait('typeof scenes === "object" && scene.hasShapes')
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
