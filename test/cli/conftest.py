"""The command line from outside: run it, read what it says."""

import html
import json
import os
import pathlib
import re
import shutil
import subprocess

import pytest

from browser import Page

CLI = os.environ.get('FLEETWEAVE_CLI') or shutil.which('fleetweave')
SOURCE = pathlib.Path(os.environ.get('FLEETWEAVE_SOURCE_DIR') or pathlib.Path(__file__).parents[2])


@pytest.fixture
def cli(tmp_path):
    """cli('plan', '--robots', 3, exit_code=2) runs in a folder of its own; .stdout and .stderr are text."""
    assert CLI, 'FLEETWEAVE_CLI is not set and there is no fleetweave on the path'

    def run(*arguments, exit_code=0, **options):
        done = subprocess.run([CLI, *map(str, arguments)], cwd=tmp_path, text=True, errors='replace',
                              capture_output=True, timeout=120, **options)
        assert exit_code is None or done.returncode == exit_code, f'{arguments}: {done.returncode}\n{done.stdout}{done.stderr}'
        return done

    return run


@pytest.fixture
def ring(tmp_path):
    """A ring around one obstacle with two robots that change places.

        0 . .
        . @ .
        . . 1
    """
    (tmp_path / 'ring.map').write_text('type octile\nheight 3\nwidth 3\nmap\n...\n.@.\n...\n')
    (tmp_path / 'ring.scen').write_text('version 1\n'
                                        '0\tring.map\t3\t3\t0\t0\t2\t2\t4\n'
                                        '0\tring.map\t3\t3\t2\t2\t0\t0\t4\n')
    return ['--map', 'ring.map', '--scen', 'ring.scen']


def chromium():
    for name in ('chromium', 'chromium-browser', 'google-chrome', 'chrome'):
        if shutil.which(name):
            return shutil.which(name)
    pytest.skip('no chromium on this machine (Debian: apt-get install chromium): pages are not opened')


@pytest.fixture
def open_page(tmp_path):
    """open_page('page.html') opens page.html#selftest in a real browser; gives the page's DOM and its report."""
    browser = chromium()

    def run(name):
        done = subprocess.run(
            [browser, '--headless', '--no-sandbox', '--disable-gpu', '--virtual-time-budget=20000',
             f'--user-data-dir={tmp_path / "browser"}', '--dump-dom', f'file://{tmp_path / name}#selftest'],
            capture_output=True, text=True, timeout=120)
        found = re.search(r'<body[^>]* data-selftest="([^"]*)"', done.stdout)
        assert found, f'the page did not finish its self-test\n{done.stderr[-2000:]}'
        return done.stdout, json.loads(html.unescape(found.group(1)))

    return run


@pytest.fixture
def show(cli, tmp_path):
    """show('plan.txt', ...) is page.html as `view` makes it of these arguments, open in a real browser."""
    pages = []

    def make(*arguments, size=(1000, 700)):
        cli('view', *arguments, '-o', 'page.html')
        pages.append(Page(chromium(), tmp_path / f'browser{len(pages)}', f'file://{tmp_path / "page.html"}', size))
        pages[-1].see()
        return pages[-1]

    yield make
    for one in pages:
        one.close()
        assert one.errors == []
