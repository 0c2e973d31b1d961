"""The commands of README.md, as a test runs them.

Each line of each block of shell is run as it stands, in one folder, but for these rules, which save time or the machine:

  git clone <this repository> X     clones the checkout that is tested
  ./run fleetweave ...              the program that is tested, with these arguments
  ./run demo ...                    with fewer robots, for a few seconds: SHORT below
  cmake -S . -B X ...               of the source, into the folder of the test
  cmake --build X                   only lists what would be built: building is what made the program that is tested
  rosdep install ...                left out: it installs; test/repo/test_manifest.py checks the keys
  colcon build ...                  colcon list: whether it finds the package of that name
  source install/setup.bash         left out: there is no such build
  ros2 launch P F name:=value       whether the launch file has these arguments; starting them is for test_launch.py

A command without a rule fails.
"""

import ast
import os
import re
import shlex
import subprocess
import sys

SHORT = ['--robots', '3', '--seconds', '6', '--rate', '4']


def blocks(text):
    """Blocks of shell: lists of commands, each a list of words."""
    found = re.findall(r'^```sh\n(.*?)^```', text, re.M | re.S)
    return [[shlex.split(part, comments=True) for line in block.splitlines() for part in split(line)] for block in found]


def split(line):
    line = re.sub(r'<([a-z ]+)>', lambda match: match.group(0).replace(' ', '_').replace('<', '').replace('>', ''), line)
    return [part for part in line.split(' && ') if shlex.split(part, comments=True)]


def needs_ros(block):
    return any(words[:2] == ['./run', 'demo'] or words[0] in ('colcon', 'ros2') for words in block)


class Runner:
    def __init__(self, source, program, folder):
        self.source, self.program, self.folder = source, program, folder

    def run(self, words, **options):
        done = subprocess.run(words, cwd=self.folder, text=True, capture_output=True, timeout=200, **options)
        assert done.returncode == 0, f'{shlex.join(words)}: {done.returncode}\n{done.stdout}{done.stderr}'
        return done.stdout

    def follow(self, words):
        """Runs one command by its rule."""
        for begin, rule in self.RULES:
            if words[:len(begin)] == begin:
                return rule(self, words)
        raise AssertionError(f'there is no rule for this command of the README: {shlex.join(words)}')

    def clone(self, words):
        assert words[2] == 'this_repository'
        self.run(['git', 'clone', '--quiet', str(self.source), words[3]])
        assert os.access(self.folder / words[3] / 'run', os.X_OK)

    def enter(self, words):
        assert (self.folder / words[1]).is_dir()  # what follows is as well run where it is

    def fleetweave(self, words):
        return self.run([self.program, *words[2:]])

    def demo(self, words):
        tool = [sys.executable, str(self.source / 'tools' / 'demo.py'), '--domain', os.environ.get('ROS_DOMAIN_ID', '1')]
        said = self.run([*tool, '--out', str(self.folder / 'out' / 'demo.html'), *words[2:], *SHORT])
        assert ('live page' in said) == ('--web' in words)
        assert (self.folder / 'out' / 'demo.html').exists()

    def cmake(self, words):
        if words[1] == '--build':
            assert 'fleetweave_cli' in self.run([*words, '--target', 'help'])
        else:
            self.run(['cmake', '-S', str(self.source), *words[3:]])

    def colcon(self, words):
        package = words[words.index('--packages-select') + 1]
        listed = self.run(['colcon', '--log-base', '/dev/null', 'list', '--base-paths', str(self.source),
                           '--packages-select', package])
        assert listed.split()[0] == package

    def launch(self, words):
        assert words[2] == 'fleetweave'
        tree = ast.parse((self.source / 'launch' / words[3]).read_text())
        declared = {call.args[0].value for call in ast.walk(tree) if isinstance(call, ast.Call)
                    and getattr(call.func, 'id', '') == 'DeclareLaunchArgument'}
        assert {word.split(':=')[0] for word in words[4:]} <= declared

    RULES = [
        (['git', 'clone'], clone), (['cd'], enter), (['./run', 'fleetweave'], fleetweave), (['./run', 'demo'], demo),
        (['cmake'], cmake), (['colcon', 'build'], colcon), (['source', 'install/setup.bash'], lambda self, words: None),
        (['rosdep', 'install'], lambda self, words: None), (['ros2', 'launch'], launch),
    ]
