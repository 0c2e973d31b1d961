"""docs/bounds.md: its constants have the values of the sources, and its tests exist."""
import os
import re
from pathlib import Path

TOP = Path(os.environ.get('FLEETWEAVE_SOURCE_DIR', Path(__file__).resolve().parents[2]))
ROWS = [line for line in (TOP / 'docs/bounds.md').read_text().splitlines() if line.startswith('| ') and '| --- ' not in line]


def sources():
    for folder in ('include', 'src'):
        for path in sorted((TOP / folder).rglob('*.[ch]')):
            yield path.read_text()


def test_constants_are_as_the_page_says():
    text = '\n'.join(sources())
    found = re.findall(r'`([A-Z][A-Z0-9_]+)` = (INT64_C\(1\) << \d+|[\w]+(?: (?:<<|\*) \w+)*)', '\n'.join(ROWS))
    assert len(found) > 20
    for name, value in found:
        macro = rf'#define {name} \(?(?:\(\w+\))?{re.escape(value)}\b'
        constant = rf'\b{name} = {re.escape(value)}\s*[,;}}]'
        assert re.search(f'{macro}|{constant}', text), f'{name} = {value}'


def test_the_tests_exist():
    files = {path.name: path.read_text() for path in (TOP / 'test').rglob('test_*.*')}
    count = 0
    for row in ROWS:
        for name, function in re.findall(r'`(test_\w+\.(?:c|py))`(?: ([a-z]\w+))?', row.rsplit('|', 2)[1]):
            assert name in files, name
            if function:
                assert re.search(rf'\b{function}\(', files[name]), f'{name} has no {function}'
            count += 1
    assert count > 30


def test_what_has_no_test_is_marked():
    """Every row names a test, or a dash."""
    for row in ROWS:
        assert row.startswith('| input |') or re.search(r'test_\w+\.|test/fuzz|—', row.rsplit('|', 2)[1]), row
