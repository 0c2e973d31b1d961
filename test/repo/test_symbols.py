"""Names: the shared library exports what the public headers declare and nothing else, internal functions are named fw__…, and no
name is defined twice."""
import collections
import os
import pathlib
import re
import shutil
import subprocess

import pytest

SOURCE = pathlib.Path(os.environ['FLEETWEAVE_SOURCE_DIR'])
BUILD = pathlib.Path(os.environ['FLEETWEAVE_BUILD_DIR'])
ARCHIVE = BUILD / 'libfleetweave_internal.a'


def without_comments(text):
    return re.sub(r'//[^\n]*', '', text)


def declared():
    """Functions that the public headers mark with FW_API."""
    names = set()
    for header in sorted((SOURCE / 'include').rglob('*.h')):
        for declaration in re.findall(r'^FW_API\b[^;{]*;', without_comments(header.read_text()), re.M):
            names.add(re.search(r'\b(fw_\w+)\s*\(', declaration).group(1))
    return names


def symbols(*command):
    """(name, kind) of each defined global symbol."""
    lines = subprocess.run(['nm', '--defined-only', *command], check=True, capture_output=True, text=True).stdout.splitlines()
    return {(parts[2], parts[1]) for parts in (line.split() for line in lines) if len(parts) == 3 and parts[1].isupper()}


@pytest.fixture(scope='module')
def shared(tmp_path_factory):
    """The shared library, linked from the objects that the build has made."""
    library = tmp_path_factory.mktemp('shared') / 'libfleetweave.so'
    compiler = shutil.which('cc') or shutil.which('gcc') or shutil.which('clang')
    subprocess.run([compiler, '-shared', '-o', library, '-Wl,--whole-archive', ARCHIVE, '-Wl,--no-whole-archive'],
                   check=True, capture_output=True)
    return library


def test_every_function_of_a_public_header_is_marked():
    """A declaration without FW_API would be missing from the shared library."""
    for header in sorted((SOURCE / 'include').rglob('*.h')):
        text = without_comments(header.read_text())
        for declaration in re.findall(r'^(?!typedef|static|#|struct|enum|extern)[A-Za-z][^;{}#]*\bfw_\w+\s*\([^;{}]*;', text, re.M):
            assert declaration.startswith('FW_API'), f'{header.name}: {declaration.splitlines()[0]}'


def test_the_shared_library_exports_the_public_headers_and_nothing_else(shared):
    exported = {name for name, _ in symbols('-D', shared)}
    ours = {name for name in exported if name.startswith('fw')}
    assert ours == declared()
    assert len(ours) > 100


def test_internal_functions_cannot_collide_with_a_users():
    public = declared()
    # Kernels for the GPU are compiled as C++ with C names; the CUDA runtime brings names of its own.
    foreign = re.compile(r'^(_|cuda|__)')
    wrong = {name for name, _ in symbols(ARCHIVE) if name not in public and not name.startswith('fw__')
             and not foreign.match(name)}
    assert wrong == set()


def definitions(pattern, files):
    places = collections.defaultdict(set)
    for path in files:
        for name in re.findall(pattern, without_comments(path.read_text()), re.M):
            places[name].add(str(path.relative_to(SOURCE)))
    return places


def test_no_type_is_defined_twice():
    headers = [path for folder in ('include', 'src', 'cuda') for path in sorted((SOURCE / folder).rglob('*.h'))]
    sources = [path for folder in ('src', 'cuda') for path in sorted((SOURCE / folder).rglob('*.c'))]
    in_headers = definitions(r'^\} (\w+_t);', headers)
    in_sources = definitions(r'^\} (fw_\w+_t);', sources)
    assert len(in_headers) > 100
    twice = {name: sorted(places | in_sources.get(name, set())) for name, places in in_headers.items()
             if len(places | in_sources.get(name, set())) > 1}
    assert twice == {}


def test_no_two_names_differ_by_an_underscore_only():
    headers = [path for folder in ('include', 'src', 'cuda') for path in sorted((SOURCE / folder).rglob('*.h'))]
    names = set(definitions(r'\b(fw_\w+)\s*\(', headers)) | set(definitions(r'^\} (\w+_t);', headers))
    alike = collections.defaultdict(set)
    for name in names:
        alike[name.replace('_', '')].add(name)
    assert [sorted(group) for group in alike.values() if len(group) > 1] == []
