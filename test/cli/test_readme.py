"""README.md and docs: what they say to type works, and what is made from the program is what it makes."""

import re
import shlex
import subprocess

import pytest

from conftest import CLI, SOURCE
from readme import Runner, blocks, needs_ros

README = (SOURCE / 'README.md').read_text()
PAGES = [SOURCE / 'README.md', *sorted((SOURCE / 'docs').glob('*.md'))]


def test_every_command_of_the_readme_and_the_command_line_page_works(tmp_path):
    """Those that need ROS 2 are run in test/ros/test_readme_commands.py."""
    runner = Runner(SOURCE, CLI, tmp_path)
    count = 0
    page = (SOURCE / 'docs' / 'command_line.md').read_text()
    for block in blocks(README) + blocks(page):
        for words in block if not needs_ros(block) else []:
            if words[0] == 'git' and subprocess.run(['git', '-C', SOURCE, 'rev-parse'], capture_output=True).returncode:
                continue  # an archive, not a checkout
            runner.follow(words)
            count += 1
    assert count == 9  # 4 of the README, 5 of the page: a block that is no longer found fails here


def test_a_command_without_a_rule_fails(tmp_path):
    with pytest.raises(AssertionError, match='no rule'):
        Runner(SOURCE, CLI, tmp_path).follow(['rm', '-rf', 'everything'])


def test_the_table_of_planners_is_that_of_the_registry(cli):
    page = (SOURCE / 'docs' / 'planners.md').read_text()
    table = re.search(r'<!-- made by `fleetweave list --markdown` -->\n(.*?)<!-- end -->', page, re.S).group(1)
    assert table == cli('list', '--markdown').stdout


def test_the_readme_says_when_to_take_each_planner(cli):
    table = re.search(r'^## Which planner\n(.*?)^## ', README, re.S | re.M).group(1)
    rows = re.findall(r'^\| (`.*?) \|', table, re.M)
    named = [name for row in rows for name in re.findall(r'`(\w+)`', row)]
    assert sorted(named) == sorted(re.findall(r'^\| `(\w+)` \|', cli('list', '--markdown').stdout, re.M))


def offered(cli, *words):
    return set(cli('completion', 'words', *words).stdout.split())


@pytest.mark.parametrize('page', PAGES, ids=lambda page: page.name)
def test_every_option_that_is_named_exists(cli, page):
    """In blocks and in the text: `fleetweave COMMAND --option`."""
    text = page.read_text()
    kinds, commands = offered(cli, 'bench', ''), offered(cli, '')
    lines = re.findall(r'`(?:\./run )?fleetweave ([^`]*)`', text)
    lines += re.findall(r'^(?:\./run )?fleetweave (.*)', '\n'.join(re.findall(r'```sh\n(.*?)```', text, re.S)), re.M)
    for line in lines:
        words = shlex.split(line.replace("'", '').split(' #')[0])
        if not words or not words[0].isalpha() or words[0].isupper():
            continue  # `fleetweave help COMMAND`, `fleetweave …`
        assert words[0] in commands, line
        place = words[:1]
        if words[0] == 'bench' and len(words) > 1 and words[1] in kinds:
            place = words[:2]
        options = offered(cli, *place, '--') | {'--help'}
        for word in words:
            if word.startswith('--'):
                assert word.split('=')[0] in options, line


@pytest.mark.parametrize('page', PAGES, ids=lambda page: page.name)
def test_links_lead_somewhere(page):
    for target in re.findall(r'\]\(([^)#]+)(?:#[^)]*)?\)', page.read_text()):
        assert target.startswith(('http://', 'https://')) or (page.parent / target).exists(), target


def test_every_page_is_in_the_index():
    index = (SOURCE / 'docs' / 'README.md').read_text()
    for page in PAGES[1:]:
        assert page.name == 'README.md' or f']({page.name})' in index, page.name
