"""Two runs of the tests at the same time never share a ROS domain."""
import os
import subprocess
import sys
from pathlib import Path

HOLD = '''
import os, sys
from domain import take_domain
lock = take_domain()
print(os.environ['ROS_DOMAIN_ID'], flush=True)
sys.stdin.read()
'''


class Run:
    """A process that takes a domain and holds it. Its locks are apart from those of real runs."""

    def __init__(self, folder, proposed):
        self.process = subprocess.Popen(
            [sys.executable, '-c', HOLD], cwd=Path(__file__).parent, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            text=True, env={**os.environ, 'TMPDIR': str(folder), 'ROS_DOMAIN_ID': str(proposed)})
        self.domain = int(self.process.stdout.readline())

    def kill(self):
        self.process.kill()
        self.process.communicate()


def test_a_domain_belongs_to_one_run_until_that_ends(tmp_path):
    runs = [Run(tmp_path, 99) for _ in range(3)]
    assert [run.domain for run in runs] == [99, 100, 1]
    runs[1].kill()
    runs.append(Run(tmp_path, 99))
    assert runs[3].domain == 100
    for run in runs:
        run.kill()
