"""The node records its planning problems; the command line finds the same plans again."""
import os
import re
import subprocess

import pytest

from test_demo import PROGRAMS, demo

pytest.importorskip('rclpy')
pytestmark = pytest.mark.skipif(
    not all(os.environ.get(name) for name in PROGRAMS), reason=f'{", ".join(PROGRAMS)} must name programs')


def replay(*words):
    return subprocess.run([os.environ['FLEETWEAVE_CLI'], 'replay', *map(str, words)], capture_output=True, text=True,
                          timeout=200)


def asked(record):
    return re.findall(r'^planner=(\w+)', record.read_text(), re.M)


@pytest.mark.parametrize('planner, mode', [('hca', 'dependency'), ('whca', 'dependency'), ('whca', 'timed')])
def test_every_round_of_a_fleet_is_found_again(tmp_path, planner, mode):
    record = tmp_path / 'node.record'
    rate = 4 if mode == 'dependency' else 1  # by stamps, rounds come in time or not at all
    done = demo('--robots', 8, '--seconds', 30, '--rate', rate, '--planner', planner, '--mode', mode,
                '--out', tmp_path / 'demo.html', '--record', record)
    assert done.returncode == 0, done.stdout + done.stderr
    text = record.read_text()
    entries = len(re.findall(r'^done=', text, re.M))
    assert entries >= 10
    again = replay(record)
    assert (again.returncode, again.stdout) == (0, f'ok: {entries} entries give their recorded plans\n'), again.stderr
    assert f'planner={planner}' in text
    if (planner, mode) == ('whca', 'timed'):  # each goes on from the one before
        assert len(re.findall(r'^rules=\d+ \d+ \d+ [1-9]', text, re.M)) >= 5


def test_a_planner_that_is_switched_and_a_limit_that_is_too_short(graph, tmp_path):
    """Other planners, other parameters, doors of blocked cells, and rounds that time ends."""
    from graph import grid_map
    record = tmp_path / 'node.record'
    a, b = graph.start('a', 'b', planner='hca', record=str(record), time_limit=0.002)
    graph.map_publisher.publish(grid_map(['.' * 30] * 20))
    a.stand(0.25, 0.25)
    b.stand(14.75, 9.75)
    graph.until(lambda: a.path and b.path, 'first paths')
    for planner in ('whca', 'lra', 'hca'):
        graph.set_parameters(planner=planner)
        a.send_goal(14.25, 9.25 if planner != 'lra' else 5.25)
        b.send_goal(0.75, 0.75 if planner != 'lra' else 5.25)
        count = 2 if planner == 'hca' else 1
        graph.until(lambda: asked(record)[-1] == planner and asked(record).count(planner) == count,
                    f'a round of {planner}')
    graph.stop()
    again = replay(record)
    assert again.returncode == 0 and again.stdout.startswith('ok: '), again.stdout + again.stderr
    assert asked(record) == ['hca', 'whca', 'lra', 'hca']


def test_a_file_that_cannot_be_written_does_not_stop_the_node(graph):
    from graph import grid_map
    a, = graph.start('a', record='/no/such/folder/node.record')
    graph.map_publisher.publish(grid_map(['.' * 8] * 2))
    a.stand(0.25, 0.25)
    graph.until(lambda: a.path, 'a path all the same')
    assert 'nothing is recorded' in graph.output()
