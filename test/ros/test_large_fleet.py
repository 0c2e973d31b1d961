"""Two hundred robots with all that each of them is offered: the node is up within seconds, and gone as fast."""
import os
import resource
import time

import rclpy

COUNT = 200
START_SECONDS, END_SECONDS = 4.0, 4.0  # of processor time, which other programs do not change much
LEASE_SECONDS = 20.0  # after which the middleware gives up a participant that has said nothing
NAMES = [f'robot_{k}' for k in range(COUNT)]


def processor_seconds(process):
    with open(f'/proc/{process.pid}/stat') as file:
        fields = file.read().rsplit(')', 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf('SC_CLK_TCK')


def ended_seconds():
    """Processor time of all processes of ours that have ended."""
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def test_it_starts_and_ends_within_seconds(graph):
    before = ended_seconds()
    graph.start(arguments=['-p', f'robots:=[{",".join(NAMES)}]'], pose_source='tf')
    graph.until(lambda: f'{COUNT} robots, planner' in graph.output(), 'the node')
    start = processor_seconds(graph.process)
    assert start < START_SECONDS

    wanted = {f'/{name}/{service}' for name in NAMES for service in ('navigate_to_pose/_action/send_goal', 'hold')}
    graph.until(lambda: wanted <= {n for n, _ in graph.node.get_service_names_and_types()}, 'all services')
    last = processor_seconds(graph.process)
    assert graph.stop() == 0
    assert ended_seconds() - before - last < END_SECONDS

    # It has said good-bye: nobody waits for the lease.
    end = time.monotonic() + LEASE_SECONDS / 2
    while 'fleetweave_planner' in graph.node.get_node_names():
        assert time.monotonic() < end, 'the node is still in the graph'
        rclpy.spin_once(graph.node, timeout_sec=0.01)
    assert not wanted & {n for n, _ in graph.node.get_service_names_and_types()}
