#!/usr/bin/env python3
"""Runs a fleet for hours while things go wrong, and checks all the time what must hold (docs/contributing.md, "Soak").

A planning node with a journal, a simulator and followers are real processes in a ROS graph; faults (soak_faults.py) come
one after the other, drawn from a seed. What must hold is in soak_watch.py. Figures go to soak.csv, which `./run plot`
draws, and what was violated is told at once and at the end.

Exit codes: 0 everything held, 1 something did not, 2 usage, 3 a process could not be started, 130 stopped with Ctrl-C.
"""
import argparse
import csv
import math
import os
import random
import shutil
import signal
import sys
import time
from pathlib import Path

from demo import Failure, Interrupts, Process, find_program, stop_on_signal

TOP = Path(__file__).resolve().parent.parent
sys.path.append(str(TOP / 'test' / 'ros'))
from domain import take_domain  # noqa: E402

CELL = 0.5  # metres
ROW_SECONDS = 5.0
COLUMNS = ['seconds', 'planner_life', 'rss_mb', 'processor_seconds', 'release_ms_median', 'release_ms_p99',
           'solve_ms_median', 'solve_ms_p99', 'driving', 'accepted', 'succeeded', 'aborted', 'canceled', 'lost', 'overlaps',
           'violations', 'faults', 'fault']
# Of robots with wheels, in metres and seconds. The planner's radius is that of the simulator and what a robot overruns the
# end of its release by if its follower is killed while it drives: `command_timeout` at full speed.
SPEED, RADIUS, OVERRUN = 0.6, 0.12, 0.08
WHEELS = {'max_speed': SPEED, 'max_turn_rate': 3.0, 'max_acceleration': 2.0, 'max_turn_acceleration': 10.0,
          'drive_error': 0.02, 'noise': 0.005, 'command_timeout': 0.15}
LIMITS = {'speed': SPEED, 'turn_rate': 3.0, 'acceleration': 2.0, 'deceleration': 1.6, 'turn_acceleration': 10.0,
          'reaction': 0.15}
# Small faults of the simulator, all the time.
TROUBLE = {'slow_chance': 0.05, 'stops_per_hour': 6.0, 'stop_seconds_max': 15.0, 'odom_jumps_per_hour': 6.0}


def parse_arguments(words=None):
    parser = argparse.ArgumentParser(
        prog='./run soak', description='Runs a fleet for hours while things go wrong, and checks what must hold.')
    parser.add_argument('hours', type=float, nargs='?', default=1.0, help='of real time (default: 1)')
    parser.add_argument('--robots', type=int, default=100, metavar='N', help='number of robots (default: 100)')
    parser.add_argument('--planner', default='auto', metavar='NAME', help='planner (default: auto)')
    parser.add_argument('--drive', choices=['cmd_vel', 'path'], default='cmd_vel',
                        help='cmd_vel: robots with wheels, driven by followers; path: they follow their releases by '
                        'themselves, which takes much less processor time (default: cmd_vel)')
    parser.add_argument('--followers', type=int, default=4, metavar='N', help='processes of followers (default: 4)')
    parser.add_argument('--fault-seconds', type=float, default=20.0, metavar='S',
                        help='mean time between the end of a fault and the next one (default: 20)')
    parser.add_argument('--faults', default='all', metavar='A,B', help='kinds of faults, or all, or none (default: all)')
    parser.add_argument('--clock', choices=['sim', 'system'], default='sim',
                        help="sim: the simulator's, so that time can jump; system: the machine's, so that the time from a "
                        'pose to a release is measured (default: sim)')
    parser.add_argument('--map', default=None, metavar='MAP',
                        help='generated map as for `fleetweave plan --make` (default: a warehouse for so many robots)')
    parser.add_argument('--seed', type=int, default=1, metavar='N', help='seed of faults and goals (default: 1)')
    parser.add_argument('--out', type=Path, default=TOP / 'out' / 'soak', metavar='FOLDER',
                        help='folder for soak.csv, the journal and logs (default: out/soak)')
    parser.add_argument('--domain', type=int, metavar='ID', help='ROS_DOMAIN_ID (default: one that no test has)')
    options = parser.parse_args(words)
    if options.hours <= 0 or options.robots < 1 or options.followers < 1 or options.fault_seconds <= 0:
        parser.error('hours, --robots, --followers and --fault-seconds must be more than 0')
    options.followers = min(options.followers, options.robots) if options.drive == 'cmd_vel' else 0
    if options.map is None:
        side = math.sqrt(options.robots / 200)  # 200 robots have 101 x 57 cells
        options.map = f'warehouse:{max(29, round(101 * side))}x{max(17, round(57 * side))},shelf=8,aisle=2,seed=1'
    return options


def words_of(parameters):
    return [word for name, value in parameters.items() for word in ('-p', f'{name}:={value}')]


def list_of(names):
    return '[' + ','.join(names) + ']'


class Site:
    """The processes, each of which can be killed, started again, stalled and continued."""

    def __init__(self, options):
        self.options, self.folder = options, options.out
        self.names = [f'robot_{k}' for k in range(options.robots)]
        self.listed = list(self.names)  # those that the planner knows
        self.places = None  # of the robots when the simulator ended, in cells
        self.processes, self.lives, self.stalled = {}, {}, set()
        self.is_simulated = str(options.clock == 'sim').lower()
        self.violate = None
        self.programs = {
            'planner': find_program('planner_node', 'FLEETWEAVE_PLANNER_NODE'),
            'simulator': find_program('fleet_sim', 'FLEETWEAVE_FLEET_SIM')}
        if options.drive == 'cmd_vel':
            self.programs['follower'] = find_program('path_follower', 'FLEETWEAVE_PATH_FOLLOWER')
        self.followers = [f'follower_{k}' for k in range(options.followers)]

    def all(self):
        return ['planner', 'simulator', *self.followers]

    def parameters_of(self, name):
        has_wheels = self.options.drive == 'cmd_vel'
        if name == 'planner':
            return {'robots': list_of(self.listed), 'planner': self.options.planner, 'use_sim_time': self.is_simulated,
                    'speed': 0.7 * SPEED if has_wheels else SPEED, 'robot_radius': RADIUS + OVERRUN,
                    'planning_resolution': CELL, 'time_limit': 1.0, 'plan_lead_seconds': 0.5, 'stopped_timeout': 20.0,
                    'journal': self.folder / 'journal', 'diagnostics_period': 1.0}
        if name == 'simulator':
            starts = {} if self.places is None else {
                'starts': list_of(f'"{x:.4f},{y:.4f}"' for x, y in (self.places[robot] for robot in self.names))}
            return {'robots': list_of(self.names), 'map': self.options.map, 'cell_size': CELL, 'goals': 'none',
                    'robot_radius': RADIUS, 'publish_clock': self.is_simulated, 'publish_odom': 'false', 'report_period': 0.0,
                    'odom_rate': 10.0, 'drive': self.options.drive, 'seed': self.options.seed + self.lives.get(name, 0),
                    **(WHEELS if has_wheels else {'max_speed': 1.5 * SPEED}), **TROUBLE, **starts}
        index = self.followers.index(name)
        return {'robots': list_of(self.names[index::len(self.followers)]), 'use_sim_time': self.is_simulated, **LIMITS}

    def start(self, name):
        life = self.lives[name] = self.lives.get(name, 0) + 1
        program = self.programs['follower' if name in self.followers else name]
        rename = ['-r', f'__node:={name}'] if name in self.followers else []
        self.processes[name] = Process(
            name, [program, '--ros-args', *rename, *words_of(self.parameters_of(name))], self.folder / f'{name}-{life}.log')

    def signal(self, name, number):
        self.processes[name].popen.send_signal(number)

    def kill(self, name):
        process = self.processes.pop(name)
        self.stalled.discard(name)
        process.popen.kill()
        process.popen.wait()

    def stall(self, name):
        self.stalled.add(name)
        self.signal(name, signal.SIGSTOP)

    def go_on(self, name):
        self.stalled.discard(name)
        self.signal(name, signal.SIGCONT)

    def check(self):
        """Nobody ends but by our hand. Who does is started again, so that the run goes on."""
        for name, process in list(self.processes.items()):
            if process.has_ended():
                self.violate('process', process.last_lines())
                self.processes.pop(name)
                self.start(name)

    def end(self):
        with Interrupts() as interrupts:
            for name in list(self.stalled):
                self.go_on(name)
            for name in reversed(list(self.processes)):
                process = self.processes[name]
                if process.stop(interrupts) != 0 and not interrupts.count:
                    self.violate('process', process.last_lines())

    def memory_mb(self):
        """Resident memory of the planner; None while there is none."""
        process = self.processes.get('planner')
        try:
            text = Path(f'/proc/{process.popen.pid}/status').read_text() if process else ''
        except OSError:
            return None
        sizes = [line.split()[1] for line in text.splitlines() if line.startswith('VmRSS')]
        return int(sizes[0]) / 1024 if sizes else None

    def processor_seconds(self):
        process = self.processes.get('planner')
        if process is None:
            return None
        process.note_processor_time()
        return process.processor_seconds


class Table:
    """soak.csv: a row every few seconds, and the faults since the row before."""

    def __init__(self, path):
        self.file = open(path, 'w', newline='')
        self.writer = csv.DictWriter(self.file, COLUMNS)
        self.writer.writeheader()
        self.rows, self.faults = [], []

    def add(self, row):
        self.writer.writerow({**row, 'fault': ' '.join(self.faults)})
        self.file.flush()
        self.rows.append(row)
        self.faults.clear()

    def close(self):
        self.file.close()


def row_of(seconds, site, watch, faults):
    numbers = {name: watch.planner.get(name) for name in COLUMNS if name.endswith(('_median', '_p99'))}
    memory, processor = site.memory_mb(), site.processor_seconds()
    return {'seconds': f'{seconds:.1f}', 'planner_life': site.lives['planner'],
            'rss_mb': '' if memory is None else f'{memory:.1f}',
            'processor_seconds': '' if processor is None else f'{processor:.2f}', **numbers, **watch.counts(),
            'faults': faults}


def growth(rows):
    """Megabytes per hour of the planner's lives of five minutes and more, from their second minute on."""
    lives, rates = {}, []
    for row in rows:
        if row['rss_mb']:
            lives.setdefault(row['planner_life'], []).append((float(row['seconds']), float(row['rss_mb'])))
    for points in lives.values():
        points = [point for point in points if point[0] >= points[0][0] + 60]
        if points and points[-1][0] - points[0][0] >= 240:
            rates.append(3600 * (points[-1][1] - points[0][1]) / (points[-1][0] - points[0][0]))
    return rates


def report(options, site, watch, table, faults):
    counts = watch.counts()
    memory = [float(row['rss_mb']) for row in table.rows if row['rss_mb']]
    latency = [float(row['release_ms_p99']) for row in table.rows if row['release_ms_p99']]
    rates = growth(table.rows)
    print(f'faults           {faults.count}: ' + ', '.join(f'{n} {kind}' for kind, n in sorted(faults.counts.items())))
    print(f"goals            {counts['accepted']} accepted: {counts['succeeded']} reached, {counts['aborted']} aborted, "
          f"{counts['canceled']} canceled, {counts['lost']} whose node was killed, {counts['driving']} under way")
    print(f'releases         {watch.releases} heard, {watch.judged} of them in times without an excuse for all; {watch.excused} '
          'shorter or empty with a reason')
    if memory:
        print(f'planner          {max(memory):.0f} MB at most' + (
            f', {max(rates):+.1f} MB per hour in the life that grew most' if rates else ''))
    if latency and options.clock == 'system':
        print(f'pose to release  99th percentile {sorted(latency)[len(latency) // 2]:.1f} ms in the median, '
              f'{max(latency):.1f} ms at most')
    print(f'recovery         {watch.longest_silence:.0f} s without a goal at most')
    print(f"table            {options.out / 'soak.csv'}")
    for kind, number in sorted(watch.kinds.items()):
        print(f'VIOLATED         {kind}: {number} times; see {options.out / "violations.txt"}')
    print('everything held' if not watch.kinds else 'something did not hold')


def prepare(folder):
    folder.mkdir(parents=True, exist_ok=True)
    for old in [*folder.glob('*.log'), *folder.glob('journal*'), folder / 'violations.txt', folder / 'soak.csv']:
        old.unlink(missing_ok=True)
    shutil.rmtree(folder / 'ros', ignore_errors=True)
    os.environ['ROS_LOG_DIR'] = str(folder / 'ros')


def soak(options):
    from soak_faults import Faults
    from soak_watch import Watch
    prepare(options.out)
    site = Site(options)
    chance = random.Random(options.seed)
    watch = Watch(site, chance, options.out / 'violations.txt')
    site.violate = watch.violate
    faults = Faults(site, watch, chance, options)
    table = Table(options.out / 'soak.csv')
    print(f'{options.robots} robots, planner {options.planner}, map {options.map}, {options.hours:g} h, '
          f'drive {options.drive}, seed {options.seed}, ROS_DOMAIN_ID {os.environ["ROS_DOMAIN_ID"]}', flush=True)
    begin = time.monotonic()
    next_row = begin + ROW_SECONDS
    try:
        for name in site.all():
            site.start(name)
        watch.wait_for_start()
        begin = time.monotonic()
        next_row = begin
        while time.monotonic() < begin + 3600 * options.hours or not faults.is_quiet():
            watch.spin(0.05)
            site.check()
            faults.step(may_begin=time.monotonic() < begin + 3600 * options.hours - 10)
            table.faults += faults.take_begun()
            if time.monotonic() >= next_row:
                next_row += ROW_SECONDS
                table.add(row_of(time.monotonic() - begin, site, watch, faults.count))
    finally:
        site.end()
        table.close()
        report(options, site, watch, table, faults)
        watch.close()
    return 1 if watch.kinds else 0


def main():
    options = parse_arguments()
    os.environ['ROS_AUTOMATIC_DISCOVERY_RANGE'] = 'LOCALHOST'
    os.environ['ROS_DOMAIN_ID'] = str(options.domain or os.getpid() % 100 + 1)
    lock = None if options.domain else take_domain()  # held until this process ends
    signal.signal(signal.SIGTERM, stop_on_signal)
    try:
        return soak(options)
    except Failure as failure:
        print(f'soak: {failure}', file=sys.stderr)
        return 3
    except ImportError as error:
        print(f'soak: {error}: start it with ./run soak, which sets up ROS 2', file=sys.stderr)
        return 3
    except KeyboardInterrupt:
        print('\nstopped', file=sys.stderr)
        return 130
    finally:
        if lock is not None:
            lock.close()


if __name__ == '__main__':
    sys.exit(main())
