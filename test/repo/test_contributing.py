"""docs/contributing.md: the example planner compiles, and passes the tests that every planner must pass."""
import os
import pathlib
import re
import shutil
import subprocess

import pytest

SOURCE = pathlib.Path(os.environ['FLEETWEAVE_SOURCE_DIR'])
BUILD = pathlib.Path(os.environ['FLEETWEAVE_BUILD_DIR'])
LIBRARIES = ['libfleetweave_test_support.a', 'libfleetweave_internal.a']


@pytest.fixture
def folder(tmp_path):
    """The planner's source, and a registry with it and the planners that tests refer to by name."""
    text = re.search(r'^```c\n(.*?)^```', (SOURCE / 'docs' / 'contributing.md').read_text(), re.M | re.S).group(1)
    (tmp_path / 'first_come.c').write_text(text)
    registry = (SOURCE / 'src' / 'planner' / 'registry.c').read_text()
    lines = re.search(r'planners\[\] = \{\n(.*?)\};', registry, re.S).group(1)
    assert '&fw__planner_whca,' in lines
    (tmp_path / 'registry.c').write_text(
        registry.replace(lines, '  &fw__planner_first_come,\n  &fw__planner_whca,\n').replace(
            'static const', 'extern const fw_planner_def_t fw__planner_first_come;\n\nstatic const', 1))
    return tmp_path


def build(folder, test):
    compiler = shutil.which('cc') or shutil.which('gcc') or shutil.which('clang')
    if not compiler or not all((BUILD / name).exists() for name in LIBRARIES):
        pytest.skip('no compiler, or the libraries are not static')
    program = folder / test
    cuda = [str(path) for path in BUILD.rglob('libfleetweave_cuda.a')]
    # The registry comes before the library on the command line, so that the library's own is not linked.
    done = subprocess.run(
        [compiler, '-std=c11', '-O2', '-D_POSIX_C_SOURCE=200809L', '-Wall', '-Wextra', '-Wpedantic', '-Wshadow',
         '-Werror', f'-I{SOURCE}/src', f'-I{SOURCE}/include', f'-I{SOURCE}/test', '-o', program,
         folder / 'first_come.c', folder / 'registry.c', SOURCE / 'test' / 'unit' / f'{test}.c',
         *[BUILD / name for name in LIBRARIES], *cuda, '-lcmocka', '-lpthread', '-lm'], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return program


@pytest.mark.parametrize('test', ['test_properties', 'test_steady'])
def test_the_example_passes_what_every_planner_must(folder, test):
    done = subprocess.run([build(folder, test)], cwd=SOURCE, capture_output=True, text=True, timeout=280)
    assert done.returncode == 0, (done.stdout + done.stderr)[-2000:]


def test_the_example_is_in_the_registry(folder):
    """The tests find a planner that claims to have solved what it has not."""
    text = (folder / 'first_come.c').read_text()
    broken = text.replace('const bool is_solved = found == FW_FOUND_PATH;', 'const bool is_solved = true;')
    assert broken != text
    (folder / 'first_come.c').write_text(broken)
    done = subprocess.run([build(folder, 'test_properties')], cwd=SOURCE, capture_output=True, text=True, timeout=280)
    assert done.returncode != 0 and 'first_come' in done.stdout + done.stderr


def test_each_change_needs_at_most_three_files_that_exist():
    """The table "Where to change what" leads to files that are there."""
    page = (SOURCE / 'docs' / 'contributing.md').read_text()
    table = re.search(r'^\| to do this .*?\n\n', page, re.M | re.S).group(0)
    rows = table.strip().splitlines()[2:]
    assert len(rows) == 12
    for row in rows:
        paths = re.findall(r'`((?:src|test|config)/[^`]+)`', row)
        assert 2 <= len(paths) <= 3, row
        assert all((SOURCE / path).exists() for path in paths), row
