"""The rclc calls that the nodes are written to, against rclpy: the same with the real rclc and with src/ros/rclc."""
import json
import os
import subprocess
import time

import pytest
import rclpy
from geometry_msgs.msg import PoseStamped
from nav_msgs.msg import OccupancyGrid, Path
from rclpy.qos import DurabilityPolicy, QoSProfile, qos_profile_sensor_data
from std_srvs.srv import Trigger

LATCHED = QoSProfile(depth=1, durability=DurabilityPolicy.TRANSIENT_LOCAL)


class Peer:
    """The probe's process and a rclpy node to talk to it."""

    def __init__(self):
        rclpy.init()
        self.node = rclpy.create_node('peer')
        self.paths = []
        self.node.create_subscription(Path, 'path', self.paths.append, LATCHED)
        self.map = self.node.create_publisher(OccupancyGrid, 'map', LATCHED)
        self.extra = self.node.create_publisher(PoseStamped, 'extra', qos_profile_sensor_data)
        self.clients = {}
        self.process = subprocess.Popen([os.environ['FLEETWEAVE_RCLC_PROBE']])

    def until(self, condition, seconds=20):
        end = time.monotonic() + seconds
        while not condition():
            assert time.monotonic() < end, 'waited in vain'
            assert self.process.poll() is None, 'the probe ended'
            rclpy.spin_once(self.node, timeout_sec=0.05)

    def ask(self, name):
        if name not in self.clients:
            self.clients[name] = self.node.create_client(Trigger, f'rclc_probe/{name}')
        self.until(self.clients[name].service_is_ready)
        return self.clients[name].call_async(Trigger.Request())

    def call(self, name):
        future = self.ask(name)
        self.until(future.done)
        assert future.result().success
        return future.result().message

    def counts(self):
        """Asks again where the probe had not seen this client yet when it answered."""
        asked = []

        def is_answered():
            if len(asked) * 3 <= time.monotonic() - begun:
                asked.append(self.ask('count'))
            return any(future.done() for future in asked)

        begun = time.monotonic()
        self.until(is_answered)
        return json.loads(next(future for future in asked if future.done()).result().message)

    def close(self):
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        self.node.destroy_node()
        rclpy.shutdown()


@pytest.fixture
def peer():
    peer = Peer()
    yield peer
    peer.close()


def grid(width):
    message = OccupancyGrid()
    message.header.frame_id = 'map'
    message.info.width = width
    message.info.height = 1
    message.data = [0] * width
    return message


def test_a_map_published_early_is_answered_by_a_path(peer):
    peer.map.publish(grid(7))
    peer.until(lambda: peer.paths)
    assert len(peer.paths[0].poses) == 7
    assert peer.paths[0].header.frame_id == 'map'
    peer.map.publish(grid(3))
    peer.until(lambda: len(peer.paths) == 2)
    assert len(peer.paths[1].poses) == 3
    assert peer.counts()['maps'] == 2


def test_a_removed_subscription_is_silent_and_the_others_go_on(peer):
    peer.until(lambda: peer.extra.get_subscription_count() == 1)

    def heard():
        peer.extra.publish(PoseStamped())
        return peer.counts()['extras'] > 0

    peer.until(heard)
    assert peer.call('drop') == 'dropped'
    before = peer.counts()['extras']
    for _ in range(5):
        peer.extra.publish(PoseStamped())
        assert peer.counts()['extras'] == before
    peer.map.publish(grid(2))
    peer.until(lambda: peer.counts()['maps'] == 1)
    assert peer.call('drop') == 'not there'


def test_the_end_is_clean(peer):
    peer.ask('quit')  # it may be gone before its answer is here
    assert peer.process.wait(timeout=10) == 0
