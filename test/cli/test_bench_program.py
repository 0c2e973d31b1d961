"""`fleetweave bench` hands over to fleetweave_bench beside it: the same options, output and exit codes."""

import os
import pathlib
import re
import shutil
import subprocess

import pytest

from conftest import CLI, SOURCE

BENCH = pathlib.Path(CLI).resolve().parent / 'fleetweave_bench'


def run(program, *arguments, **options):
    return subprocess.run([program, *arguments], text=True, capture_output=True, timeout=120, **options)


@pytest.mark.parametrize('arguments', [
    ['--help'], ['mapf', '--help'], [], ['mapf', '--nonsense'], ['nonsense'], ['lifelong'],
    ['mapf', '--make', 'open:6x6', '--robots', '2', '--csv', '/nowhere/x.csv'],
])
def test_both_programs_say_the_same(arguments):
    own, handed_over = run(BENCH, *arguments), run(CLI, 'bench', *arguments)
    assert (own.returncode, own.stdout, own.stderr) == (
        handed_over.returncode, handed_over.stdout, handed_over.stderr)


def test_help_leads_to_the_same_page():
    assert run(CLI, 'help', 'bench', 'lifelong').stdout == run(BENCH, 'lifelong', '--help').stdout
    assert re.search(r'^  bench +\S', run(CLI, '--help').stdout, re.M)


def test_users_find_the_kinds_that_choose_a_planner():
    text = run(BENCH, '--help').stdout
    kinds = re.findall(r'^  (\w+) +\S', text.split('Kinds:')[1], re.M)
    assert kinds[:2] == ['mapf', 'lifelong'] and 'choose a planner for your site' in text
    assert 'Choose a planner for your site' in run(BENCH, 'mapf', '--help').stdout


@pytest.mark.parametrize('page', [SOURCE / 'README.md', *sorted((SOURCE / 'docs').glob('*.md'))], ids=lambda page: page.name)
def test_every_option_that_the_pages_name_exists(page):
    """`./run bench KIND --option`, in blocks and in the text."""
    def offered(*words):
        return set(run(CLI, 'completion', 'words', 'bench', *words).stdout.split())

    text = page.read_text()
    lines = re.findall(r'`\./run bench ([^`]*)`', text) + re.findall(r'^\./run bench (.*)', text, re.M)
    for line in lines:
        kind, *words = re.split(r'[>#;]', line)[0].split()
        if kind.isalpha():
            assert kind in offered(''), line
            options = offered(kind, '--')
            assert {word for word in words if word.startswith('--')} <= options, line


def test_it_is_found_beside_the_program_however_that_is_called(tmp_path):
    """Through a link in another folder, by the path, and with nothing on the path."""
    (tmp_path / 'link').symlink_to(CLI)
    assert run(tmp_path / 'link', 'bench', '--version', cwd=tmp_path).stdout.startswith('fleetweave_bench ')
    environment = {**os.environ, 'PATH': str(pathlib.Path(CLI).parent)}
    assert run('fleetweave', 'bench', '--version', env=environment).stdout.startswith('fleetweave_bench ')


def test_a_missing_program_is_named(tmp_path):
    shutil.copy(CLI, tmp_path / 'fleetweave')
    done = run(tmp_path / 'fleetweave', 'bench', 'mapf')
    assert done.returncode == 3 and done.stdout == ''
    assert f'{tmp_path}/fleetweave_bench: No such file' in done.stderr and 'install' in done.stderr


def test_both_are_installed_side_by_side(tmp_path):
    build = os.environ.get('FLEETWEAVE_BUILD_DIR')
    if not build:
        pytest.skip('FLEETWEAVE_BUILD_DIR is not set: ctest sets it, and runs this test in every build')
    subprocess.run(['cmake', '--install', build, '--prefix', tmp_path], check=True, capture_output=True)
    assert run(tmp_path / 'bin/fleetweave', 'bench', '--version').stdout.startswith('fleetweave_bench ')
