"""view and replay: pages that play in a real browser, and pictures."""

import html
import json
import re
import shlex
import shutil
import xml.etree.ElementTree

import pytest

from conftest import SOURCE

NASTY = '</script><script>alert(1)</script>"&\'<b>'


def plan(cli, *arguments):
    cli('plan', '--make', 'warehouse:31x17,seed=1', '--robots', 12, *arguments, '--out', 'plan.txt')


def test_the_page_has_every_script_as_it_is_written(cli, tmp_path):
    """The build embeds the files of src/view/player: nothing is lost or changed by the quoting."""
    plan(cli)
    cli('view', 'plan.txt', '-o', 'page.html')
    page = (tmp_path / 'page.html').read_text()
    files = [path for path in sorted((SOURCE / 'src/view/player').iterdir()) if path.suffix in ('.js', '.css')]
    assert len(files) > 5
    for path in files:
        assert path.read_text().rstrip('\n') in page, path.name


def test_a_plan_plays_to_its_end(cli, open_page):
    figures = json.loads(cli('plan', '--make', 'warehouse:31x17,seed=1', '--robots', 12, '--out', 'plan.txt',
                             '--json').stdout)
    cli('view', 'plan.txt', '-o', 'page.html')
    dom, report = open_page('page.html')
    assert (report['robots'], report['onGoal'], report['arrived'], report['outside']) == (12, 12, 12, 0)
    assert report['end'] == report['played'] == figures['makespan']
    assert f"<dd>{figures['sum_of_costs']}</dd>" in dom
    assert report['firstWall'] == 31 * 3 + 3  # three lanes above and beside the first shelf, row 0 on top
    assert report['keyframes'] < 12 * figures['makespan'] / 2  # straight ways are two keyframes each


def test_a_robot_that_does_not_arrive_shows(cli, open_page, tmp_path):
    plan(cli)
    text = (tmp_path / 'plan.txt').read_text()
    last = text.rstrip().rsplit('\n', 1)[1]
    first_robot = last[last.index('('):last.index(')') + 1]
    (tmp_path / 'plan.txt').write_text(text.replace(last, last.replace(first_robot, '(0,0)', 1)))
    cli('view', 'plan.txt', '-o', 'page.html')
    report = open_page('page.html')[1]
    assert (report['onGoal'], report['arrived']) == (11, 11)


def test_a_page_needs_no_network(cli, tmp_path):
    plan(cli)
    cli('view', 'plan.txt', '-o', 'page.html')
    page = (tmp_path / 'page.html').read_text()
    assert 'http://' not in page and 'https://' not in page and ' src=' not in page


def test_titles_cannot_break_the_page(cli, open_page, tmp_path):
    plan(cli)
    cli('view', 'plan.txt', '-o', 'page.html', '--title', NASTY)
    dom, report = open_page('page.html')
    assert report['robots'] == 12
    assert f'<title>{html.escape(NASTY, quote=False)}</title>' in dom.replace('\n', '')
    assert dom.count('<script') == 2


def test_map_names_cannot_break_the_page(cli, ring, tmp_path):
    name = NASTY.replace('/', '')
    (tmp_path / 'ring.map').rename(tmp_path / name)
    cli('plan', '--map', name, *ring[2:], '--out', 'plan.txt')
    cli('view', 'plan.txt', '-o', 'page.html')
    assert html.escape(name).replace('&#x27;', '&#39;') in (tmp_path / 'page.html').read_text()
    cli('view', 'plan.txt', '-o', 'picture.svg')
    xml.etree.ElementTree.parse(tmp_path / 'picture.svg')


def test_json_survives_any_file_name(cli, ring, tmp_path):
    name = b'ri\xffng "\\\t.map'.decode('utf-8', 'surrogateescape')
    (tmp_path / 'ring.map').rename(tmp_path / name)
    figures = json.loads(cli('plan', '--map', name, *ring[2:], '--json').stdout)
    assert figures['map'] == 'ri\ufffdng "\\\t.map'


def test_json_may_stand_inside_a_script(cli, ring, tmp_path):
    name = NASTY.replace('/', '')
    (tmp_path / 'ring.map').rename(tmp_path / name)
    text = cli('plan', '--map', name, *ring[2:], '--json').stdout
    assert '<' not in text and json.loads(text)['map'] == name


def test_picture(cli, tmp_path):
    plan(cli)
    cli('view', 'plan.txt', '-o', 'picture.svg', '--title', NASTY)
    root = xml.etree.ElementTree.parse(tmp_path / 'picture.svg').getroot()
    space = '{http://www.w3.org/2000/svg}'
    titles = {title.text for title in root.iter(space + 'title')}
    assert NASTY in titles
    assert {f'robot {i}' for i in range(12)} <= {title.split(':')[0] for title in titles}
    assert len(list(root.iter(space + 'polyline'))) == 12
    assert len(list(root.iter(space + 'circle'))) == 24


def test_the_pictures_of_the_documentation_are_up_to_date(cli, tmp_path):
    """docs/README.md has the commands; its pictures must be what they make."""
    docs = SOURCE / 'docs'
    for path in docs.iterdir():
        if path.suffix in ('.map', '.scen', '.fleet', '.closures'):
            shutil.copy(path, tmp_path)
    commands = re.search(r'```sh\n(.*?)```', (docs / 'README.md').read_text(), re.S).group(1)
    for line in commands.splitlines():
        words = shlex.split(line, comments=True)
        if words:
            assert words[0] == 'fleetweave'
            cli(*words[1:])
    # bcp.svg is drawn by tools/plot.py: test_bench_bcp.py compares it.
    pictures = sorted(path.name for path in docs.glob('*.svg') if path.name != 'bcp.svg')
    assert pictures == sorted(path.name for path in tmp_path.glob('*.svg'))
    for name in pictures:
        assert (tmp_path / name).read_text() == (docs / name).read_text(), f'docs/{name}: make it again'


def test_a_thousand_robots_fit(cli, open_page, tmp_path):
    cli('plan', '--make', 'open:128x128', '--robots', 1000, '--out', 'plan.txt')
    cli('view', 'plan.txt', '-o', 'page.html')
    assert (tmp_path / 'page.html').stat().st_size < 1_000_000
    assert open_page('page.html')[1]['onGoal'] == 1000


# Row 0 is below: robot 0 drives along y = 0.25 m, robot 1 stands until 2 s, then drives up past 1; they overlap once.
RUN = """fleetweave_run=1
robots=2
resolution=0.5
radius=0.2
size=6x4
grid=
......
......
..@@..
......
poses=
p 0.000 0:0.25,0.25,0.000 1:0.25,0.75,3.141
g 0.000 0 2.75,0.25
g 0.000 1 0.25,1.75
p 1.000 0:0.75,0.25,0.000
p 2.000 0:1.25,0.25,0.000
o 2.500 0 1
p 3.000 0:1.75,0.25,0.000 1:0.25,1.25,-3.141
p 4.000 0:2.25,0.25,0.000 1:0.25,1.75,-3.141
a 4.000 1
p 5.000 0:2.75,0.25,0.000
a 5.000 0
"""


def test_a_run_plays_back(cli, open_page, tmp_path):
    (tmp_path / 'run.txt').write_text(RUN)
    cli('replay', 'run.txt', '-o', 'run.html', '--title', NASTY)
    dom, report = open_page('run.html')
    assert (report['robots'], report['onGoal'], report['overlaps'], report['arrived']) == (2, 2, 1, 2)
    assert (report['end'], report['outside']) == (5000, 0)
    assert report['keyframes'] == 2 + 3  # one straight way; a wait until 2 s and a straight way
    assert '<dd>24.0</dd>' in dom  # goals per minute
    # At 2.5 s, in cells from the top left: row 0 is below, and robot 1 stood still until 2 s.
    assert report['halfway'] == [[3, 3.5], [0.5, 2]]
    assert report['firstWall'] == 6 * 1 + 2  # row 2 from below is row 1 from the top


def test_a_fleet_that_stands_writes_no_lines(cli, open_page, tmp_path):
    """No p line from 1 s to 7 s: nobody moved until a period before. The last arrival comes after the last p line."""
    (tmp_path / 'run.txt').write_text(RUN[:RUN.index('p 0.000')] + (
        'p 0.000 0:0.25,0.25,0.000 1:0.25,0.75,0.000\np 1.000 0:0.75,0.25,0.000\n'
        'g 1.500 0 1.75,0.25\np 7.000 0:1.25,0.25,0.000\np 8.000 0:1.75,0.25,0.000\na 10.000 0\n'))
    cli('replay', 'run.txt', '-o', 'run.html')
    report = open_page('run.html')[1]
    assert (report['end'], report['arrived']) == (10000, 1)
    assert report['halfway'] == [[1.5, 3.5], [0.5, 2.5]]


def test_a_run_cut_short_is_played_up_to_there(cli, open_page, tmp_path):
    (tmp_path / 'run.txt').write_text(RUN[:RUN.index('p 5.000') + 14])
    cli('replay', 'run.txt', '-o', 'run.html')
    assert open_page('run.html')[1]['end'] == 4000


@pytest.mark.parametrize('old, new, words', [
    ('fleetweave_run=1', 'fleetweave_run=9', 'run.txt:1: not a recorded run'),
    ('robots=2', 'robots=two', 'run.txt:2: robots must be'),
    ('radius=0.2\n', '', 'radius='),
    ('......\nposes=', '.....\nposes=', 'row 3 of the grid has 5 cells, not 6'),
    (' 1:0.25,0.75,3.141', '', 'robot 1 is missing'),
    ('p 2.000', 'p 0.500', 'time goes back'),
    ('p 2.000 0:1.25', 'p 2.000 7:1.25', 'expected robot:x,y,yaw'),
    ('p 2.000 0:1.25', 'p 2.000 0:nan', 'expected robot:x,y,yaw'),
    ('p 2.000 0:1.25', 'p 2.000 0:1e300', 'expected robot:x,y,yaw'),
    ('o 2.500 0 1', 'o 2.500 0', 'two robots'),
    ('o 2.500 0 1', 'x 2.500 0', 'begins with p, g, a or o'),
])
def test_a_bad_run_is_refused_with_its_line(cli, tmp_path, old, new, words):
    assert old in RUN
    (tmp_path / 'run.txt').write_text(RUN.replace(old, new, 1))
    assert words in cli('replay', 'run.txt', '-o', 'run.html', exit_code=3).stderr
    assert not (tmp_path / 'run.html').exists()
