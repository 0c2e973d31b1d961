#!/usr/bin/env python3
"""Turns the player's page into C: writes ../player.inc, which is checked in so that a build needs no Python.

Run it after a change to a file of this folder; a test fails when player.inc is not up to date.
"""

import pathlib
import sys

FOLDER = pathlib.Path(__file__).resolve().parent
SCRIPTS = [
    'model.js', 'layers.js', 'views.js', 'draw.js', 'draw_layers.js', 'controls.js', 'words.js', 'live.js', 'open.js']


def page():
    """The page with style and scripts in place; @TITLE@ and @DATA@ are left for the C code."""
    read = lambda name: (FOLDER / name).read_text(encoding='utf-8').rstrip('\n')
    text = read('page.html') + '\n'
    text = text.replace('@STYLE@', read('style.css'))
    return text.replace('@SCRIPT@', '\n\n'.join(read(name) for name in SCRIPTS))


def literal(line):
    escaped = line.replace('\\', '\\\\').replace('"', '\\"').replace('?', '\\?')
    return f'  "{escaped}\\n",\n'


def inc():
    """One literal per line, since C promises no more than 4095 characters in one."""
    head = '// Made by player/embed.py from the files in player/: edit those, not this.\n'
    return head + ''.join(literal(line) for line in page().splitlines())


if __name__ == '__main__':
    target = FOLDER.parent / 'player.inc'
    if '--check' in sys.argv:
        sys.exit(0 if target.read_text(encoding='utf-8') == inc() else f'{target.name} is out of date')
    target.write_text(inc(), encoding='utf-8')
