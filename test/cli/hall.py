"""A hall with robots, doors and a plan, and what that plan means: worked out here from the plan's text alone."""

import re

import pytest

# A wall with one gap and four robots that want through it. The gap is a door that opens at tick 5; two cells close later.
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
GOALS = [robot[2:] for robot in ROBOTS]
DOORS = '7 3 0 4\n10 6 12 20\n10 6 30 -\n14 6 2 3\n'


@pytest.fixture
def hall(cli, tmp_path):
    """plan.txt, and what it says: cells[tick][robot]."""
    (tmp_path / 'hall.map').write_text(HALL)
    (tmp_path / 'hall.scen').write_text('version 1\n' + ''.join(
        '0\thall.map\t15\t7\t%d\t%d\t%d\t%d\t0\n' % robot for robot in ROBOTS))
    (tmp_path / 'doors.txt').write_text(DOORS)
    cli('plan', '--map', 'hall.map', '--scen', 'hall.scen', '--closures', 'doors.txt', '--planner', 'hca', '--out', 'plan.txt')
    return cells_of((tmp_path / 'plan.txt').read_text())


def cells_of(plan):
    lines = plan[plan.index('solution=') + 10:].splitlines()
    return [[(int(x), int(y)) for x, y in re.findall(r'\((\d+),(\d+)\)', line)] for line in lines]


def reserved(cells, tick, window):
    """{cell: {robot: ticks}} from tick to tick + window, both included, no further than the plan."""
    found = {}
    for t in range(tick, min(tick + window, len(cells) - 1) + 1):
        for robot, cell in enumerate(cells[t]):
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
