"""C sources are formatted by the pinned clang-format, and no line of the project's own text is wider than 120 columns."""
import os
import pathlib
import subprocess

import pytest

SOURCE = pathlib.Path(os.environ['FLEETWEAVE_SOURCE_DIR'])
SOURCES = [path for folder in ('src', 'include', 'cuda', 'test') for path in sorted((SOURCE / folder).rglob('*'))
           if path.suffix in ('.c', '.h', '.cu')]


def test_sources_are_formatted():
    done = subprocess.run([SOURCE / 'run', 'format', '--check'], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[:2000] + '\nrun ./run format'


def test_no_line_is_wider_than_120_columns():
    """clang-format breaks code, but neither comments nor long strings."""
    assert len(SOURCES) > 300
    wide = [f'{path.relative_to(SOURCE)}:{number}' for path in SOURCES
            for number, line in enumerate(path.read_text().splitlines(), 1) if len(line) > 120]
    assert wide == []


def test_a_line_that_is_not_formatted_is_found(tmp_path):
    if not (SOURCE / 'build' / 'format' / 'bin' / 'clang-format').exists():
        pytest.fail('./run format --check has not made its environment')
    source = tmp_path / 'wrong.c'
    source.write_text('int  x ;\n')
    (tmp_path / '.clang-format').write_text((SOURCE / '.clang-format').read_text())
    done = subprocess.run([SOURCE / 'build' / 'format' / 'bin' / 'clang-format', '--dry-run', '--Werror', source],
                          capture_output=True)
    assert done.returncode != 0
