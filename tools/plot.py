"""Draws the figures of the experiments from the files that `./run bench` writes (`--csv FILE`, or `--json` > FILE), and of
`./run soak`.

The kind of experiment is recognised by the file's columns or members. A new figure is a function with @figure.
Every line or bar has the id "panel/series" in the SVG, which is what the tests look for.
"""

import argparse
import csv
import json
import pathlib
import statistics
import sys

import matplotlib

matplotlib.use('svg')
import matplotlib.pyplot as plt  # noqa: E402

matplotlib.rcParams.update({
    'svg.fonttype': 'none',  # text stays text: small files, and searchable
    'svg.hashsalt': 'fleetweave',  # the same data gives the same file
    'font.family': 'sans-serif',
    'font.size': 9,
    'axes.titlesize': 10,
    'axes.titleweight': 'bold',
    'axes.titlelocation': 'left',
    'axes.grid': True,
    'axes.axisbelow': True,
    'axes.spines.top': False,
    'axes.spines.right': False,
    'grid.color': '#d5d8dc',
    'grid.linewidth': 0.6,
    'legend.frameon': False,
    'legend.fontsize': 8,
})

COLOURS = ['#2471a3', '#c0392b', '#b8860b', '#228833', '#aa3377', '#0b9aa3', '#777777', '#e67e22', '#5b3fa0', '#1d2024']


class Problem(Exception):
    """What is wrong with the files, in one line."""


# ---- files


class Data:
    """A file: `rows` of a CSV file as dictionaries, or the object of a JSON file in `json`."""

    def __init__(self, path):
        self.path = path
        self.json = None
        self.rows = []
        self.columns = []
        self.settings = ''  # the comment line before the header, if there is one
        text = pathlib.Path(path).read_text()
        if text.lstrip().startswith('{'):
            self.json = json.loads(text)
            return
        lines = text.splitlines()
        if lines and lines[0].startswith('#'):
            self.settings = lines.pop(0)
        reader = csv.DictReader(lines)
        self.rows = [row for row in reader if None not in row.values()]  # not a last line that is cut off
        self.columns = reader.fieldnames or []

    def has(self, *names):
        """Whether all these are columns of the CSV file, or members of the JSON object."""
        return set(names) <= set(self.columns if self.json is None else self.json)


def number(text):
    return float(text) if text not in ('', None) else float('nan')


def unique(values):
    return list(dict.fromkeys(values))


def group_median(rows, x, y):
    """Two lists: the values of column x in rising order, and the median of column y for each of them."""
    values = {}
    for row in rows:
        values.setdefault(number(row[x]), []).append(number(row[y]))
    return sorted(values), [statistics.median(values[key]) for key in sorted(values)]


# ---- figures


FIGURES = []


def figure(name, *needs):
    """Registers a function that draws the figure of files which have these columns or members."""
    def register(draw):
        FIGURES.append((name, needs, draw))
        return draw
    return register


def panels(count, columns=2, size=(4.4, 3.2)):
    rows = (count + columns - 1) // columns
    picture, axes = plt.subplots(rows, columns, figsize=(size[0] * columns, size[1] * rows), squeeze=False,
                                 layout='constrained')
    return picture, list(axes.flat)


def name_panel(axes, title, x, y=''):
    axes.set_title(title)
    axes.set_xlabel(x)
    axes.set_ylabel(y)


def draw_line(axes, panel, series, values, index, **style):
    """A line with the id "panel/series". `values` are two lists."""
    axes.plot(*values, label=series, color=COLOURS[index % len(COLOURS)], gid=f'{panel}/{series}', **style)


def draw_bars(axes, panel, names, values, index=0):
    """Horizontal bars from top to bottom with ids "panel/name" and their values beside them."""
    for place, (name, value) in enumerate(zip(names, values)):
        bar, = axes.barh([place], [value], color=COLOURS[index % len(COLOURS)])
        bar.set_gid(f'{panel}/{name}')
        axes.annotate(f'{value:.3g}', (value, place), xytext=(3, 0), textcoords='offset points', va='center', fontsize=7)
    axes.set_yticks(range(len(names)), names)
    axes.invert_yaxis()
    axes.grid(axis='y', visible=False)
    axes.margins(x=0.2)


# Colour and name of the planners of `bench bcp`; the CSV and JSON files have more of them.
PLAYERS = {'astar': (1, 'A* (paper)'), 'unbiased': (2, 'bcp plain, without biasing'),
           'bcp_paper': (4, 'bcp plain (paper)'), 'bcp_no_biasing': (3, 'bcp, without biasing'), 'bcp': (0, 'bcp'),
           'hca': (6, 'hca'), 'whca': (7, 'whca')}
FLIGHTS = ['an attacker follows', 'one static attacker', 'two static attackers']
PAIRS = {'biasing_plain': (4, 'in bcp plain (paper)'), 'biasing_straight': (2, 'in bcp with straight paths, with waits'),
         'biasing': (0, 'in bcp, with waits')}


def bcp_means(data, scenario, key):
    """By player: numbers of units, and the mean of the samples in which all units arrived."""
    if data.json is not None:
        return {player: ([row['units'] for row in data.json[scenario]],
                         [row[player][key] for row in data.json[scenario]]) for player in PLAYERS}
    means = {}
    for player in PLAYERS:
        values = {}
        for row in data.rows:
            if (row['scenario'], row['player']) == (scenario, player) and int(row['steps']) >= 0:
                values.setdefault(int(row['units']), []).append(number(row[key]))
        means[player] = (sorted(values), [statistics.mean(values[units]) for units in sorted(values)])
    return means


def draw_saved(axes, panel, rows):
    """What biasing saves: a line for each pair of planners that differ in it, with the 95 % interval around it."""
    for pair, (index, label) in PAIRS.items():
        compared = [row for row in rows if row['differences'][pair]['steps']['samples'] > 0]  # all arrived with both
        units = [row['units'] for row in compared]
        found = [row['differences'][pair]['steps'] for row in compared]
        draw_line(axes, panel, pair, (units, [one['saved'] for one in found]), index, marker='.')
        axes.get_lines()[-1].set_label(label)
        axes.fill_between(units, [one['saved'] - one['interval'] for one in found],
                          [one['saved'] + one['interval'] for one in found], color=COLOURS[index], alpha=0.2, linewidth=0)
    axes.axhline(0, color='#777777', linewidth=0.8)
    axes.legend()


@figure('bcp', 'rescue', 'groups', 'flights')
@figure('bcp', 'scenario', 'units', 'player', 'hero_steps')
def draw_bcp(data):
    """Figures 6, 7, 9 and 11 of Geramifard, Chubak and Bulitko 2006, and what biasing contributes; a CSV file has only
    figures 6, 7 and 11."""
    charts = [('figure 6', 'Rescue the hero: steps of all units (figure 6)', 'rescue', 'steps'),
              ('figure 7', 'Rescue the hero: steps of the hero (figure 7)', 'rescue', 'hero_steps'),
              ('figure 11', 'Two groups: steps of all units (figure 11)', 'groups', 'steps')]
    picture, axes = panels(6 if data.json is not None else 4)
    for place, (panel, title, scenario, key) in zip(axes, charts):
        name_panel(place, title, 'units')
        for order, (player, values) in enumerate(bcp_means(data, scenario, key).items()):
            # Wider below, so that lines which coincide are seen.
            draw_line(place, panel, player, values, PLAYERS[player][0], linewidth=4.6 - 0.6 * order)
        place.set_ylim(bottom=0)
    axes[0].legend(axes[0].get_lines(), [name for _, name in PLAYERS.values()])
    if data.json is None:
        axes[3].remove()
        return picture
    name_panel(axes[3], 'The hero\'s flight: death rate (figure 9)', 'iterations of bcp plain (0: A*)')
    for index, (name, flight) in enumerate(zip(FLIGHTS, data.json['flights'])):
        rates = flight['death_rates']
        draw_line(axes[3], 'figure 9', name, (range(len(rates)), rates), [1, 2, 0][index])
    axes[3].set_ylim(0, 1.02)
    axes[3].legend()
    name_panel(axes[4], 'Rescue the hero: steps of all units that biasing saves', 'units')
    draw_saved(axes[4], 'saved rescue', data.json['rescue'])
    name_panel(axes[5], 'Two groups: steps of all units that biasing saves', 'units')
    draw_saved(axes[5], 'saved groups', data.json['groups'])
    return picture


def standley_series(data):
    """By algorithm: origin, number of instances, times of the solved ones in order, groups as (size, share solved)."""
    if data.json is not None:
        for name, found in data.json['algorithms'].items():
            groups = [(group['robots'], group['solved'] / group['instances']) for group in found['largest_groups']]
            yield name, found['instances'], found['solved_ms'], groups
        return
    for name in unique(row['algorithm'] for row in data.rows):
        own = [row for row in data.rows if row['algorithm'] == name and row['part'] == 'all']
        alone = [row for row in data.rows if row['algorithm'] == name and row['part'] == 'group']
        groups = []
        for size in sorted({int(row['robots']) for row in alone}):
            same = [is_proved(row) for row in alone if int(row['robots']) == size]
            groups.append((size, sum(same) / len(same)))
        yield name, len(own), sorted(number(row['ms']) for row in own if is_proved(row)), groups


def is_proved(row):
    """Solved, and proved optimal where the planner is an optimal one."""
    planner = row['algorithm'].split(':')[0]
    is_optimal = planner in ('standard', 'od', 'sid', 'od_id', 'lazy_sat')
    return row['outcome'] == 'solved' and (row['stop'] == 'done' or not is_optimal)


ORIGINS = {'standard': 'paper', 'od': 'paper', 'sid': 'paper', 'od_id': 'paper: OD+ID', 'hca': 'paper: HCA*'}


@figure('standley', 'algorithms', 'solved_share', 'time_limit')
@figure('standley', 'instance', 'algorithm', 'part', 'outcome', 'ms')
def draw_standley(data):
    """Figures 6 and 7 of Standley 2010."""
    picture, (times, alone) = panels(2, size=(5.2, 3.6))
    is_cut = data.json['cuts_corners'] if data.json is not None else 'corners=cut' in data.settings
    name_panel(times, 'Instances solved within a time (figure 6)' + (', corners cut' if is_cut else ''),
               'share of instances (%)', 'running time (ms)')
    name_panel(alone, 'Largest groups solved alone (figure 7)', 'robots in the group', 'share solved (%)')
    for index, (name, count, solved_ms, groups) in enumerate(standley_series(data)):
        origin = ORIGINS.get(name.split(':')[0], 'ours')
        shares = [100 * (i + 1) / count for i in range(len(solved_ms))]
        draw_line(times, 'figure 6', name, (shares, [max(ms, 0.01) for ms in solved_ms]), index)
        times.get_lines()[-1].set_label(f'{name.split(":")[0]} ({origin})')
        if groups:
            draw_line(alone, 'figure 7', name, list(zip(*[(size, 100 * share) for size, share in groups])), index,
                      marker='.')
            alone.get_lines()[-1].set_label(f'{name.split(":")[0]} ({origin})')
    times.set_yscale('log')
    times.set_xlim(0, 100)
    times.legend()
    alone.set_xlim(0, 20.5)  # larger groups are left out, as in the paper
    alone.set_xticks(range(2, 21, 2))
    alone.set_ylim(0, 102)
    if alone.get_lines():
        alone.legend()
    return picture


@figure('rtaa', 'runs', 'ways', 'tasks')
@figure('rtaa', 'map', 'group', 'robots', 'per_episode_ms', 'stages')
def draw_rtaa(data):
    """Figures 4 and 5 of Erra and Caggianese 2011."""
    if data.json is not None:
        runs, modes = data.json['runs'], data.json['ways']
        stages = {True: 'fused', False: 'staged'}
        names = [f'{mode["threads"]} threads, {stages[mode["fused"]]}, {mode["episodes_per_call"]} per call'
                 for mode in modes]
    else:  # the runs come first, each map with each group once
        pairs = [(row['map'], row['group']) for row in data.rows]
        count = len(set(pairs))
        runs, modes = data.rows[:count], data.rows[count:]
        names = [f'{mode["threads"]} threads, {mode["stages"]}, {mode["episodes_per_call"]} per call' for mode in modes]
    picture, axes = panels(4)
    charts = [('total', 'Total time (ms, figure 4)', lambda run: 1e3 * number(run['total_s'])),
              ('episode', 'Time per episode (ms, figure 4)', lambda run: number(run['per_episode_ms'])),
              ('robot', 'Time per robot (us, figure 4)', lambda run: number(run['per_robot_us']))]
    for place, (panel, title, value) in zip(axes, charts):
        name_panel(place, title, 'robots')
        for index, name in enumerate(unique(run['map'] for run in runs)):
            own = [run for run in runs if run['map'] == name]
            draw_line(place, panel, name, ([number(run['robots']) for run in own], [value(run) for run in own]), index,
                      marker='.')
        place.set_xscale('log')
        place.set_yscale('log')
        place.legend()
    if modes:
        name_panel(axes[3], f'{modes[0]["map"]} {modes[0]["group"]}: seconds in total (figure 5)', '')
        draw_bars(axes[3], 'figure 5', names, [number(mode['total_s']) for mode in modes])
    return picture


@figure('search', 'cases', 'diagonal')
@figure('search', 'map', 'search', 'us_per_query')
def draw_search(data):
    """Time, expansions, memory and length of every search, a row of panels per map."""
    if data.json is not None:
        cases = [(case['map'], [row for row in case['rows'] if row['left_out'] is None]) for case in data.json['cases']]
    else:
        cases = [(name, [row for row in data.rows if row['map'] == name]) for name in unique(r['map'] for r in data.rows)]
    charts = [('us_per_query', 'microseconds per query'), ('expanded_per_query', 'expansions'),
              ('kb_per_query', 'kilobytes per query'), ('length_over_optimal', 'length / optimal length')]
    most = max(len(rows) for _, rows in cases)
    picture, axes = panels(4 * len(cases), columns=4, size=(3.0, 0.8 + 0.19 * most))
    for i, (name, rows) in enumerate(cases):
        for k, (key, title) in enumerate(charts):
            place = axes[4 * i + k]
            name_panel(place, pathlib.Path(name).name if k == 0 else '', title)
            own = [row for row in rows if row[key] not in ('', 'nan', None)]
            draw_bars(place, f'{name} {key}', [row['search'] for row in own], [number(row[key]) for row in own])
            if key == 'length_over_optimal':
                place.set_xlim(left=0.99)
            elif own:
                place.set_xscale('log')
    return picture


@figure('mapf', 'rows', 'map', 'scen', 'threads')
@figure('mapf', 'planner', 'robots', 'elapsed_ms', 'first_plan_ms', 'sum_of_costs')
def draw_mapf(data):
    """Time, cost over the lower bound, and share solved, a line per planner over the number of robots."""
    picture, axes = panels(3, columns=3, size=(3.8, 3.2))
    name_panel(axes[0], 'Time (ms)', 'robots')
    name_panel(axes[1], 'Sum of costs / lower bound, solved runs', 'robots')
    name_panel(axes[2], 'Runs solved (%)', 'robots')
    rows = data.rows if data.json is None else data.json['rows']
    for index, planner in enumerate(unique(row['planner'] for row in rows)):
        own = [row for row in rows if row['planner'] == planner]
        robots = sorted({int(row['robots']) for row in own})
        if data.json is None:
            times = group_median(own, 'robots', 'elapsed_ms')
            solved = [row for row in own if row['outcome'] == 'solved']
            shares = [100 * sum(int(row['robots']) == count for row in solved)
                      / sum(int(row['robots']) == count for row in own) for count in robots]
        else:
            times = (robots, [row['median_ms'] for row in own])
            solved = [row for row in own if row['solved']]
            shares = [100 * row['solved'] / row['runs'] for row in own]
        best = {}
        for row in solved:
            ratio = number(row['sum_of_costs']) / max(number(row['lower_bound']), 1)
            best[int(row['robots'])] = min(ratio, best.get(int(row['robots']), ratio))
        draw_line(axes[0], 'time', planner, times, index, marker='.')
        draw_line(axes[1], 'cost', planner, (sorted(best), [best[count] for count in sorted(best)]), index, marker='.')
        draw_line(axes[2], 'solved', planner, (robots, shares), index, marker='.')
    axes[0].set_yscale('log')
    axes[2].set_ylim(0, 102)
    axes[0].legend()
    return picture


@figure('scaling', 'rows', 'exponents', 'lifelong')
@figure('scaling', 'planner', 'robots', 'free_cells', 'elapsed_ms')
@figure('scaling', 'planner', 'robots', 'free_cells', 'round_ms_median')
def draw_scaling(data):
    """Time and memory over the number of robots, both axes logarithmic."""
    picture, axes = panels(2)
    rows = data.rows if data.json is None else data.json['rows']
    time = next(key for key in ('elapsed_ms', 'round_ms_median', 'median_ms') if key in rows[0])
    memory, unit = ('memory_peak_mb', 1) if 'memory_peak_mb' in rows[0] else ('memory_peak_bytes', 1e-6)
    name_panel(axes[0], 'Time of a round (ms)' if time == 'round_ms_median' else 'Time (ms)', 'robots')
    name_panel(axes[1], 'Memory (MB)', 'robots')
    for index, planner in enumerate(unique(row['planner'] for row in rows)):
        own = [row for row in rows if row['planner'] == planner]
        draw_line(axes[0], 'time', planner, group_median(own, 'robots', time), index, marker='.')
        robots, values = group_median(own, 'robots', memory)
        draw_line(axes[1], 'memory', planner, (robots, [unit * value for value in values]), index, marker='.')
    for place in axes:
        place.set_xscale('log')
        place.set_yscale('log')
        place.legend()
    return picture


@figure('lifelong', 'tick', 'round_ms', 'searches', 'goals_reached')
def draw_lifelong(data):
    """The time of every planning round, and the goals reached."""
    picture, axes = panels(2)
    name_panel(axes[0], 'Time of a planning round (ms)', 'tick')
    name_panel(axes[1], 'Goals reached', 'tick')
    for index, planner in enumerate(unique(row['planner'] for row in data.rows)):
        own = [row for row in data.rows if row['planner'] == planner]
        ticks = [int(row['tick']) for row in own]
        draw_line(axes[0], 'time', planner, (ticks, [max(number(row['round_ms']), 1e-3) for row in own]), index,
                  linewidth=0.8)
        draw_line(axes[1], 'goals', planner, (ticks, [number(row['goals_reached']) for row in own]), index)
    axes[0].set_yscale('log')
    axes[1].legend()
    return picture


@figure('soak', 'planner_life', 'rss_mb')
def draw_soak(data):
    """A panel each for memory, the time from a pose to a release, planning, and goals; a line where a fault began."""
    picture, axes = panels(4)
    minutes = [number(row['seconds']) / 60 for row in data.rows]
    faults = [minute for minute, row in zip(minutes, data.rows) if row['fault']]

    def column(name):
        return [number(row[name]) for row in data.rows]
    name_panel(axes[0], 'Memory of the planner', 'minutes', 'MB')
    draw_line(axes[0], 'memory', 'rss', (minutes, column('rss_mb')), 0, linewidth=0.8)
    name_panel(axes[1], 'Time from a pose to its releases', 'minutes', 'ms')
    name_panel(axes[2], 'Planning', 'minutes', 'ms')
    for panel, place, key in (('release', axes[1], 'release_ms'), ('planning', axes[2], 'solve_ms')):
        for index, share in enumerate(('median', 'p99')):
            draw_line(place, panel, share, (minutes, column(f'{key}_{share}')), index, linewidth=0.8)
        place.legend()
    name_panel(axes[3], 'Goals', 'minutes')
    for index, key in enumerate(('succeeded', 'aborted', 'canceled', 'lost')):
        draw_line(axes[3], 'goals', key, (minutes, column(key)), index, linewidth=0.8)
    axes[3].legend()
    for place in axes:
        for minute in faults:
            place.axvline(minute, color='#d5d8dc', linewidth=0.4, zorder=0)
    return picture


# ---- the program


def draw(path, out):
    try:
        data = Data(path)
    except OSError as error:
        raise Problem(f'{path} cannot be read: {error.strerror}') from error
    except ValueError as error:
        raise Problem(f'{path} is not a CSV or JSON file of `./run bench`: {error}') from error
    for name, needs, function in FIGURES:
        if data.has(*needs):
            if data.json is None and not data.rows:
                raise Problem(f'{path} has a header of `bench {name}` but no rows')
            picture = function(data)
            picture.savefig(out, metadata={'Date': None, 'Creator': None, 'Title': f'bench {name}'})
            plt.close(picture)
            return
    kinds = ', '.join(unique(name for name, _, _ in FIGURES))
    raise Problem(f'{path} has no figure; there are figures for the CSV and JSON files of: {kinds}'
                  ' (lifelong: CSV only)')


def main():
    parser = argparse.ArgumentParser(
        prog='./run plot', description='Draws the figure of an experiment from the file that it wrote.',
        epilog='Example: ./run bench bcp --json > bcp.json && ./run plot bcp.json -o docs/bcp.svg')
    parser.add_argument('files', metavar='FILE', nargs='+', help='CSV or JSON file of `./run bench`')
    parser.add_argument('-o', '--out', metavar='FIGURE', help='SVG, PNG or PDF file (default: FILE with .svg)')
    options = parser.parse_args()
    if options.out and len(options.files) > 1:
        parser.error('-o takes one FILE; without it every FILE gets a figure of its own')
    if len({pathlib.Path(path).with_suffix('') for path in options.files}) < len(options.files):
        parser.error('two files would get the same figure: draw them one by one, with -o')
    for path in options.files:
        out = options.out or str(pathlib.Path(path).with_suffix('.svg'))
        try:
            draw(path, out)
        except (Problem, OSError) as error:
            print(f'plot: {error}', file=sys.stderr)
            return 1
        print(out)
    return 0


if __name__ == '__main__':
    sys.exit(main())
