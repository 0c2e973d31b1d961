"""The demo's live page: a real graph, a real server, a real browser."""
import math
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request

import pytest

from test_demo import PROGRAMS, TOP, command

sys.path.append(str(TOP / 'test' / 'cli'))
from browser import Page  # noqa: E402

rclpy = pytest.importorskip('rclpy')
pytestmark = pytest.mark.skipif(
    not all(os.environ.get(name) for name in PROGRAMS), reason=f'{", ".join(PROGRAMS)} must name programs')

ROBOTS = 6


class Demo:
    """The demo with its page, until it is stopped."""

    def __init__(self, folder, *words):
        self.process = subprocess.Popen(
            command('--robots', ROBOTS, '--seconds', 600, '--out', folder / 'demo.html', '--web', *words),
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        self.said, self.address = '', None
        for line in self.process.stdout:
            self.said += line
            found = re.search(r'^live page +(http://\S+)$', line)
            if found:
                self.address = found.group(1)
                break

    def end(self):
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGINT)
        self.said += self.process.communicate(timeout=60)[0] or ''
        return self.process.returncode


@pytest.fixture(scope='module')
def demo(tmp_path_factory):
    demo = Demo(tmp_path_factory.mktemp('web'))
    yield demo
    code = demo.end()
    assert code == 130, demo.said


class Odometry:
    """Where each robot said that it was, by time: {robot: {(sec, nanosec): (x, y)}}."""

    def __init__(self):
        from nav_msgs.msg import Odometry as Message
        from rclpy.qos import QoSProfile, ReliabilityPolicy
        self.told = {robot: {} for robot in range(ROBOTS)}
        rclpy.init()
        self.node = rclpy.create_node('listener')
        for robot in range(ROBOTS):
            self.node.create_subscription(
                Message, f'robot_{robot}/odom', lambda message, robot=robot: self.take(robot, message),
                QoSProfile(depth=50, reliability=ReliabilityPolicy.BEST_EFFORT))

    def take(self, robot, message):
        stamp, position = message.header.stamp, message.pose.pose.position
        self.told[robot][stamp.sec * 1000 + round(stamp.nanosec / 1e6)] = position.x, position.y

    def listen(self, seconds):
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            rclpy.spin_once(self.node, timeout_sec=0.05)

    def close(self):
        self.node.destroy_node()
        rclpy.shutdown()


@pytest.fixture
def odometry():
    listener = Odometry()
    yield listener
    listener.close()


@pytest.fixture
def page(demo, tmp_path):
    assert demo.address, demo.said
    browser = next(filter(None, map(shutil.which, ('chromium', 'chromium-browser', 'google-chrome'))), None)
    if not browser:
        pytest.skip('no chromium on this machine: the live page is not opened')
    page = Page(browser, tmp_path / 'browser', demo.address)
    yield page
    page.close()
    assert page.errors == []


# In metres, as odometry has them: the keyframes that came over the wire, and where the robot is drawn now.
KEYFRAMES = """scene.tracks.map(({times, xs, ys}) => times.map((t, i) =>
  [t, xs[i] * data.metresPerCell, (data.height - ys[i]) * data.metresPerCell]))"""
DRAWN = """(scene.tracks.map(track => (poseAt(track, show.t, pose),
  [show.t, pose.x * data.metresPerCell, (data.height - pose.y) * data.metresPerCell])))"""


def test_robots_move_on_the_page_as_in_the_graph(page, odometry):
    page.wait('live.state === "live" && end > 0')
    begin = page.ask(DRAWN)
    odometry.listen(4)
    page.wait('end > 3000 && show.t > 2000')
    shown = page.ask(f'({{keyframes: {KEYFRAMES}, drawn: {DRAWN}}})')
    assert sum(math.hypot(a[1] - b[1], a[2] - b[2]) > 0.3 for a, b in zip(begin, shown['drawn'])) >= 2
    offset, compared = find_offset(shown['keyframes'], odometry.told), 0
    for robot, track in enumerate(shown['keyframes']):
        told = odometry.told[robot]
        for t, x, y in track:
            if t + offset in told:
                assert (x, y) == pytest.approx(told[t + offset], abs=2e-3)
                compared += 1
        t, x, y = shown['drawn'][robot]
        before, after = (max((k for k in told if k <= t + offset), default=None),
                         min((k for k in told if k >= t + offset), default=None))
        if before is not None and after is not None and after - before <= 250:
            part = (t + offset - before) / max(1, after - before)
            between = [a + (b - a) * part for a, b in zip(told[before], told[after])]
            assert (x, y) == pytest.approx(between, abs=0.05)  # metres
            compared += 1
    assert compared > 2 * ROBOTS


def find_offset(tracks, told):
    """Milliseconds from the page's time, which begins with the first odometry that it knows, to ROS time: what most
    keyframes of robots that drive agree on. Where a robot stood nobody can tell when."""
    votes = {}
    for robot, track in enumerate(tracks):
        moments = {}
        for moment, (x, y) in told[robot].items():
            moments.setdefault((round(x, 3), round(y, 3)), []).append(moment)
        for t, x, y in track:
            there = moments.get((round(x, 3), round(y, 3)), [])
            if len(there) == 1:
                votes[there[0] - t] = votes.get(there[0] - t, 0) + 1
    assert votes, 'nobody drove'
    return max(votes, key=votes.get)


def test_facts_goals_and_paths_come_along(page):
    page.wait('scene.tracks.every(track => track.goals.xs.length > 0)', 60)
    page.wait('scene.tracks.some(track => track.path.length > 4 && track.released.length >= 2)', 60)
    page.wait('byId("factGoalsreached") && byId("factOverlaps").lastElementChild.textContent === "0"', 60)
    assert page.ask('byId("liveState").textContent') == 'live'


def test_looking_back_and_returning(page):
    page.wait('end > 3000')
    page.press(' ')
    page.press('Home')
    assert page.ask('[show.t, live.isAtEdge, isPlaying]') == [0, False, False]
    page.press(' ')
    page.wait('/behind/.test(byId("liveState").textContent)')
    page.click('edge')
    page.wait('live.isAtEdge && isPlaying && end - show.t < 1500')
    page.ask('stage.focus()')  # on the button, space would press it
    page.press(' ')
    assert not page.ask('isPlaying')


def test_being_told_everything_again_changes_nothing(page):
    """As after a connection that was lost: the browser asks for the events from their beginning."""
    page.wait('scene.tracks.every(track => track.goals.xs.length > 0)', 60)
    page.ask('new Promise(done => { const again = new EventSource("events"); '
             'again.onmessage = event => { takeEvent(event); again.close(); done(); }; })')
    lists = page.ask('scene.tracks.flatMap(track => [Array.from(track.times), track.goals.times])')
    assert all(a < b for times in lists for a, b in zip(times, times[1:]))


def test_only_this_machine_is_answered(demo):
    port = int(demo.address.rstrip('/').rsplit(':', 1)[1])
    assert demo.address.startswith('http://127.0.0.1:')
    listening = [line.split() for line in open('/proc/net/tcp').readlines()[1:]]
    assert [words[1] for words in listening if words[3] == '0A' and words[1].endswith(f':{port:04X}')] == [
        f'0100007F:{port:04X}']
    for address, headers, code in [('', {'Host': f'elsewhere.example:{port}'}, 403), ('', {'Host': ''}, 403),
                                   ('events', {'Host': f'elsewhere.example:{port}'}, 403), ('../etc/passwd', {}, 404)]:
        with pytest.raises(urllib.error.HTTPError) as refused:
            urllib.request.urlopen(urllib.request.Request(demo.address + address, headers=headers), timeout=10)
        assert refused.value.code == code
    with pytest.raises(urllib.error.HTTPError) as refused:
        urllib.request.urlopen(urllib.request.Request(demo.address, data=b'x'), timeout=10)
    assert refused.value.code == 501


def test_there_is_no_way_to_files(demo):
    port = int(demo.address.rstrip('/').rsplit(':', 1)[1])
    for path in ('/../../../../etc/passwd', '/..%2f..%2fetc/passwd', '//etc/passwd', '/events/../../etc/passwd', '/?file=/etc/passwd',
                 'http://elsewhere.example/', '/\\..\\etc\\passwd', '/events%00'):
        with socket.create_connection(('127.0.0.1', port), timeout=10) as connection:
            connection.sendall(f'GET {path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nConnection: close\r\n\r\n'.encode())
            answer = b''.join(iter(lambda: connection.recv(65536), b''))
        assert answer.startswith(b'HTTP/1.0 404') and b'root:' not in answer, path


def test_scripts_of_others_do_not_run_on_the_page(demo, page):
    with urllib.request.urlopen(demo.address, timeout=10) as answer:
        policy = answer.headers['Content-Security-Policy']
        assert answer.headers['X-Content-Type-Options'] == 'nosniff'
        assert answer.headers['Cross-Origin-Resource-Policy'] == 'same-origin'
    rules = dict(rule.strip().split(' ', 1) for rule in policy.split(';'))
    assert rules['default-src'] == "'none'" and rules['connect-src'] == "'self'" and rules['frame-ancestors'] == "'none'"
    assert re.fullmatch(r"'sha256-[A-Za-z0-9+/]{43}='", rules['script-src'])
    page.wait('live.state === "live"')
    page.ask('''(() => { window.refused = 0; document.addEventListener("securitypolicyviolation", () => ++window.refused);
      const script = document.createElement("script"); script.textContent = "window.intruder = 1";
      document.body.append(script); const image = new Image(); image.setAttribute("onerror", "window.intruder = 2");
      image.src = "data:,"; document.body.append(image); })()''')
    page.wait('window.refused === 2')
    assert page.ask('typeof window.intruder') == 'undefined'
    assert [error.get('source') for error in page.errors] == ['security'] * 2
    page.errors.clear()  # what this test has caused


def test_a_port_that_is_taken_is_said(tmp_path):
    with socket.socket() as taken:
        taken.bind(('127.0.0.1', 0))
        taken.listen()
        demo = Demo(tmp_path, '--port', taken.getsockname()[1])
        assert demo.address is None and demo.end() == 3
    assert 'in use' in demo.said


# The last one with this demo: it ends it.
def test_the_end_is_clean_and_the_page_stays(demo, page):
    page.wait('end > 1000')
    demo.process.send_signal(signal.SIGINT)
    page.wait('live.state === "ended"', 60)
    demo.process.wait(60)
    assert not page.ask('isPlaying') and page.ask('show.t') > 1000
    page.press('Home')
    page.press(' ')
    page.wait('show.t > 0')  # what was seen can be played once more
    with pytest.raises(urllib.error.URLError):
        urllib.request.urlopen(demo.address, timeout=5)


def test_impatience_leaves_nobody_behind(tmp_path):
    """Ctrl-C again while the fleet is being stopped: it ends sooner, and as cleanly."""
    demo = Demo(tmp_path)
    with open(f'/proc/{demo.process.pid}/task/{demo.process.pid}/children') as file:
        children = file.read().split()
    assert len(children) == 2
    for _ in range(3):
        demo.process.send_signal(signal.SIGINT)
        time.sleep(0.05)
    demo.process.communicate(timeout=60)
    assert demo.process.returncode == 130
    assert not [child for child in children if os.path.exists(f'/proc/{child}')]
