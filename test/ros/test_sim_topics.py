"""What the simulator publishes."""
import math
import re
import time

import pytest
from fleet import Fleet
from geometry_msgs.msg import PoseStamped
from nav_msgs.msg import OccupancyGrid
from rclpy.qos import DurabilityPolicy, ReliabilityPolicy, qos_profile_sensor_data
from rosgraph_msgs.msg import Clock
from sim import FAST, LATCHED, seconds


def test_the_map_is_latched_and_at_its_own_resolution(start):
    sim = start({'robots': 3, 'map': 'warehouse:41x21,seed=1', 'cell_size': 0.5, 'map_resolution': 0.25})
    sim.until(lambda: sim.node.get_publishers_info_by_topic('/map'), 'the map')
    qos = sim.node.get_publishers_info_by_topic('/map')[0].qos_profile
    assert qos.durability == DurabilityPolicy.TRANSIENT_LOCAL
    assert qos.reliability == ReliabilityPolicy.RELIABLE
    maps = []
    sim.node.create_subscription(OccupancyGrid, 'map', maps.append, LATCHED)  # late, and still served
    sim.until(lambda: maps, 'the map')
    grid = maps[0]
    assert (grid.info.width, grid.info.height) == (82, 42)
    assert grid.info.resolution == pytest.approx(0.25)
    assert grid.header.frame_id == 'map'
    assert len(grid.data) == 82 * 42
    assert set(grid.data) == {0, 100}
    for y in range(0, 42, 2):  # a cell of the line is four cells of the map
        for x in range(0, 82, 2):
            assert len({grid.data[(y + j) * 82 + x + i] for i in (0, 1) for j in (0, 1)}) == 1


def test_a_map_file_is_read_with_its_first_line_at_the_bottom(start, tmp_path):
    file = tmp_path / 'hall.map'
    file.write_text('type octile\nheight 2\nwidth 4\nmap\n.@@.\n....\n')
    sim = start({'robots': 2, 'map': file})
    maps = []
    sim.node.create_subscription(OccupancyGrid, 'map', maps.append, LATCHED)
    sim.until(lambda: maps, 'the map')
    assert (maps[0].info.width, maps[0].info.height) == (4, 2)
    assert list(maps[0].data) == [0, 100, 100, 0, 0, 0, 0, 0]


def test_odometry_is_best_effort_in_the_map_frame(start):
    names = ['north', 'south']
    sim = start({'robots': '[north,south]', 'map': 'open:12x12', 'odom_rate': 10.0, **FAST}, names)
    sim.until(lambda: all(len(sim.odom[name]) > 20 for name in names), 'odometry')
    qos = sim.node.get_publishers_info_by_topic('/north/odom')[0].qos_profile
    assert qos.reliability == ReliabilityPolicy.BEST_EFFORT
    message = sim.odom['south'][0]
    assert message.header.frame_id == 'map'
    assert message.child_frame_id == 'south/base_link'
    assert sim.pose('north') != sim.pose('south')
    times = [t for t, _, _ in sim.track('north')]
    steps = {round(b - a, 3) for a, b in zip(times, times[1:])}
    assert steps == {0.1}  # ten per simulated second


def test_who_takes_another_reader_s_place_at_once_gets_the_goal(start):
    sim = start({'robots': '[a]', 'map': 'open:12x12'})
    reader = None
    for _ in range(10):  # as when a planner is killed and started again: the number of readers may stay the same
        goals = []
        if reader is not None:
            sim.node.destroy_subscription(reader)
        reader = sim.node.create_subscription(PoseStamped, 'a/goal_pose', goals.append, 10)
        sim.until(lambda: goals, 'the goal')


def test_goals_and_paths_have_the_contract_s_qos(start):
    sim = start({'robots': '[a]', 'map': 'open:12x12', **FAST}, ['a'])

    def of_sim(infos):
        return [info.qos_profile for info in infos if info.node_name == 'fleet_sim']

    def goal_writers():
        return of_sim(sim.node.get_publishers_info_by_topic('/a/goal_pose'))

    def path_readers():
        return of_sim(sim.node.get_subscriptions_info_by_topic('/a/timed_path'))

    sim.until(lambda: goal_writers() and path_readers(), 'the endpoints')
    goal, path = goal_writers()[0], path_readers()[0]
    assert goal.reliability == ReliabilityPolicy.RELIABLE
    assert path.reliability == ReliabilityPolicy.RELIABLE
    assert path.durability == DurabilityPolicy.TRANSIENT_LOCAL


def test_the_clock_advances_and_the_run_ends_after_its_duration(start, tmp_path):
    sim = start({'robots': 2, 'map': 'open:12x12', **FAST})
    clocks = []
    sim.node.create_subscription(Clock, '/clock', lambda m: clocks.append(seconds(m.clock)), qos_profile_sensor_data)
    sim.until(lambda: clocks and clocks[-1] > 10.0, 'ten simulated seconds')
    assert clocks == sorted(clocks)
    assert len(set(clocks)) == len(clocks)
    since_start = sim.count('seconds')
    assert seconds(sim.status[-1].header.stamp) == pytest.approx(since_start, abs=0.03)  # it starts at 0
    sim.close()
    sim = start({'robots': 2, 'map': 'open:12x12', 'duration': 20.0, **FAST})
    assert sim.ended() == 0
    assert re.search(r'ended after 20 s: 0 goals reached, 0\.0 per minute, 0 overlaps', sim.log())


def test_without_its_own_clock_it_runs_in_system_time(start):
    sim = start({'robots': '[a]', 'map': 'open:12x12'}, ['a'])
    before = time.time()
    stamp = sim.now('a')
    assert before - 30 < stamp < time.time() + 1
    assert '/clock' not in dict(sim.node.get_topic_names_and_types())
    sim.close()
    sim = start({'robots': '[a]', 'map': 'open:12x12', 'duration': 2.0})
    assert sim.ended() == 0
    assert 'ended after 2 s' in sim.log()


def write_site(folder, rows):
    """A map with an origin, pixels of 0.25 m: the highest row first, 1 is a wall."""
    image = '\n'.join(' '.join('0' if pixel == '1' else '255' for pixel in row) for row in rows)
    (folder / 'site.pgm').write_text(f'P2\n{len(rows[0])} {len(rows)}\n255\n{image}\n')
    (folder / 'site.yaml').write_text('image: site.pgm\nresolution: 0.25\norigin: [3.0, 4.0, 0.5]\n')
    return folder / 'site.yaml'


def in_map(x, y):
    """A place of that map, from its corner along its sides."""
    return 3.0 + x * math.cos(0.5) - y * math.sin(0.5), 4.0 + x * math.sin(0.5) + y * math.cos(0.5)


def test_a_map_of_map_server_is_read_as_cells(start, tmp_path):
    """Pixels of 0.25 m become cells of 0.5 m, the lowest row first; a cell with a black pixel is blocked."""
    site = write_site(tmp_path, ['00000000', '00000000', '00010000', '00000000'])
    names = ['robot_0', 'robot_1']
    sim = start({'robots': 2, 'map': site, 'cell_size': 0.5, 'starts': '["0,0","3,1"]', 'goals': 'none'}, names)
    maps = []
    sim.node.create_subscription(OccupancyGrid, 'map', maps.append, LATCHED)
    sim.until(lambda: maps, 'the map')
    assert (maps[0].info.width, maps[0].info.height) == (4, 2)
    assert list(maps[0].data) == [0, 100, 0, 0, 0, 0, 0, 0]
    origin = maps[0].info.origin
    assert (origin.position.x, origin.position.y) == (3.0, 4.0)
    assert 2.0 * math.atan2(origin.orientation.z, origin.orientation.w) == pytest.approx(0.5)
    assert sim.pose('robot_0') == pytest.approx(in_map(0.25, 0.25), abs=1e-6)
    assert sim.pose('robot_1') == pytest.approx(in_map(1.75, 0.75), abs=1e-6)


def test_a_fleet_drives_on_a_map_whose_origin_is_turned(graph, start, tmp_path):
    """Starts, goals, overlaps of long robots and the record are those of the map's cells, wherever these are."""
    site = write_site(tmp_path, ['0' * 32] * 6 + ['0' * 8 + '1' * 16 + '0' * 8] * 4 + ['0' * 32] * 6)
    record = tmp_path / 'run.txt'
    bodies = {'footprints': '["2x1","",""]', 'turn_ticks': '[2,2,2]'}
    names = ['robot_0', 'robot_1', 'robot_2']
    fleet = Fleet(graph, start, names, simulator={'map': site, 'record': record}, bodies=bodies)
    fleet.reach(12, bound=240)
    fleet.check()
    ends = [in_map(*corner) for corner in ((0, 0), (8, 0), (8, 4), (0, 4))]
    goals = [(g.pose.position.x, g.pose.position.y) for name in names for g in fleet.sim.goals[name]]
    for x, y in goals:
        assert min(e[0] for e in ends) < x < max(e[0] for e in ends) and min(e[1] for e in ends) < y
    poses = [word.split(':')[1].split(',') for line in record.read_text().splitlines() if line.startswith('p ')
             for word in line.split()[2:]]
    assert len(poses) > 100
    assert all(0 < float(x) < 8 and 0 < float(y) < 4 for x, y, _ in poses), 'metres from the corner of the grid'
