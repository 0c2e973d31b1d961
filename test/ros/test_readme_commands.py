"""The commands of the README that need ROS 2, by the rules in test/cli/readme.py."""
import os
import shutil
import sys

import pytest

from test_demo import PROGRAMS, TOP

sys.path.append(str(TOP / 'test' / 'cli'))
from readme import Runner, blocks, needs_ros  # noqa: E402

pytest.importorskip('rclpy')
pytestmark = pytest.mark.skipif(
    not all(os.environ.get(name) for name in PROGRAMS), reason=f'{", ".join(PROGRAMS)} must name programs')


def test_every_command_of_the_readme_works(tmp_path):
    runner = Runner(TOP, os.environ['FLEETWEAVE_CLI'], tmp_path)
    count = 0
    for block in blocks((TOP / 'README.md').read_text()):
        for words in block if needs_ros(block) else []:
            if words[0] == 'colcon' and not shutil.which('colcon') or words[0] == 'git':
                continue  # cloning is tested with the command line
            if words[0] == 'cd':
                continue
            runner.follow(words)
            count += 1
    assert count >= 5
