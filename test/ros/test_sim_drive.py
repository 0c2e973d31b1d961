"""How the simulator's robots drive."""
import math
import re

import pytest
from geometry_msgs.msg import Twist
from sim import FAST, alone, fastest, inward, off_line, seconds, where


def twist(x=0.0, y=0.0, turn=0.0):
    message = Twist()
    message.linear.x, message.linear.y, message.angular.z = x, y, turn
    return message


def test_a_path_is_followed_by_its_stamps_and_waits(start):
    sim = alone(start)
    x, y = sim.pose('a')
    dx, dy = inward(x, 10), inward(y, 6)
    begin = sim.now('a') + 3.0
    points = [
        (begin, x, y), (begin + 2, x + dx, y), (begin + 5, x + dx, y), (begin + 7, x + dx, y + dy),
        (begin + 8, x + 1.5 * dx, y + dy)]
    sim.send('a', points)
    sim.until_time('a', begin + 10)
    samples = sim.track('a')
    assert any(begin + 2 < t < begin + 5 for t, _, _ in samples)
    for t, px, py in samples:
        assert (px, py) == pytest.approx(where(points, t), abs=1e-3), f'at {t - begin:.2f} s of the path'
    # It looks where it goes, and while it waits where the path says.
    headings = {round(seconds(m.header.stamp) - begin, 2): 2 * math.atan2(
        m.pose.pose.orientation.z, m.pose.pose.orientation.w) for m in sim.odom['a']}
    driving_y = [yaw for t, yaw in headings.items() if 5.2 < t < 6.8]
    assert driving_y and all(math.sin(yaw) == pytest.approx(dy, abs=1e-3) for yaw in driving_y)


def test_a_late_robot_stays_on_its_path_and_within_its_speed(start):
    sim = alone(start, max_speed=0.5)
    x, y = sim.pose('a')
    dx, dy = inward(x, 10), inward(y, 6)
    begin = sim.now('a') + 2.0
    points = [
        (begin, x, y), (begin + 1, x + 2 * dx, y), (begin + 2, x + 2 * dx, y + 2 * dy), (begin + 4, x + 2 * dx, y)]
    sim.send('a', points)
    sim.until_time('a', begin + 14)
    samples = sim.track('a')
    assert max(off_line(points, px, py) for _, px, py in samples) < 1e-3
    assert fastest(samples) < 0.5 + 1e-3
    assert max(abs(py - y) for _, _, py in samples) > 1.99  # it has been round the corner, all the way
    assert samples[-1][1:] == pytest.approx(points[-1][1:], abs=1e-3)
    assert sim.count('late_max_seconds') > 5


def test_a_new_path_takes_over_at_its_first_stamp(start):
    sim = alone(start)
    x, y = sim.pose('a')
    dx, dy = inward(x, 10), inward(y, 6)
    begin = sim.now('a') + 2.0
    old = [(begin, x, y), (begin + 8, x + 4 * dx, y)]
    new = [(begin + 4, x + 2 * dx, y), (begin + 6, x + 2 * dx, y + dy)]
    sim.send('a', old)
    sim.until_time('a', begin + 1)
    sim.send('a', new)
    sim.until_time('a', begin + 8)
    for t, px, py in sim.track('a'):
        assert (px, py) == pytest.approx(where(old if t < begin + 4 else new, t), abs=1e-3), f'at {t - begin:.2f} s'


def test_a_path_that_begins_in_the_past_and_contains_the_present_changes_nothing_till_it_parts(start):
    sim = alone(start)
    x, y = sim.pose('a')
    dx, dy = inward(x, 10), inward(y, 6)
    begin = sim.now('a') + 2.0
    sim.send('a', [(begin, x, y), (begin + 8, x + 4 * dx, y)])
    sim.until_time('a', begin + 1.5)
    new = [(begin, x, y), (begin + 6, x + 3 * dx, y), (begin + 8, x + 3 * dx, y + dy)]
    sim.send('a', new)
    sim.until_time('a', begin + 9)
    for t, px, py in sim.track('a'):
        assert (px, py) == pytest.approx(where(new, t), abs=1e-3), f'at {t - begin:.2f} s'


def test_a_late_robot_comes_to_the_new_path_along_the_old_one(start):
    sim = alone(start, max_speed=0.2)
    x, y = sim.pose('a')
    dx, dy = inward(x, 10), inward(y, 6)
    begin = sim.now('a') + 2.0
    old = [(begin, x, y), (begin + 2, x + dx, y), (begin + 4, x + dx, y + dy)]
    new = [(begin + 4, x + dx, y + dy), (begin + 6, x + 2 * dx, y + dy)]
    sim.send('a', old)
    sim.until_time('a', begin + 1)
    sim.send('a', new)
    sim.until_time('a', begin + 18)
    samples = sim.track('a')
    assert max(min(off_line(old, px, py), off_line(new, px, py)) for _, px, py in samples) < 1e-3
    assert fastest(samples) < 0.2 + 1e-3
    assert samples[-1][1:] == pytest.approx(new[-1][1:], abs=1e-3)


def test_a_late_robot_whose_new_path_begins_where_it_is_does_not_go_on_first(start):
    sim = alone(start, max_speed=0.25)
    x, y = sim.pose('a')
    dx, dy = inward(x, 10), inward(y, 6)
    begin = sim.now('a') + 2.0
    sim.send('a', [(begin, x, y), (begin + 1, x + 2 * dx, y)])
    sim.until_time('a', begin + 1)
    middle = sim.pose('a')[0]
    moment = sim.now('a')
    new = [(moment + 0.1, middle, y), (moment + 6, middle, y + dy)]
    sim.send('a', new)
    sim.until_time('a', moment + 12)
    samples = sim.track('a')
    assert fastest(samples) < 0.25 + 1e-3
    assert max(abs(px - middle) for t, px, _ in samples if t > moment) < 0.3  # what it drove until the path was there
    assert samples[-1][1:] == pytest.approx(new[-1][1:], abs=1e-3)


def test_a_path_that_comes_after_its_turn_is_reached_back_along_the_old_one(start):
    sim = alone(start)
    x, y = sim.pose('a')
    dx, dy = inward(x, 10), inward(y, 6)
    begin = sim.now('a') + 2.0
    old = [(begin, x, y), (begin + 2, x + dx, y), (begin + 4, x + dx, y + dy), (begin + 6, x, y + dy)]
    new = [(begin + 1, x + 0.5 * dx, y), (begin + 2, x + dx, y), (begin + 4, x + 2 * dx, y)]
    sim.send('a', old)
    sim.until_time('a', begin + 6)
    sim.send('a', new)
    sim.until_time('a', begin + 14)
    samples = sim.track('a')
    assert max(abs(py - y) for _, _, py in samples) > 0.99  # it had been round the corner
    assert max(min(off_line(old, px, py), off_line(new, px, py)) for _, px, py in samples) < 1e-3
    assert fastest(samples) < 1.0 + 1e-3
    assert samples[-1][1:] == pytest.approx(new[-1][1:], abs=1e-3)


def test_an_empty_path_stops_the_robot_where_it_is(start):
    sim = alone(start)
    x, y = sim.pose('a')
    begin = sim.now('a') + 1.0
    sim.send('a', [(begin, x, y), (begin + 20, x + 4 * inward(x, 10), y)])
    sim.until_time('a', begin + 2)
    sim.send('a', [])
    sim.until(lambda: sim.odom['a'][-1].twist.twist.linear.x == 0.0, 'the robot to stop')
    stopped, moment = sim.pose('a'), sim.now('a')
    sim.until_time('a', moment + 3)
    assert sim.pose('a') == pytest.approx(stopped, abs=1e-6)
    assert 0.05 < abs(stopped[0] - x) < 3.9


def test_turning_takes_time_where_it_is_limited(start):
    sim = alone(start, max_turn_rate=0.5)
    x, y = sim.pose('a')
    dy = inward(y, 6)
    begin = sim.now('a') + 2.0
    points = [(begin, x, y), (begin + 1, x, y + 0.5 * dy)]
    sim.send('a', points)
    sim.until_time('a', begin + 8)
    turned = [seconds(m.header.stamp) for m in sim.odom['a'] if abs(m.twist.twist.angular.z) > 0.01]
    moved = [t for t, _, py in sim.track('a') if abs(py - y) > 1e-3]
    assert max(abs(m.twist.twist.angular.z) for m in sim.odom['a']) < 0.5 + 1e-3
    assert turned[-1] - turned[0] > 2.5  # a quarter turn is 3.1 s
    assert moved[0] > turned[0] + 2.5
    assert sim.pose('a') == pytest.approx(points[-1][1:], abs=1e-3)


def commanded(start, **more):
    """One robot that executes commands, a publisher of them, and what sends one until a condition holds."""
    sim = start({'robots': '[a]', 'map': 'open:20x12', 'goals': 'none', 'drive': 'cmd_vel', 'starts': '["10,6"]',
                 **FAST, **more}, ['a'])
    commands = sim.node.create_publisher(Twist, 'a/cmd_vel', 10)
    sim.until(lambda: commands.get_subscription_count() > 0, 'the simulator to listen')

    def command(twist, condition, what):
        def sends():
            commands.publish(twist)
            return condition()
        sim.until(sends, what)
    return sim, command


def yaw_of(sim):
    turn = sim.odom['a'][-1].pose.pose.orientation
    return 2 * math.atan2(turn.z, turn.w)


def test_a_holonomic_robot_executes_commands_to_the_side(start):
    sim, command = commanded(start, holonomic='true', max_acceleration=2.0)
    x, y = sim.pose('a')
    command(twist(y=0.5), lambda: sim.pose('a')[1] > y + 1.0, 'a metre to the left')
    assert sim.pose('a')[0] == pytest.approx(x, abs=1e-6) and yaw_of(sim) == 0.0
    assert max(m.twist.twist.linear.y for m in sim.odom['a']) == pytest.approx(0.5)
    command(twist(turn=1.0), lambda: yaw_of(sim) > 0.5, 'a turn')
    command(twist(), lambda: sim.odom['a'][-1].twist.twist.angular.z == 0.0, 'it to stand')
    x, y = sim.pose('a')
    yaw = yaw_of(sim)
    command(twist(x=0.3, y=-0.3), lambda: math.dist(sim.pose('a'), (x, y)) > 0.8, 'the way on')
    way = math.atan2(sim.pose('a')[1] - y, sim.pose('a')[0] - x)
    assert way == pytest.approx(yaw - math.pi / 4, abs=0.02), 'half forward and half to the right'


def test_a_robot_with_two_wheels_does_not_move_to_the_side(start):
    sim, command = commanded(start)
    _, y = sim.pose('a')
    end = sim.now('a') + 2.0
    command(twist(y=0.5), lambda: sim.now('a') > end, '2 s')
    assert sim.pose('a')[1] == y
    command(twist(x=0.5, y=0.5), lambda: sim.odom['a'][-1].twist.twist.linear.x > 0.4, 'it to drive')
    assert sim.pose('a')[1] == y


def test_many_bad_messages_are_few_lines(start):
    sim, command = commanded(start)
    sent = 0

    def has_sent():
        nonlocal sent
        sent += 1
        return sent > 300
    command(twist(x=math.nan), has_sent, 'many commands')
    sim.until(lambda: 'command of a refused: it is not finite' in sim.log(), 'a word of it')
    command(twist(x=0.5), lambda: sim.odom['a'][-1].twist.twist.linear.x > 0.4, 'a good one')
    assert sim.close() == 0
    lines = [line for line in sim.log().splitlines() if 'command of a refused' in line]
    assert len(lines) < 30 and 'lines like this were left out' in sim.log()


@pytest.mark.parametrize('spoil, reason', [
    (lambda t, x, y: [(t, math.nan, y)], 'not finite'),
    (lambda t, x, y: [(t + 1, x, y), (t, x + 1, y)], 'stamps decrease'),
    (None, 'frame'),
])
def test_a_path_that_makes_no_sense_is_refused_and_the_next_one_driven(start, spoil, reason):
    sim = alone(start)
    x, y = sim.pose('a')
    dx = inward(x, 10)
    begin = sim.now('a') + 1.0
    if spoil:
        sim.send('a', spoil(begin, x, y))
    else:
        sim.send('a', [(begin, x, y), (begin + 1, x + dx, y)], frame='moon')
    sim.until(lambda: re.search(f'path of a refused: .*{reason}', sim.log()), 'a refusal')
    assert sim.pose('a') == pytest.approx((x, y), abs=1e-6)
    begin = sim.now('a') + 1.0
    sim.send('a', [(begin, x, y), (begin + 1, x + dx, y)])
    sim.until(lambda: abs(sim.pose('a')[0] - x - dx) < 1e-3, 'the good path to be driven')
