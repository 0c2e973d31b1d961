"""Help, messages and exit codes."""

import os
import re

import pytest

COMMANDS = ['plan', 'check', 'view', 'list', 'make', 'route', 'simulate', 'bench', 'replay', 'world', 'completion']
OPEN = ['--make', 'open:6x6', '--robots', 3]


def test_help_names_every_command(cli):
    text = cli('--help').stdout
    for command in COMMANDS:
        assert len(re.findall(rf'^  {command} ', text, re.M)) == 1
    assert cli('help').stdout == text


@pytest.mark.parametrize('command', [[name] for name in COMMANDS] + [['bench', 'mapf']])
def test_each_command_explains_itself(cli, command):
    text = cli(*command, '--help').stdout
    assert text.startswith('Usage: fleetweave ' + command[0])
    assert cli('help', *command).stdout == text
    if command != ['bench']:
        assert 'Examples:' in text and 'Exit code:' in text


def test_version(cli):
    assert re.fullmatch(r'fleetweave \d+\.\d+\.\d+\n', cli('--version').stdout)


def test_no_command_is_a_wrong_command_line(cli):
    done = cli(exit_code=2)
    assert done.stdout == '' and 'Commands:' in done.stderr


@pytest.mark.parametrize('arguments, words', [
    (['pln'], 'did you mean plan?'),
    (['help', 'chek'], 'did you mean check?'),
    (['plan', '--mpa', 'x'], 'did you mean --map?'),
    (['plan', '--robots=12x'], '--robots must be a whole number, not "12x"'),
    (['plan', '--robots', '0'], '--robots must be between 1 and'),
    (['plan', '--robots', '99999999999999999999'], '--robots must be between 1 and'),
    (['plan', '--robots'], '--robots needs an argument'),
    (['plan', '--time-limit', 'soon'], '--time-limit must be a number, not "soon"'),
    (['plan', '--time-limit', '-1'], '--time-limit must be between 0 and'),
    (['plan', '-x'], 'plan has no option -x'),
    (['check', '--seed', '1', 'plan.txt'], 'check has no option --seed'),
    (['simulate', '--delays', 'much'], '--delays must be none, light or heavy, not "much"'),
    (['world', '--for', 'classic'], '--for must be harmonic or fortress, not "classic"'),
    (['completion', 'tcsh'], 'the supported shell is bash'),
    (['plan', 'word', *OPEN], 'unexpected argument "word"'),
    (['plan'], '--map FILE'),
    (['plan', '--make', 'open:6x6'], '--robots N'),
    (['plan', '--map', 'a.map', *OPEN], '--map or --make, not both'),
    (['plan', '--make', 'opn:6x6', '--robots', 1], 'warehouse'),
    (['plan', *OPEN, '--planner', 'hcaa'], 'did you mean hca?'),
    (['plan', *OPEN, '--planner', 'hca', '--set', 'ordr=index'], 'did you mean order?'),
    (['plan', *OPEN, '--set', 'order=sideways'], 'sideways'),
    (['plan', *OPEN, '--set', 'order'], 'KEY=VALUE'),
    (['plan', *OPEN, '--connectivity', 5], 'must be 4 or 8, not 5'),
    (['plan', *OPEN, '--json', '--out', '-'], 'both write to stdout'),
    (['check'], 'needs a PLAN file'),
    (['check', 'a', 'b'], 'unexpected argument "b"'),
    (['view', 'plan.txt'], '-o page.html'),
    (['view', 'plan.txt', '-o', 'plan.png'], 'must end in .html'),
    (['make', 'open:6x6'], '-o MAP'),
    (['make', 'open:6x6', '-o', 'a.map', '--robots', 3], 'must be given together'),
    (['bench', 'mpaf'], 'did you mean mapf?'),
    (['bench', 'mapf', '--make', 'open:6x6'], '--robots 50,100'),
    (['bench', 'mapf', '--make', 'open:6x6', '--robots', '3,x'], 'must be a whole number, not "x"'),
    (['bench', 'mapf', '--make', 'open:6x6', '--robots', '3,,4'], 'commas between'),
    (['bench', 'mapf', *OPEN, '--set', 'nobody.order=index'], 'no planner'),
])
def test_a_wrong_command_line_is_one_clear_line(cli, arguments, words):
    done = cli(*arguments, exit_code=2)
    assert words in done.stderr
    assert done.stderr.startswith('fleetweave: ') and done.stderr.count('\n') == 1
    assert done.stdout == ''


@pytest.mark.parametrize('arguments, words', [
    (['plan', '--map', 'none.map', '--robots', 3], 'none.map'),
    (['plan', '--make', 'open:6x6', '--robots', 37], '37 robots'),
    (['plan', *OPEN, '--scen', 'none.scen'], 'none.scen'),
    (['plan', *OPEN, '--out', 'no/such/folder.txt'], 'no/such/folder.txt'),
    (['check', 'none.txt'], 'none.txt'),
    (['view', 'none.txt', '-o', 'a.html'], 'none.txt'),
    (['replay', 'none.run', '-o', 'a.html'], 'none.run'),
    (['make', 'open:6x6', '-o', 'no/such.map'], 'no/such.map'),
])
def test_a_failure_names_the_file(cli, arguments, words):
    done = cli(*arguments, exit_code=3)
    assert words in done.stderr and done.stdout == ''


def test_a_map_that_is_none(cli, tmp_path):
    (tmp_path / 'bad.map').write_text('type octile\nheight 2\nwidth 2\nmap\n..\n.\n')
    assert 'bad.map' in cli('plan', '--map', 'bad.map', '--robots', 1, exit_code=3).stderr


@pytest.mark.skipif(not os.path.exists('/dev/full'), reason='no /dev/full here')
def test_a_full_disk_is_a_failure(cli):
    assert '/dev/full' in cli('plan', *OPEN, '--out', '/dev/full', exit_code=3).stderr
    assert os.path.exists('/dev/full')
