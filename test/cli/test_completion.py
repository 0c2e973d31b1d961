"""Shell completion: what the program offers, and what a real bash makes of it."""

import os
import pathlib
import pty
import re
import select
import shutil
import subprocess
import time

import pytest

from conftest import CLI


def offered(cli, *words):
    return cli('completion', 'words', *words).stdout.split()


def help_options(cli, *words):
    return set(re.findall(r'^  (?:-\w, |    )(--[\w-]+)', cli('help', *words).stdout, re.M))


def test_commands(cli):
    names = offered(cli, '')
    listed = re.findall(r'^  (\w+) +\S', cli('--help').stdout.split('First steps')[0], re.M)
    assert names == listed and len(set(names)) == len(names)
    assert offered(cli, 'pl') == ['plan']
    assert offered(cli, 'nonsense', '') == []


def test_every_option_of_every_command_is_offered(cli):
    """The help and the completion are made of the same tables."""
    kinds = offered(cli, 'bench', '')
    assert 'mapf' in kinds and 'rtaa' in kinds
    for words in [(name,) for name in offered(cli, '') if name not in ('bench', 'help')] + [('bench', k) for k in kinds]:
        options = help_options(cli, *words)
        assert set(offered(cli, *words, '--')) - {'--help'} == options, words
        for option in options:
            assert offered(cli, *words, option[:4]).count(option) == 1


@pytest.mark.parametrize('words, expected', [
    (('plan', '--planner', 'h'), ['hca']),
    (('plan', '--planner', '=', 'wh'), ['whca']),
    (('plan', '--planner', '='), None),
    (('plan', '-p', 'lr'), ['lra']),
    (('route', '--search', 'jp'), ['jps']),
    (('simulate', '--delays', ''), ['none', 'light', 'heavy']),
    (('bench', 'rtaa', '--backend', 'c'), ['cpu', 'cuda']),
    (('plan', '--set', 'wind'), ['window=']),
    (('plan', '--make', 'wa'), ['warehouse:']),
    (('plan', '--map', ''), [':files']),
    (('plan', '--robots', ''), []),
    (('view', 'p'), [':files']),
    (('completion', ''), ['bash']),
])
def test_values(cli, words, expected):
    assert offered(cli, *words) == (expected if expected is not None else offered(cli, 'plan', '--planner', ''))


class Bash:
    """A bash with a terminal, as a person has it."""

    def __init__(self, folder, script):
        environment = {'PATH': f'{pathlib.Path(CLI).resolve().parent}:{os.environ["PATH"]}', 'TERM': 'dumb', 'PS1': '$ ',
                       'HOME': str(folder), 'INPUTRC': '/dev/null'}
        self.pid, self.terminal = pty.fork()
        if self.pid == 0:
            os.chdir(folder)
            os.execve(shutil.which('bash'), ['bash', '--norc', '--noprofile', '-i'], environment)
        self.read('$ ')
        self.send(f'{script}\n')
        self.read('$ ')

    def send(self, text):
        os.write(self.terminal, text.encode())

    def read(self, end, seconds=20):
        text, stop = '', time.monotonic() + seconds
        while not text.endswith(end):
            assert time.monotonic() < stop, f'never {end!r}: {text!r}'
            if select.select([self.terminal], [], [], 0.1)[0]:
                text += os.read(self.terminal, 4096).decode(errors='replace').replace('\a', '')
        return text

    def complete(self, line, expected):
        """The line after TAB; then it is taken back."""
        self.send(line + '\t')
        self.read(expected)
        self.send('\x15')
        time.sleep(0.05)
        self.send('echo ok\n')
        self.read('ok\r\n$ ')

    def close(self):
        os.close(self.terminal)
        os.waitpid(self.pid, 0)


@pytest.mark.skipif(not shutil.which('bash'), reason='no bash')
def test_a_real_bash_completes(tmp_path):
    (tmp_path / 'hall of fame.map').write_text('')
    bash = Bash(tmp_path, 'source <(fleetweave completion bash)')
    try:
        bash.complete('fleetweave pl', 'fleetweave plan ')
        bash.complete('fleetweave plan --pla', 'fleetweave plan --planner ')
        bash.complete('fleetweave plan --planner wh', '--planner whca ')
        bash.complete('fleetweave plan --planner=wh', '--planner=whca ')
        bash.complete('fleetweave plan --make wareh', '--make warehouse:')
        bash.complete('fleetweave plan --set wind', '--set window=')
        bash.complete('fleetweave bench stan', 'fleetweave bench standley ')
        bash.complete('fleetweave plan --map hall', r'--map hall\ of\ fame.map ')
    finally:
        bash.close()


def test_it_is_installed_where_bash_looks(cli, tmp_path):
    """The file of an installation is what the program prints."""
    build = os.environ.get('FLEETWEAVE_BUILD_DIR')
    if not build:
        pytest.skip('FLEETWEAVE_BUILD_DIR is not set: ctest sets it, and runs this test in every build')
    subprocess.run(['cmake', '--install', build, '--prefix', tmp_path / 'prefix'], check=True, capture_output=True)
    installed = tmp_path / 'prefix/share/bash-completion/completions/fleetweave'
    assert installed.read_text() == cli('completion', 'bash').stdout
    subprocess.run(['bash', '-n', installed], check=True)


def test_other_shells_are_refused(cli):
    assert 'the supported shell is bash' in cli('completion', 'tcsh', exit_code=2).stderr
