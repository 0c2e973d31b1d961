"""What the simulator counts and records."""
import re
import signal

from geometry_msgs.msg import PoseStamped
from sim import FAST, alone, inward


def test_overlapping_discs_are_counted_once_per_meeting(start, tmp_path):
    record = tmp_path / 'run.txt'
    names = ['a', 'b']
    sim = start({'robots': '[a,b]', 'map': 'open:20x12', 'goals': 'none', 'max_speed': 20.0,
                 'record': record, **FAST}, names)
    places = {name: sim.pose(name) for name in names}
    assert sim.count('overlaps') == 0
    begin = sim.now('a') + 2.0
    (x, y), (u, v) = places['a'], places['b']
    sim.send('a', [(begin, x, y), (begin + 1, u, v), (begin + 4, u, v), (begin + 5, x, y), (begin + 6, x, y),
                   (begin + 7, u, v), (begin + 99, u, v)])
    sim.until_time('a', begin + 3)
    sim.until(lambda: sim.count('overlaps') == 1, 'an overlap')
    sim.until_time('a', begin + 8)
    sim.until(lambda: sim.count('overlaps') == 2, 'a second overlap')
    sim.process.send_signal(signal.SIGINT)
    assert sim.ended() == 0
    overlaps = [line.split() for line in record.read_text().splitlines() if line.startswith('o ')]
    assert [words[2:] for words in overlaps] == [['0', '1'], ['0', '1']]
    assert float(overlaps[0][1]) < float(overlaps[1][1])
    assert 'a and b overlap' in sim.log()


def test_arrival_gives_a_new_goal_and_goals_are_never_shared(start, tmp_path):
    names = [f'robot_{i}' for i in range(4)]
    record = tmp_path / 'run.txt'
    sim = start({'robots': 4, 'map': 'open:4x3', 'max_speed': 5.0, 'record': record, **FAST}, names)
    answered = dict.fromkeys(names, 0)

    def drive():
        for name in names:
            if len(sim.goals[name]) > answered[name]:
                answered[name] = len(sim.goals[name])
                position = sim.goals[name][-1].pose.position
                now = sim.now(name)
                sim.send(name, [(now + 0.1, *sim.pose(name)), (now + 1.0, position.x, position.y)])
        return min(answered.values()) >= 8

    sim.until(drive, 'eight goals for each robot')
    assert sim.count('goals_reached') >= 4
    assert sim.count('goals_per_minute') > 0
    sim.process.send_signal(signal.SIGINT)
    assert sim.ended() == 0
    # Twelve cells and four robots: two goals would soon be one if nobody looked.
    current = {}
    events = [line.split() for line in record.read_text().splitlines() if line[:2] in ('g ', 'a ')]
    for kind, _, robot, *goal in events:
        if kind == 'g':
            assert goal not in current.values()
            current[robot] = goal
    arrivals = [i for i, words in enumerate(events) if words[0] == 'a']
    assert len(arrivals) >= 28
    for i in arrivals:
        assert events[i + 1][0] == 'g' and events[i + 1][2] == events[i][2]  # a new goal at once, for whom arrived
    for name, messages in sim.goals.items():
        for message in messages:
            assert message.header.frame_id == 'map'
            assert 0 < message.pose.position.x < 2 and 0 < message.pose.position.y < 1.5


def test_starts_may_lie_beside_the_middle_of_a_cell(start):
    sim = start({'robots': '[a,b]', 'map': 'open:20x12', 'goals': 'none', 'starts': '["2,3","4.5,-0.25"]', **FAST}, ['a', 'b'])
    assert sim.pose('a') == (1.25, 1.75) and sim.pose('b') == (2.5, 0.125)


def test_the_same_seed_gives_the_same_starts_and_goals(start):
    names = [f'robot_{i}' for i in range(3)]
    seen = []
    for seed in (7, 7, 8):
        sim = start({'robots': 3, 'map': 'open:30x30', 'seed': seed, **FAST}, names)
        sim.until(lambda: all(sim.goals[name] for name in names), 'goals')
        seen.append([(sim.pose(name), sim.goals[name][0].pose.position.x) for name in names])
        sim.close()
    assert seen[0] == seen[1]
    assert seen[0] != seen[2]


def test_a_user_s_own_goals_are_noticed_and_counted(start, tmp_path):
    record = tmp_path / 'run.txt'
    sim = alone(start, record=record)
    x, y = sim.pose('a')
    goal = PoseStamped()
    goal.header.frame_id = 'map'
    goal.pose.position.x, goal.pose.position.y = x + inward(x, 10), y
    sim.until(lambda: sim.goal_out['a'].get_subscription_count() > 1, 'the simulator to listen')
    sim.goal_out['a'].publish(goal)
    begin = sim.now('a') + 1.0
    sim.send('a', [(begin, x, y), (begin + 2, goal.pose.position.x, y)])
    sim.until(lambda: sim.count('goals_reached') == 1, 'the arrival')
    sim.process.send_signal(signal.SIGTERM)
    assert sim.ended() == 0
    lines = record.read_text().splitlines()
    assert len([line for line in lines if line.startswith('g ')]) == 1
    assert len([line for line in lines if line.startswith('a ')]) == 1


def test_the_record_is_well_formed(start, tmp_path):
    record = tmp_path / 'run.txt'
    names = [f'robot_{i}' for i in range(3)]
    sim = start({
        'robots': 3, 'map': 'warehouse:25x11,seed=1', 'record': record, 'duration': 20.0, **FAST}, names)
    sim.until(lambda: sim.goals['robot_1'], 'a goal')
    goal = sim.goals['robot_1'][0].pose.position
    now = sim.now('robot_1')
    sim.send('robot_1', [(now + 1, *sim.pose('robot_1')), (now + 4, goal.x, goal.y)])
    assert sim.ended() == 0
    lines = record.read_text().splitlines()
    assert lines[:5] == ['fleetweave_run=1', 'robots=3', 'resolution=0.5', 'radius=0.2', 'size=25x11']
    assert lines[5] == 'grid='
    grid = lines[6:17]
    assert all(len(row) == 25 and set(row) <= {'.', '@'} for row in grid)
    assert any('@' in row for row in grid)
    assert lines[17] == 'poses='
    last = 0.0
    kinds = []
    pose = r'\d+:-?\d+\.\d+,-?\d+\.\d+,-?\d+\.\d+'
    for line in lines[18:]:
        assert re.fullmatch(
            rf'p \d+\.\d+( {pose})+|g \d+\.\d+ \d \d+\.\d+,\d+\.\d+|a \d+\.\d+ \d|o \d+\.\d+ \d \d', line), line
        kinds.append(line[0])
        assert float(line.split()[1]) >= last
        last = float(line.split()[1])
    first = lines[18].split()
    assert first[0] == 'p' and [word.split(':')[0] for word in first[2:]] == ['0', '1', '2']
    for word in first[2:]:  # robots begin on free cells
        x, y, _ = (float(number) for number in word.split(':')[1].split(','))
        assert grid[int(y / 0.5)][int(x / 0.5)] == '.'
    assert kinds.count('g') >= 4 and kinds.count('a') >= 1
    moved = [line for line in lines[19:] if line.startswith('p ')]
    assert moved and all(re.fullmatch(r'p \S+ 1:\S+', line) for line in moved)  # only who moved
