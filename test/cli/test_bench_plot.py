"""tools/plot.py draws the figures of the experiments from their CSV and JSON files, with every series that they have."""

import re
import subprocess
import xml.etree.ElementTree

import pytest

from conftest import SOURCE

SVG = '{http://www.w3.org/2000/svg}'


def plot(folder, *arguments, exit_code=0):
    """`./run plot` as users have it: it makes the environment of pinned wheels if there is none yet."""
    done = subprocess.run([SOURCE / 'run', 'plot', *map(str, arguments)], cwd=folder, text=True, capture_output=True,
                          timeout=280)
    assert done.returncode == exit_code, done.stderr
    return done


def curves(path):
    """By "panel/series": the coordinates of a line or bar on the page."""
    found = {}
    for group in xml.etree.ElementTree.parse(path).getroot().iter(f'{SVG}g'):
        if '/' in group.get('id', ''):
            drawn = group.find(f'{SVG}path').get('d')
            found[group.get('id')] = [float(text) for text in re.findall(r'-?[0-9.]+', drawn)]
    return found


def series(found, panel):
    return [name.split('/', 1)[1] for name in found if name.split('/', 1)[0] == panel]


@pytest.fixture
def draw(cli, tmp_path):
    """draw('bench', 'mapf', ...) gives the curves of the CSV file and those of the JSON file."""
    def run(*arguments, **options):
        done = cli(*arguments, '--csv', 'rows.csv', '--json', **options)
        (tmp_path / 'report.json').write_text(done.stdout)
        plot(tmp_path, 'rows.csv', 'report.json')
        return curves(tmp_path / 'rows.svg'), curves(tmp_path / 'report.svg')

    return run


def test_bcp(draw):
    from_csv, from_json = draw('bench', 'bcp', '--samples', 2, '--runs', 2, '--iterations', 3)
    for panel in ('figure 6', 'figure 7', 'figure 11'):
        assert series(from_csv, panel) == series(from_json, panel) == [
            'astar', 'unbiased', 'bcp_paper', 'bcp_no_biasing', 'bcp', 'hca', 'whca']
    for panel in ('saved rescue', 'saved groups'):
        assert series(from_json, panel) == ['biasing_plain', 'biasing_straight', 'biasing']
    assert len(series(from_json, 'figure 9')) == 3 and series(from_csv, 'figure 9') == []  # CSV has no flights


def test_standley(draw):
    one_order = 'hca:order=index:orders=1:overrides=0'
    planners = ['od', 'od_id', 'lazy_sat', one_order]
    found = draw('bench', 'standley', '--instances', 6, '--time-limit', 0.2, '--planners', ','.join(planners))
    for curve in found:
        assert sorted(series(curve, 'figure 6')) == sorted(planners)
        assert series(curve, 'figure 7') == ['od']
        assert len(curve['figure 6/lazy_sat']) >= len(curve['figure 6/od'])  # more is solved
    for name in found[0]:
        assert found[0][name] == pytest.approx(found[1][name], abs=0.5), name


def test_rtaa(draw):
    for curve in draw('bench', 'rtaa', '--maps', 'T0,T1', '--groups', 'G0,G1', '--seeds', 1):
        for panel in ('total', 'episode', 'robot'):
            assert series(curve, panel) == ['T0', 'T1']
        assert {'staged' in name for name in series(curve, 'figure 5')} == {True, False}


def test_search(draw):
    searches = ['astar', 'jps', 'navmesh']
    for curve in draw('bench', 'search', '--make', 'rooms:40x30,room=6,seed=2', '--queries', 5, '--repeat', 1,
                      '--searches', ','.join(searches)):
        panels = {name.rsplit('/', 1)[0] for name in curve}
        assert len(panels) == 4 and all(series(curve, panel) == searches for panel in panels)


def test_mapf(draw):
    for curve in draw('bench', 'mapf', '--make', 'random:16x16,obstacles=10,seed=2', '--robots', '5,10', '--planners',
                      'hca,whca', '--repeat', 2):
        for panel in ('time', 'cost', 'solved'):
            assert series(curve, panel) == ['hca', 'whca']
            assert len(curve[f'{panel}/hca']) == 4  # two numbers of robots


@pytest.mark.parametrize('options, planners', [([], ['hca', 'whca']), (['--lifelong', '--ticks', 20], ['lifelong'])])
def test_scaling(draw, options, planners):
    for curve in draw('bench', 'scaling', '--from', 10, '--to', 20, '--repeat', 1, *options):
        assert series(curve, 'time') == series(curve, 'memory') == planners


def test_lifelong(cli, tmp_path):
    cli('bench', 'lifelong', '--make', 'open:16x16', '--robots', 10, '--ticks', 30, '--planners', 'whca,pibt', '--csv',
        'ticks.csv')
    plot(tmp_path, 'ticks.csv', '-o', 'life.svg')
    assert list(curves(tmp_path / 'life.svg')) == ['time/whca', 'time/pibt', 'goals/whca', 'goals/pibt']


def test_every_wheel_has_its_version():
    lines = (SOURCE / 'tools' / 'plot-requirements.txt').read_text().splitlines()
    assert all(re.fullmatch(r'[A-Za-z0-9._-]+==[0-9][A-Za-z0-9.]*', line) for line in lines if not line.startswith('#'))


def test_what_cannot_be_drawn_is_said(tmp_path):
    assert 'nothing.csv cannot be read' in plot(tmp_path, 'nothing.csv', exit_code=1).stderr
    (tmp_path / 'other.csv').write_text('a,b\n1,2\n')
    assert 'there are figures for' in plot(tmp_path, 'other.csv', exit_code=1).stderr
    (tmp_path / 'broken.json').write_text('{')
    assert 'is not a CSV or JSON file' in plot(tmp_path, 'broken.json', exit_code=1).stderr
    assert 'one FILE' in plot(tmp_path, 'a.csv', 'b.csv', '-o', 'c.svg', exit_code=2).stderr


@pytest.mark.parametrize('kind', ['bcp', 'standley', 'rtaa', 'search'])
@pytest.mark.parametrize('option', [['--svg', 'figure.svg'], ['--svg=figure.svg']])
def test_experiments_no_longer_draw(cli, kind, option):
    """They did once: the error says what to do instead."""
    assert './run plot FILE' in cli('bench', kind, *option, exit_code=2).stderr


def test_soak(tmp_path):
    columns = ['seconds', 'planner_life', 'rss_mb', 'release_ms_median', 'release_ms_p99', 'solve_ms_median',
               'solve_ms_p99', 'succeeded', 'aborted', 'canceled', 'lost', 'fault']
    rows = [['0.0', 1, '40.0', '', '', '', '', 0, 0, 0, 0, ''],  # nothing is known yet
            ['5.0', 1, '41.5', '2.0', '9.0', '1.0', '4.0', 7, 1, 0, 0, 'kill_planner'],
            ['10.0', 2, '', '', '', '', '', 7, 1, 0, 5, '']]
    text = '\n'.join(','.join(map(str, row)) for row in [columns, *rows])
    (tmp_path / 'soak.csv').write_text(text + '\n')
    plot(tmp_path, 'soak.csv', '-o', 'soak.svg')
    assert list(curves(tmp_path / 'soak.svg')) == [
        'memory/rss', 'release/median', 'release/p99', 'planning/median', 'planning/p99', 'goals/succeeded', 'goals/aborted',
        'goals/canceled', 'goals/lost']
