"""The start-up check of the nodes' parameter tables finds a table with a mistake in it (parameters_probe.c)."""
import os
import subprocess

import pytest


@pytest.fixture(scope='module')
def lines():
    probe = os.path.join(os.environ['FLEETWEAVE_BUILD_DIR'], 'parameters_probe')
    done = subprocess.run([probe], stdout=subprocess.PIPE, text=True, timeout=30)
    assert done.returncode == 0
    return dict(line.split(': ', 1) for line in done.stdout.splitlines())


@pytest.mark.parametrize('table, words', [
    ('right', 'accepted'),
    ('twice', "found: parameter 'speed' is declared twice"),
    ('no help', "found: parameter 'speed' has no name or no help"),
    ('initial', "found: parameter 'speed' has an initial value that is not allowed"),
    ('text', "found: parameter 'frame' has an initial value that is not allowed"),
    ('no type', "found: parameter 'speed' has neither a field nor a type"),
    ('range', "found: parameter 'ticks' has a 32-bit field that cannot hold its whole range"),
    ('bool', "found: parameter 'kind' has more choices than its bool field can hold"),
    ('choice', "found: parameter 'colour' has an initial value that is not allowed"),
    ('double', "found: parameter 'colour' has choices and a field that cannot hold their index"),
])
def test_a_wrong_table_is_found(lines, table, words):
    assert lines[table] == words


def test_every_kind_of_field_receives_its_value(lines):
    assert lines['read'] == '0.5 3 7 1 1 map 2 robot_1'


def test_texts_with_a_zero_byte_are_refused(lines):
    assert lines['zero byte 0'] == "refused: frame must not contain a zero byte: 'a', map 2"
    assert lines['zero byte 1'] == "refused: robots must not contain a zero byte: 'a', map 2"
