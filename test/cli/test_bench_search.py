"""bench search: every search on the same queries; figures of all of them, in JSON and CSV."""

import csv
import json
import math

from test_route import OPTIMAL, SQUARE


def test_it_compares_all_searches(cli, tmp_path):
    (tmp_path / 'rooms.map').write_text(cli('make', 'rooms:40x30,room=6,seed=2', '-o', '-').stdout)
    done = cli('bench', 'search', '--map', 'rooms.map', '--queries', 20, '--repeat', 1, '--expansions', 3000000, '--json',
               '--csv', 'search.csv')
    case, = json.loads(done.stdout)['cases']
    rows = {row['search']: row for row in case['rows']}
    assert list(rows) == SQUARE
    for name, row in rows.items():
        assert row['solved'] == 20 and row['us_per_query'] > 0 and row['length_over_optimal'] >= 1
        assert row['length_over_optimal'] == 1 or name not in OPTIMAL
    assert rows['astar']['expanded_per_query'] < rows['dijkstra']['expanded_per_query']
    assert rows['weighted']['length_over_optimal_worst'] <= 1.2
    assert len(list(csv.DictReader(open(tmp_path / 'search.csv')))) == len(SQUARE)


def test_it_compares_lengths_with_those_of_the_scenario(cli, tmp_path):
    (tmp_path / 'hall.map').write_text('type octile\nheight 3\nwidth 4\nmap\n....\n.@..\n....\n')
    (tmp_path / 'hall.scen').write_text('version 1\n0\thall.map\t4\t3\t0\t0\t3\t2\t5.0\n')
    arguments = ['bench', 'search', '--map', 'hall.map', '--scen', 'hall.scen', '--searches', 'jps', '--json']
    best = 3 + math.sqrt(2)
    assert abs(json.loads(cli(*arguments).stdout)['cases'][0]['scen_difference'] - (5 - best)) < 1e-6
    assert json.loads(cli(*arguments, '--connectivity', 4).stdout)['cases'][0]['scen_difference'] is None
