"""bench arrival: robots alone, with the paper's memory and with regions."""

import csv
import json


def bench(cli, *arguments):
    found = json.loads(cli('bench', 'arrival', *arguments, '--json').stdout)
    return found, {row['memory']: row for row in found['memories']}


def test_all_robots_arrive_in_a_maze(cli):
    found, memories = bench(cli, '--make', 'maze:65x65,corridor=1,seed=1', '--robots', 60, '--episodes', 500)
    assert found['reachable'] == 60
    assert memories['regions']['arrived'] == 60 and memories['regions']['length_ratio'] < 1.01
    assert memories['window']['arrived'] < 60
    assert memories['regions']['region_bytes'] > 0 and memories['window']['region_bytes'] == 0


def test_obstacles_that_nobody_knows_are_seen_on_the_way(cli):
    arguments = ['--make', 'rooms:65x65,room=8,seed=1', '--robots', 40, '--connectivity', 8]
    _, known = bench(cli, *arguments)
    found, hidden = bench(cli, *arguments, '--hidden', 50, '--sight', 2)
    assert found['hidden_percent'] == 50
    assert hidden['regions']['arrived'] == known['regions']['arrived'] == 40
    assert hidden['regions']['length_ratio'] > known['regions']['length_ratio'] >= 1
    assert hidden['regions']['worst_ratio'] < 5


def test_the_answer_does_not_depend_on_threads(cli):
    answers = set()
    for threads in (1, 2, 4):
        _, memories = bench(cli, '--make', 'random:64x64,obstacles=35,seed=3', '--robots', 200, '--hidden', 20,
                            '--threads', threads)
        row = memories['regions']
        answers.add((row['arrived'], row['stuck'], row['length_ratio'], row['robot_episodes'], row['region_bytes']))
    assert len(answers) == 1


def test_rows_are_written_as_csv_and_text(cli, tmp_path):
    words = cli('bench', 'arrival', '--make', 'open:8x8', '--robots', 4, '--csv', 'arrival.csv').stdout
    rows = list(csv.DictReader((tmp_path / 'arrival.csv').read_text().splitlines()))
    assert [row['memory'] for row in rows] == ['window', 'regions']
    assert all(row['map'] == 'open:8x8' and row['arrived'] == '4' for row in rows)
    assert 'length/shortest' in words
    assert 'window|regions' in cli('bench', 'rtaa', '--help').stdout
