"""The live page of the demo: messages of the ROS graph, as server-sent events for a browser on this machine.

A page requests `/events` and receives, ten times per second, the latest message of each topic that has changed since the
last event. So no queue grows for a slow page, and messages are decoded only while a page is open. The server listens on
127.0.0.1 only and checks the host name of each request, so that neither the network nor another web page can read it. Its content
security policy allows the scripts of the page by their hashes, and connections to this server: what a message contains cannot
become a script, and nothing leaves the page.
"""
import base64
import hashlib
import http.server
import json
import math
import re
import subprocess
import tempfile
import threading
from pathlib import Path

from geometry_msgs.msg import PoseStamped
from nav_msgs.msg import OccupancyGrid, Odometry, Path as PathMessage
from rclpy.qos import DurabilityPolicy, QoSProfile, ReliabilityPolicy
from rclpy.serialization import deserialize_message

ADDRESS = '127.0.0.1'
PERIOD = 0.1
OCCUPIED = 50  # per cent; unknown cells count as occupied
LATCHED = QoSProfile(depth=1, reliability=ReliabilityPolicy.RELIABLE, durability=DurabilityPolicy.TRANSIENT_LOCAL)
FLEETING = QoSProfile(depth=5, reliability=ReliabilityPolicy.BEST_EFFORT)


class Place:
    """Converts positions from the map frame to metres from the corner of the map, and stamps to the time since the start."""

    def __init__(self, info, first_stamp):
        self.x, self.y = info.origin.position.x, info.origin.position.y
        self.yaw = yaw_of(info.origin.orientation)
        self.begin = first_stamp

    def point(self, position):
        dx, dy = position.x - self.x, position.y - self.y
        cos, sin = math.cos(self.yaw), math.sin(self.yaw)
        return [round(dx * cos + dy * sin, 4), round(dy * cos - dx * sin, 4)]

    def moment(self, stamp):
        return round((stamp.sec - self.begin.sec) * 1e3 + (stamp.nanosec - self.begin.nanosec) / 1e6)

    def pose(self, message):
        turned = yaw_of(message.pose.pose.orientation) - self.yaw
        return [self.moment(message.header.stamp), *self.point(message.pose.pose.position), round(turned, 4)]

    def goal(self, message):
        return [max(0, self.moment(message.header.stamp)), *self.point(message.pose.position)]

    def line(self, message):
        return [number for pose in message.poses for number in self.point(pose.pose.position)]


def yaw_of(orientation):
    return 2 * math.atan2(orientation.z, orientation.w)


class News:
    """The latest message of each topic, with the running number of its arrival."""

    KINDS = {'pose': (Odometry, 'odom', FLEETING), 'goal': (PoseStamped, 'goal_pose', 10),
             'path': (PathMessage, 'timed_path', LATCHED), 'released': (PathMessage, 'released_path', LATCHED)}
    READ = {'pose': Place.pose, 'goal': Place.goal, 'path': Place.line, 'released': Place.line}

    def __init__(self, node, robots):
        self.robots = robots
        self.latest = {}   # (robot, kind): number, bytes
        self.decoded = {}  # (robot, kind): number, decoded message
        self.facts = {}
        self.count = 0
        self.map = None
        self.place = None
        self.lock = threading.Lock()
        node.create_subscription(OccupancyGrid, 'map', self.on_map, LATCHED)
        for robot, name in enumerate(robots):
            for kind, (message, topic, quality) in self.KINDS.items():
                node.create_subscription(
                    message, f'{name}/{topic}', lambda text, key=(robot, kind): self.on_bytes(key, text), quality, raw=True)

    def on_map(self, message):
        self.map = self.map or message

    def on_bytes(self, key, text):
        with self.lock:
            self.count += 1
            self.latest[key] = self.count, text

    def has_all(self):
        return self.map is not None and all((robot, 'pose') in self.latest for robot in range(len(self.robots)))

    def read(self, key):
        number, text = self.latest[key]
        if self.decoded.get(key, (0,))[0] != number:
            robot, kind = key
            self.decoded[key] = number, self.READ[kind](self.place, deserialize_message(text, self.KINDS[kind][0]))
        return self.decoded[key][1]

    def since(self, number):
        """The messages that arrived after that number, and the number of the last one."""
        with self.lock:
            found = {}
            for key in [key for key, (arrived, _) in self.latest.items() if arrived > number]:
                found.setdefault(key[0], {})[key[1]] = self.read(key)
            return {'robots': found, 'facts': dict(self.facts)}, self.count

    def first_page(self, cli, title, radius):
        """The page with the present poses, made by `fleetweave replay` from a run of one moment."""
        stamps = [deserialize_message(self.latest[robot, 'pose'][1], Odometry).header.stamp
                  for robot in range(len(self.robots))]
        self.place = Place(self.map.info, min(stamps, key=lambda stamp: (stamp.sec, stamp.nanosec)))
        width, height = self.map.info.width, self.map.info.height
        rows = [''.join('.' if 0 <= value < OCCUPIED else '@' for value in self.map.data[y * width:(y + 1) * width])
                for y in range(height)]
        poses = [self.read((robot, 'pose')) for robot in range(len(self.robots))]
        lines = ['fleetweave_run=1', f'robots={len(poses)}', f'resolution={self.map.info.resolution:.9g}',
                 f'radius={radius}', f'size={width}x{height}', 'grid=', *rows, 'poses=',
                 'p 0.000 ' + ' '.join(f'{robot}:{x},{y},{yaw}' for robot, (_, x, y, yaw) in enumerate(poses))]
        with tempfile.TemporaryDirectory(prefix='fleetweave-live-') as folder:
            run = Path(folder) / 'live.run'
            run.write_text('\n'.join(lines) + '\n')
            return subprocess.run([cli, 'replay', str(run), '--live', '-o', '-', '--title', title], check=True,
                                  stdout=subprocess.PIPE).stdout


def content_security_policy(page):
    """Only the scripts that the page has now run; styles and pictures may be its own."""
    scripts = re.findall(rb'<script>(.*?)</script>', page, re.S)
    hashes = ' '.join(f"'sha256-{base64.b64encode(hashlib.sha256(script).digest()).decode()}'" for script in scripts)
    return (f"default-src 'none'; script-src {hashes}; style-src 'unsafe-inline'; img-src data:; connect-src 'self'; "
            "base-uri 'none'; form-action 'none'; frame-ancestors 'none'")


class Handler(http.server.BaseHTTPRequestHandler):
    timeout = 10  # seconds after which a browser that does not read is disconnected
    server_version, sys_version = 'fleetweave', ''

    def do_GET(self):
        host = self.headers.get('Host', '')
        if host not in (f'{ADDRESS}:{self.server.server_port}', f'localhost:{self.server.server_port}'):
            self.send_error(403, 'the host name of the request is not 127.0.0.1 or localhost')
        elif self.path == '/':
            self.begin('text/html; charset=utf-8')
            self.wfile.write(self.server.page)
        elif self.path == '/events':
            self.begin('text/event-stream')
            try:
                self.send_events()
            except OSError:
                pass  # the page was closed
        else:
            self.send_error(404)

    def begin(self, kind):
        self.send_response(200)
        self.send_header('Content-Type', kind)
        self.send_header('Cache-Control', 'no-store')
        self.send_header('Content-Security-Policy', self.server.policy)
        self.send_header('X-Content-Type-Options', 'nosniff')
        self.send_header('Cross-Origin-Resource-Policy', 'same-origin')
        self.end_headers()

    def send_events(self):
        seen = 0
        while not self.server.is_over.wait(PERIOD):
            news, seen = self.server.news.since(seen)
            self.wfile.write(f'data: {json.dumps(news, separators=(",", ":"))}\n\n'.encode())
        self.wfile.write(b'event: end\ndata: {}\n\n')

    def log_message(self, *_):
        pass


class Live(http.server.ThreadingHTTPServer):
    daemon_threads = False  # closing waits for the threads, which end within a period

    def __init__(self, news, page, port):
        self.news, self.page, self.is_over = news, page, threading.Event()
        self.policy = content_security_policy(page)
        super().__init__((ADDRESS, port), Handler)
        self.thread = threading.Thread(target=self.serve_forever, kwargs={'poll_interval': PERIOD}, daemon=True)
        self.thread.start()

    def address(self):
        return f'http://{ADDRESS}:{self.server_port}/'

    def handle_error(self, request, client_address):
        pass  # the browser closed the connection

    def end(self):
        self.is_over.set()
        self.shutdown()
        self.thread.join()
        self.server_close()
