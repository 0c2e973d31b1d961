"""The faults of `./run soak`. A fault is a generator: it does something, and yields for how many seconds to wait, or a
condition with what is waited for. One goes on at a time; small ones of the simulator (soak.py, TROUBLE) all the time."""
import collections
import math
import time

from builtin_interfaces.msg import Time
from geometry_msgs.msg import Point
from map_msgs.msg import OccupancyGridUpdate
from nav_msgs.msg import GridCells, OccupancyGrid
from rcl_interfaces.msg import Parameter, ParameterType, ParameterValue
from rcl_interfaces.srv import SetParameters
from rosgraph_msgs.msg import Clock
from soak_watch import LATCHED
from std_srvs.srv import Trigger

BOUND_SECONDS = 60.0  # for what a fault waits for
CLEAR = 1.5           # metres between robots and what is put on the floor
PLANNER = 'fleetweave_planner'


class Faults:
    def __init__(self, site, watch, chance, options):
        self.site, self.watch, self.chance = site, watch, chance
        self.pause = options.fault_seconds
        node = watch.node
        self.updates = node.create_publisher(OccupancyGridUpdate, 'map_updates', 10)
        self.blocked = node.create_publisher(GridCells, 'blocked_cells', 10)
        self.keepout = node.create_publisher(OccupancyGrid, 'keepout_mask', LATCHED)
        self.clock = node.create_publisher(Clock, '/clock', 1)
        self.set_parameters = node.create_client(SetParameters, f'{PLANNER}/set_parameters')
        self.kinds = {
            'kill_planner': self.kill_planner, 'kill_simulator': self.kill_simulator, 'stall_planner': self.stall_planner,
            'stall_simulator': self.stall_simulator, 'map': self.change_map, 'blocked': self.block_cells,
            'keepout': self.keep_out, 'robots': self.change_robots, 'hold': self.hold, 'replace': self.replace_goals,
            'cancel': self.cancel_goals}
        if options.clock == 'sim':
            self.kinds.update(clock_ahead=self.clock_ahead, clock_back=self.clock_back)
        if site.followers:
            self.kinds.update(kill_follower=self.kill_follower, stall_follower=self.stall_follower)
        if options.faults != 'all':
            chosen = [] if options.faults == 'none' else options.faults.split(',')
            unknown = [kind for kind in chosen if kind not in self.kinds]
            if unknown:
                from demo import Failure
                raise Failure(f'there is no fault {unknown[0]}, only: {", ".join(self.kinds)}')
            self.kinds = {kind: self.kinds[kind] for kind in chosen}
        self.bag = []  # each kind once, in random order, then again
        self.counts = collections.Counter()
        self.present, self.name, self.waits_for, self.until = None, '', None, 0.0
        self.next_at = time.monotonic() + self.pause
        self.begun = []

    @property
    def count(self):
        return sum(self.counts.values())

    def take_begun(self):
        begun, self.begun = self.begun, []
        return begun

    def is_quiet(self):
        return self.present is None

    def step(self, may_begin):
        now = time.monotonic()
        if self.present is None:
            if may_begin and now >= self.next_at and self.kinds:
                self.begin()
            return
        if callable(self.waits_for):
            if not self.waits_for():
                if now < self.until:
                    return
                self.watch.violate('recovery', f'{self.name}: waited in vain for {self.what}')
        elif now < self.until:
            return
        self.go_on()

    def begin(self):
        if not self.bag:
            self.bag = list(self.kinds)
            self.chance.shuffle(self.bag)
        self.name = self.bag.pop()
        self.counts[self.name] += 1
        self.begun.append(self.name)
        self.present = self.kinds[self.name]()
        self.go_on()

    def go_on(self):
        try:
            wait = next(self.present)
        except StopIteration:
            self.present = None
            self.next_at = time.monotonic() + self.chance.uniform(0.5, 1.5) * self.pause
            return
        if isinstance(wait, tuple):
            self.waits_for, self.what = wait
            self.until = time.monotonic() + BOUND_SECONDS
        else:
            self.waits_for, self.until = None, time.monotonic() + wait

    # ---- processes

    def start_planner(self):
        began = time.monotonic()
        self.site.start('planner')
        watch = self.watch
        yield (lambda: watch.diagnostics_at > began and set(watch.robots) >= set(self.site.listed) and watch.planner,
               'the diagnostics of a planner that was started again')

    def kill_planner(self):
        kept = self.watch.note_killed_planner()
        self.site.kill('planner')
        yield self.chance.uniform(0.0, 5.0)
        yield from self.start_planner()
        # Until a robot has reported, and there is a map, nothing is said of its goal.
        yield (lambda: self.watch.planner.get('map') != '0x0' and all(
            self.watch.robots[name].get('state') != 'waiting' for name in kept), 'the map and all robots')
        yield 1.5
        self.watch.check_journal(kept)

    def kill_simulator(self):
        """The robots stay where they are: the next simulator begins with their places."""
        self.site.stall('simulator')
        yield 1.0  # what it has sent arrives everywhere
        resolution, info = self.watch.map.info.resolution, self.watch.map.info
        places = self.watch.places()
        if len(places) == len(self.site.names):
            self.site.places = {name: ((x - info.origin.position.x) / resolution - 0.5,
                                       (y - info.origin.position.y) / resolution - 0.5) for name, (x, y) in places.items()}
        self.site.kill('simulator')
        self.watch.excuse()  # its clock begins at 0: time goes back
        self.watch.note_new_simulator()
        yield self.chance.uniform(0.0, 3.0)
        began = time.monotonic()
        self.site.start('simulator')
        yield (lambda: self.watch.status_at > began, 'a simulator that was started again')
        self.watch.excuse()

    def kill_follower(self):
        name = self.chance.choice(self.site.followers)
        self.site.kill(name)
        yield self.chance.uniform(0.0, 5.0)
        self.site.start(name)

    def stall(self, name, longest):
        self.site.stall(name)
        yield self.chance.uniform(0.2, longest)
        self.site.go_on(name)

    def stall_planner(self):
        yield from self.stall('planner', 8.0)

    def stall_simulator(self):
        yield from self.stall('simulator', 4.0)

    def stall_follower(self):
        yield from self.stall(self.chance.choice(self.site.followers), 8.0)

    # ---- time

    def jump(self, seconds):
        """One wrong message of the clock; the next one of the simulator jumps the other way."""
        now = float(self.watch.simulator.get('seconds', 0.0))  # at most a second old
        wrong = max(0.0, now + seconds)
        self.watch.excuse()
        self.clock.publish(Clock(clock=Time(sec=int(wrong), nanosec=int(1e9 * (wrong % 1.0)))))
        yield 1.0
        self.watch.excuse()

    def clock_ahead(self):
        yield from self.jump(self.chance.uniform(5.0, 120.0))

    def clock_back(self):
        yield from self.jump(-self.chance.uniform(5.0, 120.0))

    # ---- the floor

    def find_area(self, width, height):
        """Columns and rows of cells that are free and away from all robots. None if there are none."""
        info, data = self.watch.map.info, self.watch.map.data
        places = list(self.watch.places().values())
        for _ in range(200):
            x, y = self.chance.randrange(info.width - width), self.chance.randrange(info.height - height)
            middle = ((x + width / 2) * info.resolution + info.origin.position.x,
                      (y + height / 2) * info.resolution + info.origin.position.y)
            cells = [(i, j) for j in range(y, y + height) for i in range(x, x + width)]
            if all(data[j * info.width + i] == 0 for i, j in cells) and all(
                    math.dist(middle, place) > CLEAR for place in places):
                return x, y, cells
        return None

    def seconds(self):
        return self.chance.uniform(5.0, 20.0)

    def change_map(self):
        found = self.find_area(self.chance.randint(1, 2), self.chance.randint(1, 2))
        if found is None:
            return
        x, y, cells = found
        update = OccupancyGridUpdate(x=x, y=y, width=max(i for i, _ in cells) - x + 1, height=max(j for _, j in cells) - y + 1)
        update.header.frame_id = 'map'
        self.watch.excuse(seconds=30.0)
        for value in (100, 0):
            update.data = [value] * len(cells)
            self.updates.publish(update)
            yield self.seconds()
        self.watch.excuse()

    def publish_blocked(self, places):
        info = self.watch.map.info
        message = GridCells(cell_width=info.resolution, cell_height=info.resolution)
        message.header.frame_id = 'map'
        message.cells = [Point(x=x, y=y) for x, y in places]
        self.blocked.publish(message)

    def block_cells(self):
        info, places = self.watch.map.info, []
        for _ in range(self.chance.randint(1, 6)):
            found = self.find_area(1, 1)
            if found is not None:
                x, y, _ = found
                places.append(((x + 0.5) * info.resolution + info.origin.position.x,
                               (y + 0.5) * info.resolution + info.origin.position.y))
        self.watch.excuse(seconds=30.0)
        self.publish_blocked(places)
        yield self.seconds()
        self.publish_blocked([])
        self.watch.excuse()

    def keep_out(self):
        found = self.find_area(self.chance.randint(1, 3), self.chance.randint(1, 3))
        if found is None:
            return
        info = self.watch.map.info
        mask = OccupancyGrid(info=info)
        mask.header.frame_id = 'map'
        data = [0] * (info.width * info.height)
        for x, y in found[2]:
            data[y * info.width + x] = 100
        mask.data = data
        self.watch.excuse(seconds=30.0)
        self.keepout.publish(mask)
        yield self.seconds()
        empty = OccupancyGrid()
        empty.header.frame_id = 'map'
        self.keepout.publish(empty)
        self.watch.excuse()

    # ---- robots and goals

    def call(self, client, request):
        """Yields until there is an answer; a request that the other side has not heard is sent again."""
        for _ in range(5):
            if not client.service_is_ready():
                yield 1.0
                continue
            future = client.call_async(request)
            yield 1.0
            if future.done():
                return future.result()
        self.watch.violate('recovery', f'{self.name}: {client.srv_name} does not answer')
        return None

    def set_robots(self, names):
        value = ParameterValue(type=ParameterType.PARAMETER_STRING_ARRAY, string_array_value=names)
        answer = yield from self.call(
            self.set_parameters, SetParameters.Request(parameters=[Parameter(name='robots', value=value)]))
        if answer is not None and not answer.results[0].successful:
            self.watch.violate('process', f'the planner refuses its robots: {answer.results[0].reason}')
        return answer is not None and answer.results[0].successful

    def change_robots(self):
        """Some leave the list, which makes them stand, and come back. What stands there is an obstacle meanwhile: to the
        planner a robot that is not listed is not there. So they are held first, until they stand."""
        site, watch = self.site, self.watch
        gone = self.chance.sample(site.names, max(1, len(site.names) // 20))
        watch.excuse(seconds=120.0)
        for name in gone:
            yield from self.trigger(name, 'hold')
        yield (self.rest_of(gone), f'{gone} to stand')
        places = watch.places()
        self.publish_blocked([places[name] for name in gone])
        yield 1.0
        for name in gone:
            watch.clients[name].is_listed = False
        if (yield from self.set_robots([name for name in site.names if name not in gone])):
            site.listed = [name for name in site.names if name not in gone]
            yield self.seconds()
            if (yield from self.set_robots(site.names)):
                site.listed = list(site.names)
        yield 1.0
        self.publish_blocked([])
        for name in gone:
            watch.clients[name].is_listed = True
            yield from self.trigger(name, 'release')
        watch.excuse()

    def rest_of(self, names):
        """A condition: these have not moved for a second and a half."""
        last, since = {}, time.monotonic()

        def stand():
            nonlocal last, since
            now = time.monotonic()
            if now < since + 1.5:
                return False
            places = {name: place for name, place in self.watch.places().items() if name in names}
            is_still = len(places) == len(names) and all(
                name in last and math.dist(place, last[name]) < 0.03 for name, place in places.items())
            last, since = places, now
            return is_still
        return stand

    def trigger(self, name, service):
        client = self.watch.node.create_client(Trigger, f'{name}/{service}')
        answer = yield from self.call(client, Trigger.Request())
        self.watch.node.destroy_client(client)
        return answer

    def hold(self):
        names = self.chance.sample(self.site.names, max(1, len(self.site.names) // 30))
        for name in names:
            yield from self.trigger(name, 'hold')
        yield self.seconds()
        for name in names:
            yield from self.trigger(name, 'release')

    def replace_goals(self):
        for name in self.chance.sample(self.site.names, max(1, len(self.site.names) // 10)):
            self.watch.clients[name].replace()
        yield 1.0

    def cancel_goals(self):
        for name in self.chance.sample(self.site.names, max(1, len(self.site.names) // 10)):
            self.watch.clients[name].cancel()
        yield 1.0
