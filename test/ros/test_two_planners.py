"""Two planner nodes for one fleet: the younger one yields, and takes over when the elder has ended."""
import os
import signal
import subprocess

from fleet import fleet_on

ROWS = ['.' * 12] * 4


def start_second(fleet, log, *more):
    words = [word for name, value in fleet.settings.items() for word in ('-p', f'{name}:={value}')]
    return subprocess.Popen([
        os.environ['FLEETWEAVE_PLANNER_NODE'], '--ros-args', '-r', '__node:=second', '-p',
        f'robots:=[{",".join(fleet.names)}]', *words, *more], stdout=log, stderr=log)


def test_the_younger_of_two_planners_yields_and_takes_over(graph, start, tmp_path):
    fleet = fleet_on(graph, start, tmp_path, ROWS, [(0, 0), (11, 0), (0, 3)])
    with open(tmp_path / 'second.log', 'w+') as log:
        second = start_second(fleet, log)
        try:
            def said():
                log.seek(0)
                return log.read()

            def publishers():
                return max(graph.node.count_publishers(f'/{name}/released_path') for name in fleet.names)

            fleet.wait(lambda: 'releases paths to the same robots' in said(), 'the second node to yield')
            assert '/fleetweave_planner releases' in said() or 'another node releases' in said()
            fleet.wait(lambda: publishers() == 1, 'one publisher per robot')
            fleet.arrive(robot_0=(6, 1), robot_1=(0, 0), robot_2=(11, 3))
            fleet.check()
            graph.stop(signal.SIGINT)
            fleet.wait_without_planner(lambda: 'no other controller' in said(), 'the second node to take over')
            fleet.check()
        finally:
            second.send_signal(signal.SIGINT)
            assert second.wait(timeout=60) == 0, said()


def test_the_elder_stays_if_the_younger_hears_no_poses(graph, start, tmp_path):
    fleet = fleet_on(graph, start, tmp_path, ROWS, [(0, 0), (11, 0), (0, 3)])
    with open(tmp_path / 'second.log', 'w+') as log:
        deaf = [word for name in fleet.names for word in ('-r', f'/{name}/odom:=/nowhere/{name}')]
        second = start_second(fleet, log, *deaf)
        try:
            def said():
                log.seek(0)
                return log.read()

            fleet.wait(lambda: 'releases paths to the same robots' in said(), 'the second node to yield')
            fleet.arrive(robot_0=(6, 1), robot_1=(0, 0), robot_2=(11, 3))
            fleet.check()
        finally:
            second.send_signal(signal.SIGINT)
            assert second.wait(timeout=60) == 0, said()
