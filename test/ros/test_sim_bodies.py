"""Robots of different bodies in the simulator, and what goes wrong with them."""
import math
import subprocess

import pytest
from fleet import texts
from sim import FAST, alone, alone_before, arguments, program


def two(start, footprint, at, **more):
    return start({
        'robots': '[a, b]', 'map': 'open:20x12', 'goals': 'none', 'starts': texts(['5,5', at]),
        'footprints': texts([footprint, '']), **FAST, **more}, ['a', 'b'])


@pytest.mark.parametrize('footprint, at, overlaps', [
    ('2x2', '6,6', 1), ('2x2', '7,6', 0), ('2x2', '4,5', 0), ('3x1', '4,5', 1), ('3x1', '7,5', 0), ('', '6,5', 0)])
def test_overlaps_are_those_of_all_cells(start, footprint, at, overlaps):
    sim = two(start, footprint, at)
    sim.until(lambda: sim.status, 'a status')
    assert sim.count('overlaps') == overlaps


def test_a_body_turns_with_its_heading(start):
    """A bar along x, beside another robot, turns on the spot and covers it."""
    sim = two(start, '3x1', '5,6', turn_ticks='[2, 0]')
    sim.until(lambda: sim.status, 'a status')
    assert sim.count('overlaps') == 0
    x, y = sim.pose('a')
    now = sim.now('a')
    sim.send('a', [(now + 1, x, y, 0.0), (now + 2, x, y, math.pi / 2)])
    sim.until(lambda: sim.count('overlaps') == 1, 'an overlap')


def test_a_turn_takes_from_stamp_to_stamp(start):
    sim = alone(start)
    x, y = sim.pose('a')
    begin = sim.now('a') + 1
    sim.send('a', [(begin, x, y, 0.0), (begin + 4, x, y, math.pi / 2)])
    sim.until_time('a', begin + 5)
    for message in sim.odom['a']:
        moment = message.header.stamp.sec + 1e-9 * message.header.stamp.nanosec
        q = message.pose.pose.orientation
        due = math.pi / 2 * max(0.0, min(1.0, (moment - begin) / 4))
        assert abs(2 * math.atan2(q.z, q.w) - due) < 0.05, f'at {moment - begin:.2f} s'


def test_a_release_is_driven_to_its_end_whatever_its_stamps_say(start):
    sim = start({'robots': '[a]', 'map': 'open:20x12', 'goals': 'none', 'starts': '["2,2"]', **FAST,
                 'max_speed': 0.5, 'follow': 'released_path'}, ['a'], path_topic='released_path')
    x, y = sim.pose('a')
    far = sim.now('a') + 1000
    sim.send('a', [(far, x, y), (far + 1, x + 1.0, y)])
    sim.until(lambda: math.dist(sim.pose('a'), (x + 1.0, y)) < 1e-3, 'the end of the release')
    # More of it, written anew from the last waypoint on: it goes on without a step back.
    sim.send('a', [(far, x + 0.5, y), (far + 1, x + 1.0, y), (far + 2, x + 1.0, y + 1.0)])
    sim.until(lambda: math.dist(sim.pose('a'), (x + 1.0, y + 1.0)) < 1e-3, 'the end of the next')
    assert all(b[1] >= a[1] - 1e-6 for a, b in zip(sim.track('a'), sim.track('a')[1:]))
    sim.send('a', [(far, x + 1.0, y + 1.0), (far + 1, x + 7.0, y + 1.0)])
    sim.until(lambda: sim.pose('a')[0] > x + 1.2, 'it drives on')
    sim.send('a', [])
    sim.until(lambda: stands(sim.track('a'), 1.0), 'a stop')
    assert sim.pose('a')[0] < x + 6.9


def stands(track, seconds):
    """Whether a robot has been in one place for the last seconds."""
    last = [place for place in track if place[0] > track[-1][0] - seconds]
    return track[0] not in last and max(math.dist(place[1:], track[-1][1:]) for place in last) < 1e-6


def test_a_frozen_robot_stands_and_goes_on(start):
    def send(sim, moment):
        x, y = sim.pose('a')
        sim.send('a', [(moment - 2, x, y), (moment + 6, x + 4.0, y)])

    sim, moment = alone_before(start, send, freeze='["a@{}+3"]', max_speed='1.0', starts='["2,2"]')
    x, _ = sim.pose('a')
    sim.until_time('a', moment + 7)
    track = [(t, x) for t, x, _ in sim.track('a') if moment - 1.5 < t < moment + 5]
    still = [t for (t, x0), (_, x1) in zip(track, track[1:]) if abs(x1 - x0) < 1e-6]
    assert min(still) > moment - 0.3 and 2.5 < max(still) - min(still) < 3.3
    assert abs(sim.pose('a')[0] - x) > 3.9


def test_a_silent_robot_says_nothing_and_drives_on(start):
    def send(sim, moment):
        x, y = sim.pose('a')
        sim.send('a', [(moment - 2, x, y), (moment + 6, x + 4.0, y)])

    sim, moment = alone_before(start, send, silence='["a@{}+4"]', starts='["2,2"]')
    x, y = sim.odom['a'][0].pose.pose.position.x, sim.odom['a'][0].pose.pose.position.y
    sim.until_time('a', moment + 8)
    silent = [t for t, _, _ in sim.track('a') if moment + 0.1 < t < moment + 3.9]
    assert silent == [] and any(moment + 3.9 <= t < moment + 4.3 for t, _, _ in sim.track('a'))
    assert math.dist(sim.pose('a'), (x + 4.0, y)) < 1e-3


def test_noise_is_in_odometry_alone(start):
    sim = alone(start, noise=0.1)
    sim.until(lambda: len(sim.odom['a']) > 60, 'odometry')
    xs = [m.pose.pose.position.x for m in sim.odom['a']]
    middle = (math.floor(xs[0] / 0.5) + 0.5) * 0.5
    assert 0.03 < max(abs(x - middle) for x in xs) <= 0.1 + 1e-9


@pytest.mark.parametrize('parameters, words', [
    ({'footprints': '["2x2"]'}, 'footprints has 1 values for 2 robots'),
    ({'footprints': '["2y", ""]'}, 'WxH'),
    ({'ticks_per_move': '[1, 9]'}, 'ticks_per_move'),
    ({'freeze': '["c@1"]'}, 'freeze'),
    ({'freeze': '["a@x"]'}, 'freeze'),
    ({'starts': '["0,0", "99,0"]'}, 'starts'),
    ({'starts': '["0,0", "nan,0"]'}, 'starts'),
    ({'starts': '["0,0", "3,-0.6"]'}, 'starts'),
    ({'follow': 'me'}, 'follow'),
])
def test_footprints_and_faults_that_cannot_be_read_are_refused(parameters, words):
    words_in = [program(), '--ros-args', *arguments({'robots': '[a, b]', 'map': 'open:9x9', **parameters})]
    done = subprocess.run(words_in, capture_output=True, text=True, timeout=30)
    assert done.returncode == 2
    assert words in done.stderr + done.stdout
