"""Pictures: read by a parser, and held against the plan."""

import math
import re
import xml.etree.ElementTree

import pytest

from hall import GOALS, hall, reserved, waits  # noqa: F401, hall is a fixture

SVG = '{http://www.w3.org/2000/svg}'


def picture(tmp_path, name='picture.svg'):
    return xml.etree.ElementTree.parse(tmp_path / name).getroot()


def titles(root, kind, tag):
    """The words of the signs on the map; those of the legend have none."""
    parts = [part for part in root.iter(SVG + tag) if kind in part.get('class', '').split()]
    return [part.find(SVG + 'title').text for part in parts if part.find(SVG + 'title') is not None]


def span(ticks):
    return str(ticks[0]) if len(ticks) == 1 else f'{ticks[0]}–{ticks[-1]}'


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
    left = [goal for goal, cell in zip(GOALS, hall[7]) if goal != cell]
    assert len(ends) == len(left)
    for x, y in left:  # each line ends at the ring of a goal
        assert any(math.dist((x + 0.5, y + 0.5), end) < 0.7 for end in ends)
    assert 'later' in {text.text for text in root.iter(SVG + 'text')}


@pytest.mark.parametrize('options, code, words', [
    (['--at', 999], 3, 'tick 999 is outside the plan: it has ticks 0 to'),
    (['--window', 4], 2, 'give --at TICK too'),
    (['--reservations'], 2, 'give --at TICK too'),
    (['--at', 1, '--window', 0], 2, '--window must be between 1'),
    (['--closures', 'none.txt'], 3, 'none.txt'),
])
def test_what_cannot_be_drawn_is_said(cli, hall, tmp_path, options, code, words):
    assert words in cli('view', 'plan.txt', '-o', 'picture.svg', *options, exit_code=code).stderr
    assert not (tmp_path / 'picture.svg').exists()
