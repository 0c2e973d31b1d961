"""The player in a real browser: where robots are drawn, keys, following, what it tells to those who cannot see it, and cost."""

import json
import re

import pytest

from hall import GOALS, cells_of, hall, waits  # noqa: F401, hall is a fixture
from test_layers import go_to, look
from test_scenes import place, rgba


@pytest.fixture
def fleet(cli, tmp_path):
    """plan.txt with 40 robots in a warehouse: cells[tick][robot]."""
    cli('plan', '--make', 'warehouse:31x17,seed=1', '--robots', 40, '--out', 'plan.txt')
    return cells_of((tmp_path / 'plan.txt').read_text())


def test_each_robot_is_drawn_where_the_plan_says(fleet, show):
    """Pixels: the robot's own colour a little beside the middle of its cell, and the floor's in cells of nobody."""
    view = show('plan.txt', '--at', 0)
    view.ask('byId("labels").click(), byId("goals").click(), byId("waits").click()')
    colours = [rgba(view, f'colours[{robot}]') for robot in range(40)]
    for tick in (0, 1, 7, len(fleet) // 2, len(fleet) - 1):
        go_to(view, tick)
        assert look(view, [(x + 0.5, y + 0.5) for x, y in fleet[tick]]) == colours
        assert look(view, [(x + 0.7, y + 0.3) for x, y in fleet[tick]]) == colours
        taken = set(fleet[tick])
        empty = [(x, 1) for x in range(31) if (x, 1) not in taken]
        assert not set(look(view, [(x + 0.5, y + 0.5) for x, y in empty])) & set(colours)


def test_between_two_ticks_robots_are_between_two_cells(fleet, show):
    view = show('plan.txt', '--at', 0)
    view.ask('byId("labels").click(), byId("goals").click(), byId("waits").click()')
    for tick in (2, 9):
        go_to(view, tick + 0.5)
        between = [((a + c) / 2 + 0.5, (b + d) / 2 + 0.5) for (a, b), (c, d) in zip(fleet[tick], fleet[tick + 1])]
        assert look(view, between) == [rgba(view, f'colours[{robot}]') for robot in range(40)]


def test_it_moves_by_itself_and_stops_at_the_end(fleet, show):
    view = show('plan.txt')
    view.wait('isPlaying && show.t > 0')
    assert view.ask('byId("play").textContent') == 'Pause'
    view.press(' ')
    assert not view.ask('isPlaying')
    before = view.ask('show.t')
    view.see()
    assert view.ask('show.t') == before
    view.ask('setSpeed(16)')
    view.press(' ')
    view.wait(f'show.t === {len(fleet) - 1} && !isPlaying', 60)
    assert view.ask('byId("arrived").lastElementChild.textContent') == '40 of 40'


def test_keys(fleet, show):
    view = show('plan.txt', '--at', 5)
    tick = lambda: view.ask('show.t')
    steps = [('ArrowRight', 6), ('ArrowLeft', 5), ('ArrowLeft', 4), ('End', len(fleet) - 1), ('Home', 0)]
    for key, expected in steps:
        view.press(key)
        assert tick() == expected, key
    for key, question, expected in [
            (']', 'speed', 2), ('[', 'speed', 1), ('n', 'show.chosen', 0), ('n', 'show.chosen', 1),
            ('p', 'show.chosen', 0), ('Escape', 'show.chosen', -1), ('l', 'show.labels', False),
            ('g', 'show.goals', False), ('t', 'show.paths', True), ('?', 'byId("help").hidden', False)]:
        view.press(key)
        assert view.ask(question) == expected, key
    # In a field for numbers a key is a number.
    view.ask('byId("robot").focus()')
    view.press('ArrowRight')
    assert tick() == 0


def test_the_time_line_can_be_dragged(fleet, show):
    view = show('plan.txt')
    view.click('time')
    assert not view.ask('isPlaying')
    assert abs(view.ask('show.t') - (len(fleet) - 1) / 2) < 2


def test_follow_keeps_the_robot_in_the_middle(fleet, show):
    view = show('plan.txt', '--at', 0)
    view.ask('choose(7); zoom(4, ...middle())')
    for tick in (0, 4, 9):
        go_to(view, tick)
        x, y = fleet[tick][7]
        assert view.ask('[camera.x, camera.y]') == [x + 0.5, y + 0.5]
        box = view.ask('(r => [r.x + r.width / 2, r.y + r.height / 2])(stage.getBoundingClientRect())')
        assert place(view, 7) == pytest.approx(box, abs=0.6)
    view.press('f')
    go_to(view, len(fleet) - 1)
    assert view.ask('[camera.x, camera.y]') == [fleet[9][7][0] + 0.5, fleet[9][7][1] + 0.5]
    view.press('0')
    assert view.ask('camera.scale === camera.fitted')


def test_hover_tells_for_whom_a_robot_waits(hall, show):
    """The door opens at tick 5; behind it one goes after the other."""
    told = {}
    for robot, _, start, stop in waits(hall, GOALS):
        view = show('plan.txt', '--closures', 'doors.txt', '--at', start)
        view.point_at(*place(view, robot))
        view.see()
        text = view.ask('byId("tip").textContent')
        told[robot, start] = re.search(rf'waits from tick {start} to {stop}(.*)', text).group(1)
        ahead = hall[stop + 1][robot] if stop + 1 < len(hall) else None
        others = [[r for r, cell in enumerate(hall[t]) if r != robot and cell == ahead] for t in range(start, stop + 1)]
        last = next((who[0] for who in reversed(others) if who), None)
        if last is not None:
            assert told[robot, start] == f' for robot {last}'
        elif ahead == (7, 3) and start <= 4:
            assert told[robot, start] == ' for a closure'
        else:
            assert told[robot, start] == ''
    assert ' for a closure' in told.values() and any('for robot' in text for text in told.values()), told


def test_everything_can_be_named(fleet, show):
    """Each control has a name in the accessibility tree; the canvas says what it is, the clock is told in words."""
    view = show('plan.txt', '--at', 3)
    nodes = view.call('Accessibility.getFullAXTree')['nodes']
    kinds = ('button', 'slider', 'checkbox', 'combobox', 'spinbutton', 'image', 'img')
    named = [(node['role']['value'], node['name']['value'].strip()) for node in nodes
             if not node['ignored'] and node['role']['value'] in kinds]
    assert len(named) > 12 and all(name for _, name in named), named
    assert any('40 robots on a map of 31 by 17 cells' == name for _, name in named)
    assert view.ask('byId("time").getAttribute("aria-valuetext")').startswith('tick 3 of ')


@pytest.mark.parametrize('scheme', ['light', 'dark'])
def test_words_can_be_read_in_light_and_dark(fleet, show, scheme):
    """Contrast of WCAG: 4.5 for text, 3 for what is drawn on the floor."""
    view = show('plan.txt', '--at', 3)
    view.call('Emulation.setEmulatedMedia', features=[{'name': 'prefers-color-scheme', 'value': scheme}])
    view.wait(f'matchMedia("(prefers-color-scheme: {scheme})").matches')
    view.see()
    colours = {name: [int(n) for n in rgba(view, f'theme.{name}').split(',')[:3]]
               for name in ('page', 'floor', 'wall', 'text', 'quiet', 'accent', 'alarm', 'wait')}
    for front, back, least in [('text', 'page', 7), ('text', 'floor', 7), ('quiet', 'page', 4.5), ('alarm', 'page', 4.5),
                               ('wall', 'floor', 3), ('wait', 'floor', 3), ('accent', 'floor', 3)]:
        assert contrast(colours[front], colours[back]) >= least, (front, back)
    assert (luminance(colours['page']) > 0.5) == (scheme == 'light')
    there, = look(view, [(0.93, 0.5)])
    assert there != rgba(view, 'theme.page')  # painted anew, not left as it was


def luminance(colour):
    linear = [c / 255 / 12.92 if c <= 10 else ((c / 255 + 0.055) / 1.055) ** 2.4 for c in colour]
    return sum(weight * c for weight, c in zip((0.2126, 0.7152, 0.0722), linear))


def contrast(a, b):
    high, low = sorted((luminance(a), luminance(b)), reverse=True)
    return (high + 0.05) / (low + 0.05)


# Counts what the pen is asked for in a frame, and adds up the time that scripts take for it.
COUNT = """(() => {
  const drawn = draw, told = drawTexts, kept = {};
  window.cost = {frames: 0, calls: 0, ms: 0};
  for (const name of ['arc', 'fill', 'stroke', 'fillRect', 'fillText', 'lineTo', 'moveTo', 'drawImage']) {
    kept[name] = pen[name];
    pen[name] = function (...words) { cost.calls++; return kept[name].apply(pen, words); };
  }
  draw = () => { const begin = performance.now(); drawn(); cost.ms += performance.now() - begin; cost.frames++; };
  drawTexts = () => { const begin = performance.now(); told(); cost.ms += performance.now() - begin; };
})()"""


def test_500_robots_and_500_ticks_are_fluid(show, tmp_path, record_property):
    """The work of a frame is bounded by the robots, whatever the length of the plan: counted in calls of the pen."""
    column = lambda t, y: min(t, 100 + y % 7) + max(0, t - 140) if y % 2 else t
    cells = lambda t: ''.join(f'({column(t, y)},{y}),' for y in range(500))
    (tmp_path / 'plan.txt').write_text(
        f'agents=500\nmap_file=open:501x500\nsolver=hand\nsolved=1\nstarts={cells(0)}\ngoals={cells(500)}\n'
        'solution=\n' + ''.join(f'{t}:{cells(t)}\n' for t in range(501)))
    view = show('plan.txt', '--at', 0)
    view.ask(COUNT)
    per_frame = {}
    for name, change in [('robots', ''), ('reservations', 'byId("reservations").click()'),
                         ('paths', 'byId("paths").click()')]:
        view.ask(f'{change}; seek(90); cost = {{frames: 0, calls: 0, ms: 0}}; setSpeed(16); setPlaying(true)')
        view.wait('cost.frames >= 20 || !isPlaying', 120)
        cost = view.ask('setPlaying(false), cost')
        per_frame[name] = {key: round(cost[key] / cost['frames'], 2) for key in ('calls', 'ms')}
    record_property('per_frame', json.dumps(per_frame))
    print('per frame of 500 robots:', json.dumps(per_frame))
    assert per_frame['robots']['calls'] < 8 * 500
    assert per_frame['reservations']['calls'] < 8 * 500 + 500 * 10
