#!/usr/bin/env python3
"""Runs a planning node and a simulated fleet as real ROS 2 processes, then writes a page that plays the run back.

With --freeze each robot stops once for some seconds, and the fleet drives twice: by the stamps of its paths alone, and by
the paths that the node releases. Only overlaps in the second run are failures.

Exit codes: 0 no overlaps, 1 robots overlapped, 2 usage, 3 a process failed, 130 stopped with Ctrl-C.
"""
import argparse
import math
import os
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

TOP = Path(__file__).resolve().parent.parent
DEFAULT_MAP = 'warehouse:45x25,shelf=8,aisle=2,seed=1'
LEAD_SECONDS = 0.5
FOLLOWED = {'dependency': 'released_path', 'timed': 'timed_path'}
LOG_LINES_SHOWN = 15
POSE_HERTZ = {'path': 10, 'cmd_vel': 20}  # odom_rate of config/demo.yaml and demo_wheels.yaml
ROBOT_RADIUS = 0.2  # metres, as in config/demo.yaml


class Failure(Exception):
    """An error with a text for the user."""


def parse_arguments():
    parser = argparse.ArgumentParser(
        prog='./run demo',
        description='Runs a planning node and a simulated fleet, then writes a page that plays the run back.')
    parser.add_argument('--robots', type=int, default=24, metavar='N', help='number of robots (default: 24)')
    parser.add_argument(
        '--planner', default='auto', metavar='NAME', help='planner, see `./run fleetweave list` (default: auto)')
    parser.add_argument(
        '--map', default=DEFAULT_MAP, metavar='MAP',
        help=f'generated map as for `fleetweave plan --make`, or a MovingAI .map file (default: {DEFAULT_MAP})')
    parser.add_argument('--seconds', type=float, default=60.0, metavar='S', help='simulated seconds (default: 60)')
    parser.add_argument(
        '--rate', type=float, default=1.0, metavar='X', help='simulated seconds per second of real time (default: 1)')
    parser.add_argument('--seed', type=int, default=1, metavar='N', help='seed of the starts and goals (default: 1)')
    parser.add_argument(
        '--mode', choices=['dependency', 'timed'], default='dependency',
        help='robots follow the released paths, or the stamps of the timed paths (default: dependency)')
    parser.add_argument(
        '--real-time', action='store_true',
        help="use the machine's clock instead of the simulator's, to measure the time from a pose to a release")
    parser.add_argument(
        '--poses', choices=['tf', 'odom'], default='tf',
        help='how the planner hears of the robots: one topic /tf for all, or <robot>/odom for each (default: tf)')
    parser.add_argument(
        '--drive', choices=['path', 'cmd_vel'], default='path',
        help='path: simulated robots follow their paths themselves; cmd_vel: they have wheels, and path_follower drives '
        'them (default: path)')
    parser.add_argument(
        '--max-speed', type=float, metavar='V', help='speed limit in metres per second (default: 1.5, with wheels 1)')
    parser.add_argument(
        '--max-turn-rate', type=float, metavar='W',
        help='radians per second of turns on the spot; 0: turns take no time (default: 0, with wheels 3)')
    parser.add_argument(
        '--freeze', action='store_true', help='stop each robot once, drive in both modes, and compare the overlaps')
    parser.add_argument(
        '--out', type=Path, default=TOP / 'out' / 'demo.html', metavar='PAGE',
        help='page to write; logs and the recorded run go beside it (default: out/demo.html)')
    parser.add_argument(
        '--record', type=Path, metavar='FILE', help='file for the planning requests and results, for `fleetweave replay`')
    parser.add_argument('--web', action='store_true', help='serve the live page while the fleet drives, on 127.0.0.1 only')
    parser.add_argument('--port', type=int, default=0, metavar='N', help='port of the live page (default: any free port)')
    parser.add_argument(
        '--domain', type=int, default=os.getpid() % 100 + 1, metavar='ID',
        help='ROS_DOMAIN_ID (default: derived from the process id)')
    options = parser.parse_args()
    if options.robots < 1:
        parser.error('--robots must be at least 1')
    if options.seconds <= 0 or options.rate <= 0:
        parser.error('--seconds and --rate must be more than 0')
    if options.real_time and options.rate != 1.0:
        parser.error('--real-time requires --rate 1')
    if not 0 <= options.domain <= 101:
        parser.error('--domain must be from 0 to 101')
    if not 0 <= options.port <= 65535:
        parser.error('--port must be from 0 to 65535')
    if options.web and options.freeze:
        parser.error('--web shows one run and --freeze makes two: give only one of them')
    if options.drive == 'cmd_vel' and (options.mode != 'dependency' or options.freeze or options.max_turn_rate == 0):
        parser.error('--drive cmd_vel is for released paths: without --mode timed, --freeze and --max-turn-rate 0')
    if (options.max_speed or 1.0) <= 0 or (options.max_turn_rate or 0.0) < 0:
        parser.error('--max-speed must be more than 0, and --max-turn-rate not less')
    options.out = options.out.resolve()
    return options


def find_program(name, variable):
    """Path of a program: from the environment variable, otherwise where ./run or colcon install it."""
    if os.environ.get(variable):
        return os.environ[variable]
    places = [TOP / 'install' / 'lib', TOP / 'install' / 'fleetweave' / 'lib']
    for place in places:
        if (place / 'fleetweave' / name).exists():
            return str(place / 'fleetweave' / name)
    raise Failure(f'{name} is not built: run ./run build, or set {variable}')


class Process:
    """A running program with its output in a file, whose last lines are shown when it fails."""

    def __init__(self, name, words, log_path):
        self.name = name
        self.log_path = log_path
        self.started = time.monotonic()
        self.processor_seconds = 0.0
        with open(log_path, 'w') as log:
            # A session of its own: Ctrl-C reaches this script only, which then stops the programs in order.
            self.popen = subprocess.Popen(words, stdout=log, stderr=subprocess.STDOUT, start_new_session=True)

    def has_ended(self):
        return self.popen.poll() is not None

    def note_processor_time(self):
        """Remembers the processor time that the program has used so far."""
        try:
            fields = Path(f'/proc/{self.popen.pid}/stat').read_text().rsplit(')', 1)[1].split()
        except OSError:
            return
        self.processor_seconds = (int(fields[11]) + int(fields[12])) / os.sysconf('SC_CLK_TCK')

    def stop(self, interrupts=None):
        """Ends the program, at once if somebody is in a hurry."""
        for number, patience in ((signal.SIGINT, 10), (signal.SIGTERM, 5), (signal.SIGKILL, math.inf)):
            if self.has_ended():
                break
            self.popen.send_signal(number)
            end = time.monotonic() + patience
            while not self.has_ended() and time.monotonic() < end:
                if interrupts and interrupts.count and number != signal.SIGKILL:
                    break
                time.sleep(0.02)
        return self.popen.returncode

    def check(self):
        """Raises Failure unless the program ended with exit code 0."""
        if self.popen.returncode != 0:
            raise Failure(self.last_lines())

    def last_lines(self):
        lines = self.log_path.read_text(errors='replace').splitlines()[-LOG_LINES_SHOWN:]
        words = '\n'.join('  ' + line for line in lines)
        return f'{self.name} ended with exit code {self.popen.returncode}. Its last lines:\n{words}'


class Interrupts:
    """While programs are being stopped, Ctrl-C must not leave some of them behind: it is counted, and hastens the end."""

    def __init__(self):
        self.count = 0

    def __enter__(self):
        self.handlers = {number: signal.signal(number, self.add) for number in (signal.SIGINT, signal.SIGTERM)}
        return self

    def __exit__(self, *_):
        for number, handler in self.handlers.items():
            signal.signal(number, handler)

    def add(self, number, frame):
        self.count += 1


class Listener:
    """The last value of each diagnostics key of the simulator and the planner."""

    def __init__(self):
        import rclpy
        from rclpy.executors import SingleThreadedExecutor
        from diagnostic_msgs.msg import DiagnosticArray
        from nav_msgs.msg import Path as PathMessage
        from rclpy.qos import DurabilityPolicy, QoSProfile
        self.rclpy = rclpy
        self.first_plan = None  # time.monotonic() when a first path of a robot came
        self.simulator = {}
        self.planner = {}
        rclpy.init(signal_handler_options=rclpy.signals.SignalHandlerOptions.NO)
        self.node = rclpy.create_node('fleetweave_demo')
        self.executor = SingleThreadedExecutor()
        self.executor.add_node(self.node)
        self.node.create_subscription(DiagnosticArray, 'fleet_sim/status', self.on_simulator, 10)
        self.node.create_subscription(DiagnosticArray, '/diagnostics', self.on_planner, 10)
        latched = QoSProfile(depth=1, durability=DurabilityPolicy.TRANSIENT_LOCAL)
        self.node.create_subscription(PathMessage, 'robot_0/timed_path', self.on_path, latched)

    def on_path(self, message):
        if self.first_plan is None and len(message.poses) > 1:
            self.first_plan = time.monotonic()

    def on_simulator(self, message):
        self.simulator = {pair.key: pair.value for pair in message.status[0].values}

    def on_planner(self, message):
        for status in message.status:
            values = {pair.key: pair.value for pair in status.values}
            if 'solve_ms_median' in values:
                self.planner = values

    def facts(self):
        return {'Goals reached': self.simulator.get('goals_reached', '0'), 'Overlaps': self.simulator.get('overlaps', '0'),
                'Planning': short_planning_times(self.planner).removeprefix('planning ')}

    def listen(self, seconds):
        self.executor.spin_once(timeout_sec=seconds)

    def close(self):
        self.executor.shutdown()
        self.node.destroy_node()
        self.rclpy.try_shutdown()


def planning_times(planner):
    if 'solve_ms_median' not in planner:
        return 'not reported'
    return f"median {float(planner['solve_ms_median']):.1f} ms, 99th percentile {float(planner['solve_ms_p99']):.1f} ms"


def release_times(planner, options):
    """Times from the stamp of a pose to the releases that follow from it, and the share of poses received."""
    sent = options.robots * POSE_HERTZ[options.drive] * options.seconds
    return (f"median {float(planner['release_ms_median']):.1f} ms, 99th percentile {float(planner['release_ms_p99']):.1f} ms; "
            f"{100 * int(planner['reports']) / sent:.1f} % of {sent:.0f} poses heard")


def short_planning_times(planner):
    if 'solve_ms_median' not in planner:
        return ''
    return f"planning {float(planner['solve_ms_median']):.1f} ms, 99 % {float(planner['solve_ms_p99']):.1f} ms"


class Progress:
    """Progress: one line that is rewritten on a terminal, otherwise a line every few seconds."""

    def __init__(self, seconds):
        self.seconds = seconds
        self.is_terminal = sys.stdout.isatty()
        self.last = None

    def show(self, listener):
        status = listener.simulator
        if not status or status.get('seconds') == self.last:
            return
        now = float(status['seconds'])
        if not self.is_terminal and self.last is not None and int(now / 5) == int(float(self.last) / 5):
            return
        self.last = status['seconds']
        line = (f"{now:4.0f} of {self.seconds:.0f} s   {status['goals_reached']} goals reached   "
                f"{status['overlaps']} overlaps   {short_planning_times(listener.planner)}")
        if self.is_terminal:
            width = os.get_terminal_size().columns - 1
            print('\r' + line[:width].ljust(width), end='', flush=True)
        else:
            print(line, flush=True)

    def end(self):
        if self.is_terminal and self.last is not None:
            print(flush=True)


def freezes(options):
    """Faults: every robot stops once for some seconds, one after the other."""
    begin, end, pause = options.seconds / 8, options.seconds * 7 / 8, options.seconds / 8
    step = (end - begin) / options.robots
    return [f'"robot_{k}@{begin + k * step:.1f}+{pause:.1f}"' for k in range(options.robots)]


def start_processes(options, programs, run_file, started):
    """Appends each process to `started` at once: who is interrupted in between knows what to stop."""
    folder, name = run_file.parent, run_file.stem
    names = '[' + ','.join(f'robot_{i}' for i in range(options.robots)) + ']'
    map_name = str(Path(options.map).resolve()) if Path(options.map).is_file() else options.map
    simulated = 'false' if options.real_time else 'true'
    lead = LEAD_SECONDS * max(1.0, options.rate)  # planning and messages take real time, whatever the rate
    has_wheels = options.drive == 'cmd_vel'
    files = ['demo.yaml', 'demo_wheels.yaml'] if has_wheels else ['demo.yaml']
    shared = ['--ros-args', *(word for file in files for word in ('--params-file', str(TOP / 'config' / file))),
              '-p', f'robots:={names}']
    started.append(Process(
        'planner_node',
        [programs['planner'], *shared, '-p', f'planner:={options.planner}', '-p', f'use_sim_time:={simulated}',
         '-p', f'plan_lead_seconds:={lead}', '-p', f'execution_mode:={options.mode}', '-p', f'pose_source:={options.poses}',
         *(['-p', f'record:={options.record.resolve()}'] if options.record else [])],
        folder / ('planner.log' if name == options.out.stem else f'planner-{options.mode}.log')))
    # The simulator publishes the clock: on a slow machine simulated time is slow too, and no robot is late for that.
    started.append(Process(
        'fleet_sim',
        [programs['simulator'], *shared, '-p', f'map:={map_name}', '-p', f'seed:={options.seed}',
         '-p', f'duration:={options.seconds}', '-p', f'publish_clock:={simulated}', '-p', f'rate_factor:={options.rate}',
         '-p', f'record:={run_file}', '-p', f'follow:={FOLLOWED[options.mode]}',
         '-p', f'publish_odom:={str(options.web or options.poses == "odom").lower()}',
         *limits(options, 'max_speed', 'max_turn_rate'),
         *(['-p', f'freeze:=[{",".join(freezes(options))}]'] if options.freeze else [])],
        folder / ('fleet_sim.log' if name == options.out.stem else f'fleet_sim-{options.mode}.log')))
    if has_wheels:
        started.append(Process(
            'path_follower',
            [programs['follower'], *shared, '-p', f'use_sim_time:={simulated}', '-p', f'pose_source:={options.poses}',
             *limits(options, 'speed', 'turn_rate')],
            folder / 'path_follower.log'))


def limits(options, speed, turn_rate):
    """The limits that were given, as parameters of these names."""
    given = {speed: options.max_speed, turn_rate: options.max_turn_rate}
    return [word for name, value in given.items() if value is not None for word in ('-p', f'{name}:={float(value)}')]


class Web:
    """The live page, served once the map and all robots are known."""

    def __init__(self, options, programs, listener):
        from live import News
        self.options, self.programs, self.listener, self.server = options, programs, listener, None
        self.news = News(listener.node, [f'robot_{i}' for i in range(options.robots)])

    def update(self):
        from live import Live
        self.news.facts = self.listener.facts()
        if self.server is None and self.news.has_all():
            page = self.news.first_page(self.programs['cli'], title_of(self.options), ROBOT_RADIUS)
            try:
                self.server = Live(self.news, page, self.options.port)
            except OSError as error:
                raise Failure(f'cannot serve the page on port {self.options.port}: {error.strerror}') from error
            print(f'live page        {self.server.address()}', flush=True)

    def end(self):
        if self.server is not None:
            self.server.end()


def watch(options, listener, web, planner, simulator):
    """Waits for the end of the simulator. A planner that ends earlier is a failure, and so is a run that does not end."""
    progress = Progress(options.seconds)
    end = time.monotonic() + 60 + 10 * options.seconds / options.rate
    try:
        while not simulator.has_ended():
            listener.listen(0.1)
            if web:
                web.update()
            progress.show(listener)
            planner.note_processor_time()
            simulator.note_processor_time()
            if planner.has_ended():
                raise Failure(planner.last_lines())
            if time.monotonic() > end:
                raise Failure(f'the run does not end: see {simulator.log_path}')
    finally:
        progress.end()


def count_events(run_file):
    """Numbers of arrivals and overlaps in the record."""
    counts = {'a': 0, 'o': 0}
    for line in run_file.read_text().splitlines():
        if line[:2] in ('a ', 'o '):
            counts[line[0]] += 1
    return counts['a'], counts['o']


def run_fleet(options, programs, run_file):
    """Runs all processes; returns the last diagnostics of the planner."""
    started = []
    listener = Listener()
    web = Web(options, programs, listener) if options.web else None
    try:
        start_processes(options, programs, run_file, started)
        planner, simulator, *follower = started
        watch(options, listener, web, planner, simulator)
        simulator.check()
        for process in (planner, *follower):
            process.stop()
            process.check()
        usage = {f'{process.name}_seconds': process.processor_seconds for process in started}
        if listener.first_plan is not None:
            usage['first_plan_seconds'] = listener.first_plan - planner.started
        return {**listener.planner, **usage}
    finally:
        with Interrupts() as interrupts:
            for process in reversed(started):
                process.stop(interrupts)
            if web:
                web.end()
            listener.close()


def count(robots):
    return f'{robots} robot{"" if robots == 1 else "s"}'


def title_of(options):
    return f'{count(options.robots)}, {options.planner}, {options.map}, {options.mode}'


def write_page(options, programs, run_file):
    page = run_file.with_suffix('.html')
    words = [programs['cli'], 'replay', str(run_file), '-o', str(page), '--title', title_of(options)]
    done = subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if done.returncode != 0:
        raise Failure(f'fleetweave replay failed with exit code {done.returncode}:\n{done.stdout}')


def drive(options, programs, run_file):
    """One run with its page; returns goals, overlaps and the last diagnostics of the planner."""
    with tempfile.TemporaryDirectory(prefix='fleetweave-demo-') as log_folder:
        os.environ['ROS_LOG_DIR'] = log_folder
        planner = run_fleet(options, programs, run_file)
    write_page(options, programs, run_file)
    return *count_events(run_file), planner


def report(options, goals, overlaps, planner):
    print(f'goals reached    {goals} ({60 * goals / options.seconds:.1f} per minute)')
    print(f'overlaps         {overlaps}')
    print(f"planning time    {planning_times(planner)}, {planner.get('rounds', '0')} rounds")
    if options.real_time and 'reports' in planner:
        print(f'pose to release  {release_times(planner, options)}')
        if 'first_plan_seconds' in planner:
            print(f"first plan       {planner['first_plan_seconds']:.1f} s after the start of the processes")
        print(f"processor time   {100 * planner['planner_node_seconds'] / options.seconds:.0f} % of a core for the node, "
              f"{100 * planner['fleet_sim_seconds'] / options.seconds:.0f} % for the simulator")
    print(f'playback         {options.out}')
    print(f'                 open it in any browser: {options.out.as_uri()}')


def compare(options, programs):
    """Both modes with the same faults; returns the overlaps of the dependency mode, which must be 0."""
    rows = []
    print(f'each robot is frozen once for {options.seconds / 8:g} s, one after the other', flush=True)
    for mode in ('timed', 'dependency'):
        options.mode = mode
        run_file = options.out.with_suffix('.run')
        if mode == 'timed':
            run_file = run_file.with_name(f'{options.out.stem}-timed.run')
        print(f'{mode}:', flush=True)
        goals, overlaps, planner = drive(options, programs, run_file)
        rows.append((mode, goals, overlaps, planning_times(planner), run_file.with_suffix('.html')))
    print(f'{"":16} {"timed":>12} {"dependency":>12}')
    print(f'{"goals reached":16} {rows[0][1]:>12} {rows[1][1]:>12}')
    print(f'{"overlaps":16} {rows[0][2]:>12} {rows[1][2]:>12}')
    for mode, _, _, times, page in rows:
        print(f'{mode}: {times}; playback {page.as_uri()}')
    return rows[1][2]


def demo(options):
    programs = {
        'planner': find_program('planner_node', 'FLEETWEAVE_PLANNER_NODE'),
        'simulator': find_program('fleet_sim', 'FLEETWEAVE_FLEET_SIM'),
        'cli': find_program('fleetweave', 'FLEETWEAVE_CLI'),
    }
    if options.drive == 'cmd_vel':
        programs['follower'] = find_program('path_follower', 'FLEETWEAVE_PATH_FOLLOWER')
    options.out.parent.mkdir(parents=True, exist_ok=True)
    if options.record:
        options.record.parent.mkdir(parents=True, exist_ok=True)
    print(f'{count(options.robots)}, planner {options.planner}, map {options.map}, {options.seconds:g} s', flush=True)
    if options.freeze:
        overlaps = compare(options, programs)
    else:
        goals, overlaps, planner = drive(options, programs, options.out.with_suffix('.run'))
        report(options, goals, overlaps, planner)
    if overlaps:
        print('robots overlapped, which must not happen: please report it with the logs', file=sys.stderr)
    return 1 if overlaps else 0


def stop_on_signal(number, frame):
    raise KeyboardInterrupt


def main():
    options = parse_arguments()
    # Other robots may be on the network: stay on this machine, in a ROS domain of our own.
    os.environ['ROS_AUTOMATIC_DISCOVERY_RANGE'] = 'LOCALHOST'
    os.environ['ROS_DOMAIN_ID'] = str(options.domain)
    signal.signal(signal.SIGTERM, stop_on_signal)
    try:
        return demo(options)
    except Failure as failure:
        print(f'demo: {failure}', file=sys.stderr)
        return 3
    except ImportError as error:
        print(f'demo: {error}: start it with ./run demo, which sets up ROS 2', file=sys.stderr)
        return 3
    except KeyboardInterrupt:
        print('\nstopped', file=sys.stderr)
        return 130


if __name__ == '__main__':
    sys.exit(main())
