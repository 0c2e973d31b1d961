"""What a release needs: one version everywhere, a changelog that bloom reads whole, a binary interface that is as listed, and a
container file whose steps name files that exist."""
import importlib.util
import os
import re
import shutil
from pathlib import Path

import pytest

TOP = Path(os.environ.get('FLEETWEAVE_SOURCE_DIR', Path(__file__).resolve().parents[2]))
VERSION = re.search(r'<version>(.*)</version>', (TOP / 'package.xml').read_text()).group(1)

spec = importlib.util.spec_from_file_location('abi', TOP / 'tools/abi.py')
abi = importlib.util.module_from_spec(spec)
spec.loader.exec_module(abi)


# ---- version

def test_the_version_is_semantic_and_the_same_everywhere():
    assert re.fullmatch(r'\d+\.\d+\.\d+', VERSION)
    found = {
        'CMakeLists.txt': re.findall(r'project\(fleetweave VERSION (\S+)', (TOP / 'CMakeLists.txt').read_text()),
        'fleetweave.h': [abi.version_of(TOP)],
        'QUALITY_DECLARATION.md': re.findall(r'(\d+\.\d+\.\d+)', (TOP / 'QUALITY_DECLARATION.md').read_text()),
        'consumer': re.findall(r'<version>(.*)</version>', (TOP / 'test/consumer/package.xml').read_text()),
    }
    assert {name: set(versions) for name, versions in found.items()} == {name: {VERSION} for name in found}


# ---- changelog (REP-132)

CHANGELOG = (TOP / 'CHANGELOG.rst').read_text()


def test_the_changelog_has_the_head_and_the_sections_of_rep_132():
    title = 'Changelog for package fleetweave'
    assert CHANGELOG.splitlines()[:3] == ['^' * len(title), title, '^' * len(title)]
    sections = re.findall(r'^(.+)\n(-{3,})$', CHANGELOG, re.M)
    assert sections and all(len(name) == len(line) for name, line in sections)
    first, *others = [name for name, _ in sections]
    released = re.compile(r'(\d+\.\d+\.\d+) \(\d{4}-\d{2}-\d{2}\)')
    assert first == 'Forthcoming' or released.fullmatch(first).group(1) == VERSION
    assert all(released.fullmatch(name) for name in others)
    numbers = [tuple(map(int, version.split('.'))) for version in abi.released_versions(TOP)]
    assert numbers == sorted(numbers, reverse=True)


def test_the_reader_of_release_tools_gets_every_entry():
    """bloom makes the changelog of the Debian package from what catkin_pkg reads. It drops everything below subtitles."""
    from catkin_pkg import changelog  # with docutils a part of every ROS 2, and of tools/ros-requirements.txt
    text = re.sub(r'^Forthcoming\n-+$', '999.0.0 (2026-01-01)\n--------------------', CHANGELOG, flags=re.M)
    read = changelog.populate_changelog_from_rst(changelog.Changelog('fleetweave'), text)
    entries = [part for _, _, content in read.foreach_version() for part in content]
    count = sum(len(part.bullets) for part in entries if hasattr(part, 'bullets'))
    assert count == len(re.findall(r'^\* ', CHANGELOG, re.M)) > 100


# ---- binary interface

@pytest.fixture
def tree(tmp_path):
    """A copy of what tools/abi.py reads."""
    shutil.copytree(TOP / 'include', tmp_path / 'include')
    shutil.copytree(TOP / 'test/abi', tmp_path / 'test/abi')
    shutil.copy(TOP / 'CHANGELOG.rst', tmp_path)
    return tmp_path


def change(tree, header, before, after):
    path = tree / 'include/fleetweave' / header
    text = path.read_text()
    assert text.count(before) == 1
    path.write_text(text.replace(before, after))


def check(tree):
    return abi.check(tree, tree / 'test/abi')


def release(tree):
    """As if this version were out."""
    path = tree / 'CHANGELOG.rst'
    path.write_text(re.sub(r'^Forthcoming\n-+$', f'{VERSION} (2026-01-01)\n------------------', path.read_text(), flags=re.M))


def test_the_binary_interface_is_as_listed():
    assert check(TOP) == ''


def test_every_public_function_is_in_the_list():
    listed = {line.split(':')[0] for line in abi.read_list(TOP / f'test/abi/{VERSION}.txt')}
    for header in (TOP / 'include').rglob('*.h'):
        text = re.sub(r'//[^\n]*', '', header.read_text())
        for declaration in re.findall(r'^FW_API\b[^;{]*;', text, re.M):
            assert re.search(r'\b(fw_\w+)\s*\(', declaration).group(1) in listed


@pytest.mark.parametrize('header, before, after, told', [
    ('fleetweave.h', 'FW_API void fw_grid_fini(fw_grid_t * grid);', '', 'removed: fw_grid_fini'),
    ('fleetweave.h', 'FW_API void fw_grid_fini(fw_grid_t * grid);', 'FW_API int fw_grid_fini(fw_grid_t * grid);', 'changed: fw_grid_fini'),
    ('fleetweave.h', 'FW_API void fw_grid_fini(fw_grid_t * grid);', 'FW_API void fw_grid_fini(const fw_grid_t * grid);',
     'to: fw_grid_fini: void (const fw_grid_t *)'),
    ('fleetweave.h', '  FW_RET_NOT_FOUND = 12,', '  FW_RET_NOT_FOUND = 19,', 'to: FW_RET_NOT_FOUND = 19'),
    ('fleetweave.h', '#define FW_ROBUST_TICKS_MAX 16', '#define FW_ROBUST_TICKS_MAX 8', 'changed: FW_ROBUST_TICKS_MAX = 16'),
    ('fleetweave.h', 'typedef int64_t fw_cost_t;', 'typedef int32_t fw_cost_t;', 'changed: fw_cost_t'),
    ('planner_def.h', '  uint64_t seed; ', '  uint64_t seed;\n  uint64_t more; ', 'changed: fw_planner_context_t.state @ 24'),
    ('planner_def.h', '  uint64_t seed; ', '  int64_t seed; ', 'to: fw_planner_context_t.seed @ 8: int64_t'),
])
def test_a_change_of_the_interface_is_noticed(tree, header, before, after, told):
    change(tree, header, before, after)
    release(tree)
    text = check(tree)
    assert told in text and f'Programs built for {VERSION} would break' in text


def test_before_the_release_a_change_only_has_to_be_listed(tree):
    change(tree, 'fleetweave.h', 'FW_API void fw_grid_fini(fw_grid_t * grid);', '')
    text = check(tree)
    assert './run abi --write' in text and 'would break' not in text


def test_names_of_arguments_and_comments_are_no_part_of_it(tree):
    change(tree, 'fleetweave.h', 'FW_API void fw_grid_fini(fw_grid_t * grid);', 'FW_API void fw_grid_fini(fw_grid_t * floor);  // x')
    assert check(tree) == ''


def test_what_is_added_breaks_nothing_and_another_series_may_break(tree):
    release(tree)
    addition = 'FW_API void fw_grid_fini(fw_grid_t * grid);\nFW_API void fw_grid_clear(fw_grid_t * grid);'
    change(tree, 'fleetweave.h', 'FW_API void fw_grid_fini(fw_grid_t * grid);', addition)
    text = check(tree)
    assert 'added:   fw_grid_clear' in text and 'would break' not in text
    change(tree, 'fleetweave.h', addition, '')
    change(tree, 'fleetweave.h', f'FLEETWEAVE_VERSION "{VERSION}"', 'FLEETWEAVE_VERSION "98.0.0"')
    assert check(tree) == '98.0.0.txt is missing: ./run abi --write writes it\n'
    (tree / 'test/abi/98.0.0.txt').write_text('\n'.join(abi.list_of(tree / 'include')))
    assert check(tree) == ''


def test_a_declaration_that_the_tool_cannot_read_is_an_error(tree):
    change(tree, 'fleetweave.h', 'typedef int64_t fw_cost_t;', 'typedef int64_t fw_cost_t;\nint fw_forgotten(void);')
    with pytest.raises(abi.Unreadable, match='fw_forgotten'):
        check(tree)


# ---- container

def test_the_container_file_names_what_exists():
    lines = (TOP / 'Dockerfile').read_text().replace('\\\n', ' ').splitlines()
    steps = [line.split(maxsplit=1) for line in lines if line.strip() and not line.startswith('#')]
    assert {word for word, _ in steps} <= {'ARG', 'FROM', 'SHELL', 'WORKDIR', 'COPY', 'RUN', 'ENV', 'USER', 'ENTRYPOINT', 'CMD'}
    assert all('jazzy' in rest or 'ROS_IMAGE' in rest for word, rest in steps if word == 'FROM')
    stages = {rest.split()[-1] for word, rest in steps if word == 'FROM'}
    ignored = (TOP / '.dockerignore').read_text().splitlines()
    for word, rest in steps:
        if word == 'COPY':
            options = [part for part in rest.split() if part.startswith('--')]
            sources = [part for part in rest.split() if not part.startswith('--')][:-1]
            if any(option.startswith('--from=') for option in options):
                assert all(option.split('=')[1] in stages for option in options if option.startswith('--from='))
            else:
                assert sources and all((TOP / source).exists() and source not in ignored for source in sources)
    users = [rest for word, rest in steps if word == 'USER']
    assert users and users[-1] != 'root'
    skipped = set(' '.join(re.findall(r'--skip-keys "([^"]*)"', '\n'.join(lines))).split())
    keys = set(re.findall(r'_depend>(\S+)</', (TOP / 'package.xml').read_text()))
    assert skipped and skipped <= keys
    # What a build without network would lack: every folder that CMakeLists.txt and the install rules read.
    copied = {source.rstrip('/') for word, rest in steps if word == 'COPY' for source in rest.split()}
    assert '.' in copied or {'src', 'include', 'cmake', 'cuda', 'config', 'launch', 'examples'} <= copied
