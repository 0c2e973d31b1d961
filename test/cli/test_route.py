"""route: every search finds a way that is one on the map; the pictures of docs."""

import json
import math
import re
import shlex
import shutil
import subprocess
import xml.etree.ElementTree as xml

import pytest
from conftest import CLI, SOURCE

SQUARE = ['auto', 'breadth', 'depth', 'deepening', 'dijkstra', 'astar', 'greedy', 'weighted', 'ida', 'fringe', 'bank',
          'bidirectional', 'jps', 'landmarks', 'subgoals', 'hpa', 'quadtree', 'navmesh', 'visibility', 'corridors',
          'waypoints']
OPTIMAL = ['auto', 'deepening', 'dijkstra', 'astar', 'ida', 'fringe', 'bank', 'bidirectional', 'jps', 'landmarks',
           'subgoals']
MAP = ['--make', 'rooms:40x30,room=6,seed=2']


def route(cli, *arguments, exit_code=0):
    return json.loads(cli('route', *arguments, '--json', exit_code=exit_code).stdout)


def is_step(a, b, connectivity):
    dx, dy = abs(a[0] - b[0]), abs(a[1] - b[1])
    return dx + dy == 1 or (connectivity == 8 and dx == dy == 1)


def test_the_list_has_every_search(cli):
    names = re.findall(r'^(\w+): ', cli('route', '--list').stdout, re.M)
    assert sorted(names) == sorted(SQUARE)


@pytest.mark.parametrize('search', SQUARE)
@pytest.mark.parametrize('connectivity', [4, 8])
def test_every_search_finds_a_way(cli, search, connectivity):
    found = route(cli, *MAP, '--queries', 8, '--search', search, '--connectivity', connectivity, '--expansions', 3000000)
    best = route(cli, *MAP, '--queries', 8, '--search', 'dijkstra', '--connectivity', connectivity)
    assert len(found['routes']) == 8
    for a, b in zip(found['routes'], best['routes']):
        assert a['ends'] == [a['cells'][0], a['cells'][-1]] == b['ends']
        assert all(is_step(p, q, connectivity) for p, q in zip(a['cells'], a['cells'][1:]))
        straight = len(a['cells']) - 1 - a['diagonals']
        assert abs(a['length'] - straight - a['diagonals'] * math.sqrt(2)) < 1e-4
        assert a['length'] >= b['length'] - 1e-6
        if search in OPTIMAL:
            assert abs(a['length'] - b['length']) < 1e-6


def test_a_plan_of_one_passes_the_check(cli, tmp_path):
    cli('route', *MAP, '--seed', 4, '--search', 'hpa', '-o', 'plan.txt')
    assert cli('check', 'plan.txt', '--connectivity', 8).stdout.startswith('ok')
    cli('route', '--make', 'open:30x20', '--from', '2,2', '--to', '27,15', '--footprint', '3x3', '--connectivity', 4,
        '--search', 'navmesh', '-o', 'large.txt')
    (tmp_path / 'fleet.txt').write_text('* footprint=3x3\n')
    cli('check', 'large.txt', '--fleet', 'fleet.txt')


def test_corners_shorten_the_way(cli):
    found = route(cli, '--make', 'open:40x40', '--from', '1,1', '--to', '30,12', '--corners')['routes'][0]
    assert found['corners'] == [[1, 1], [30, 12]]
    assert abs(found['sight_length'] - math.hypot(29, 11)) < 1e-6 < found['length'] - found['sight_length']


def test_clearance_keeps_off_the_walls(cli):
    def near_wall(*more):
        cells = route(cli, '--make', 'warehouse:41x31,shelf=6,aisle=5,lane=5', '--from', '2,15', '--to', '38,15', *more)
        return cells['routes'][0]['cells']
    assert len(near_wall('--clearance', 2)) >= len(near_wall())


def test_hexagons(cli, tmp_path):
    found = route(cli, '--make', 'open:20x20', '--from', '0,0', '--to', '0,4', '--connectivity', 6)
    assert found['routes'][0]['length'] == 4
    # Three rows down, each half a tile to the east.
    found = route(cli, '--make', 'open:20x20', '--from', '0,0', '--to', '2,4', '--connectivity', 6)
    assert found['routes'][0]['length'] == 4
    cli('route', '--make', 'random:20x20,obstacles=20', '--connectivity', 6, '-o', 'tiles.svg')
    assert xml.parse(tmp_path / 'tiles.svg').getroot().tag.endswith('svg')
    assert 'hexagonal' in cli('route', '--make', 'open:9x9', '--connectivity', 6, '--search', 'jps', exit_code=1).stderr


def test_no_path_and_stopped_early(cli, tmp_path):
    (tmp_path / 'apart.map').write_text('type octile\nheight 3\nwidth 3\nmap\n.@.\n.@.\n.@.\n')
    for search in SQUARE:
        done = cli('route', '--map', 'apart.map', '--from', '0,0', '--to', '2,2', '--search', search, exit_code=1)
        assert 'no path exists' in done.stdout
    done = cli('route', '--make', 'random:200x200,obstacles=30,seed=3', '--from', '5,4', '--to', '195,194', '--search',
               'dijkstra', '--expansions', 300, exit_code=1)
    assert 'stopped early (expansions)' in done.stdout
    done = cli('route', '--make', 'open:100x100', '--from', '0,0', '--to', '99,50', '--search', 'bank', '--set', 'nodes=50',
               '--set', 'grows=false', exit_code=1)
    assert 'stopped early' in done.stdout


@pytest.mark.parametrize('arguments, words', [
    (['--search', 'astra'], 'did you mean astar'),
    (['--search', 'jps', '--set', 'percent=3'], 'no search of this command has this parameter'),
    (['--search', 'weighted', '--set', 'percent=3'], 'between 100 and 10000'),
    (['--connectivity', '5'], 'must be 4, 6 or 8'),
    (['--diagonal', 'two'], 'root or tick'),
    (['--from', '1,1'], 'must be given together'),
    (['--from', '1,1', '--to', '99,0'], 'outside the map'),
    (['--from', '4294967296,0', '--to', '1,1'], '--from must be X,Y'),  # 0 in 32 bits
    (['--from', '0,0', '--to', '1,1', '--footprint', '4294967297x1'], '--footprint must be WxH'),
    (['--from', '1,1', '--to', '2,2', '--queries', '3'], 'not both'),
    (['--footprint', '2x'], 'WxH'),
    (['--queries', '2', '-o', 'plan.txt'], 'a single query'),
])
def test_wrong_command_lines_are_told(cli, arguments, words):
    assert words in cli('route', '--make', 'open:9x9', *arguments, exit_code=2).stderr


def test_terrain_is_refused_by_those_that_do_not_know_it(cli):
    # Maps of files have one kind of floor, so that only the library meets terrain; the list says who takes it.
    words = cli('route', '--list').stdout
    parts = dict(re.findall(r'^(\w+): .*\n.*\n  (.*)$', words, re.M))
    assert 'cost 1 only' in parts['jps'] and 'cost 1 only' not in parts['astar']


# ---- docs


def commands():
    text = (SOURCE / 'docs' / 'search.md').read_text()
    return [line for line in re.search(r'```sh\n(.*?)```', text, re.S).group(1).splitlines()
            if line.startswith('fleetweave route')]


def test_the_pictures_are_those_of_the_commands(tmp_path):
    shutil.copy(SOURCE / 'docs' / 'search-wall.map', tmp_path)
    assert len(commands()) == 5
    for line in commands():
        words = shlex.split(line)
        subprocess.run([CLI, *words[1:]], cwd=tmp_path, check=True, capture_output=True, timeout=60)
        name = words[words.index('-o') + 1]
        assert (tmp_path / name).read_text() == (SOURCE / 'docs' / name).read_text(), name


def test_the_numbers_are_those_of_the_commands(tmp_path):
    shutil.copy(SOURCE / 'docs' / 'search-wall.map', tmp_path)
    text = (SOURCE / 'docs' / 'search.md').read_text()
    for line in commands():
        words = shlex.split(line)
        out = subprocess.run([CLI, *words[1:]], cwd=tmp_path, check=True, capture_output=True, text=True, timeout=60).stdout
        name = words[words.index('-o') + 1]
        length = f'{float(re.search(r"^length +([0-9.]+)", out, re.M).group(1)):.2f}'
        expanded = re.search(r'^expanded +([0-9,]+)', out, re.M).group(1)
        row, = [row for row in text.splitlines() if row.startswith('|') and f'({name})' in row]
        cells = [cell.strip() for cell in row.split('|')]
        assert expanded in cells and length in cells, (name, expanded, length)
