#!/usr/bin/env python3
"""The binary interface of the library as a list: ./run abi compares it with the list that is committed for this version.

The list has one line for each exported function with its types, each structure with its size, each member with its offset and
type, each enumerator and each constant. It comes from the public headers (what the library exports beyond them is the subject of
test/repo/test_symbols.py) and from the compiler, which tells sizes, offsets and values. Comments, the names of arguments and the
order of declarations are no part of it.

Why not abidiff: it needs a build with debug information of the same compiler on both sides, its XML cannot be reviewed in a
commit, and it is missing on many machines. The headers are the whole interface here, they are plain C, and a line of this list
is readable: a reviewer sees "fw_robot_t.goal @ 4: fw_cell_t" change.
"""
import argparse
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

TOP = pathlib.Path(__file__).resolve().parents[1]


class Unreadable(Exception):
    """A declaration that this parser does not know: better no list than one with a gap."""


def join(text):
    return re.sub(r'\s+', ' ', text).strip()


def plain(text):
    """A header without comments, bodies of inline functions and the block of extern "C"."""
    text = re.sub(r'/\*.*?\*/|//[^\n]*', '', text, flags=re.S)
    text = re.sub(r'^#ifdef __cplusplus\n.*?^#endif\n', '', text, flags=re.S | re.M)
    return re.sub(r'\\\n', ' ', text)


def split(text, separator):
    """The parts of a text between separators that are in no bracket."""
    parts, depth, part = [], 0, ''
    for letter in text:
        depth += (letter in '({[') - (letter in ')}]')
        if letter == separator and depth == 0:
            parts.append(part)
            part = ''
        else:
            part += letter
    return parts + [part]


def declarations(text):
    """The declarations of a header, one string each. An inline function loses its body."""
    text = re.sub(r'^[ \t]*#.*$', '', plain(text), flags=re.M)
    found, depth, part = [], 0, ''
    for letter in text:
        depth += (letter == '{') - (letter == '}')
        part += letter
        ends_body = letter == '}' and depth == 0 and re.match(r'\s*static inline', part)
        if (letter == ';' and depth == 0) or ends_body:
            found.append(join(part.rstrip(';')))
            part = ''
    if join(part):
        raise Unreadable(join(part))
    return [declaration for declaration in found if declaration]


def constants(text):
    """Macros without arguments that have a value."""
    return [name for name in re.findall(r'^#define (\w+)[ \t]+\S', plain(text), re.M)
            if not name.endswith('_H_') and name not in ('FW_API', 'FW_MUST_USE', 'FLEETWEAVE_VERSION')]


def type_of(declarator):
    """The type of "const char * name[3]" and its name; of a function pointer the whole without its name."""
    pointer = re.match(r'(.*?)\(\*\s*(?:const )?(\w+)\)\s*\((.*)\)$', declarator)
    if pointer:
        result, name, arguments = pointer.groups()
        return f'{join(result)} (*)({argument_types(arguments)})', name
    match = re.match(r'(.*?[\s*])(\w+)((?:\[[^\]]*\])*)$', declarator)
    if not match:
        raise Unreadable(declarator)
    base, name, extent = match.groups()
    return join(base) + extent, name


def argument_types(text):
    return ', '.join(argument if argument in ('...', 'void') or argument.endswith('*') else type_of(argument)[0]
                     for argument in map(join, split(text, ',')))


def function_line(declaration):
    declaration = re.sub(r'FW_PRINTF\([^)]*\)|\b(FW_API|FW_MUST_USE|static inline)\b', '', declaration.split('{')[0])
    match = re.match(r'(.*?[\s*])(\w+)\s*\((.*)\)$', join(declaration))
    if not match:
        raise Unreadable(declaration)
    result, name, arguments = match.groups()
    return f'{name}: {join(result)} ({argument_types(arguments)})'


def members(body):
    for member in map(join, split(body, ';')):
        if member:
            first, *others = split(member, ',')
            if others or '{' in member:
                raise Unreadable(member)  # one member a line is the style of our headers
            yield type_of(first)


class Interface:
    """What the headers declare: lines that are known, and questions for the compiler."""

    def __init__(self, include):
        self.include = pathlib.Path(include)
        self.headers = sorted(self.include.rglob('*.h'))
        self.lines = set()
        self.questions = []  # (format of the line, expressions)
        for header in self.headers:
            text = header.read_text()
            for name in constants(text):
                self.questions.append((f'{name} = %lld', [f'(long long)({name})']))
            for declaration in declarations(text):
                self.read(declaration)

    def read(self, text):
        structure = re.match(r'typedef struct (\w+) \{(.*)\} (\w+)$', text)
        enumeration = re.match(r'(?:typedef )?enum (?:\w+ )?\{(.*)\}(?: \w+)?$', text)
        alias = re.match(r'typedef ([^{]*)$', text)
        if structure:
            _, body, name = structure.groups()
            self.questions.append((f'{name}: struct of %zu bytes', [f'sizeof({name})']))
            for kind, member in members(body):
                self.questions.append((f'{name}.{member} @ %zu: {kind}', [f'offsetof({name}, {member})']))
        elif enumeration:
            for item in map(join, split(enumeration.group(1), ',')):
                if item:
                    name = item.split('=')[0].strip()
                    self.questions.append((f'{name} = %lld', [f'(long long){name}']))
        elif alias:
            kind, name = type_of(alias.group(1))
            self.lines.add(f'{name}: type {kind}')
        elif re.fullmatch(r'struct \w+', text):
            pass  # an incomplete type: only its pointers are used
        elif re.match(r'(FW_API|static inline)\b', text):
            self.lines.add(function_line(text))
        else:
            raise Unreadable(text)

    def program(self):
        includes = ''.join(f'#include <{header.relative_to(self.include)}>\n' for header in self.headers)
        prints = ''.join('  printf("%s\\n", %s);\n' % (form, ', '.join(values)) for form, values in self.questions)
        return f'#include <stdio.h>\n{includes}int main(void)\n{{\n{prints}  return 0;\n}}\n'

    def answers(self):
        compiler = os.environ.get('CC') or shutil.which('cc') or shutil.which('gcc') or shutil.which('clang')
        with tempfile.TemporaryDirectory() as folder:
            source, program = pathlib.Path(folder) / 'abi.c', pathlib.Path(folder) / 'abi'
            source.write_text(self.program())
            subprocess.run([*compiler.split(), '-std=c11', '-w', '-I', self.include, source, '-o', program], check=True)
            return subprocess.run([program], check=True, capture_output=True, text=True).stdout.splitlines()


def list_of(include):
    interface = Interface(include)
    return sorted(interface.lines | set(interface.answers()))


def version_of(top):
    return re.search(r'#define FLEETWEAVE_VERSION "(.*)"', (top / 'include/fleetweave/fleetweave.h').read_text()).group(1)


def released_versions(top):
    """The versions that the changelog has a section of, newest first."""
    return re.findall(r'^(\d+\.\d+\.\d+) \(', (top / 'CHANGELOG.rst').read_text(), re.M)


def series(version):
    """Programs that were linked against one version of a series run with each later one of it."""
    major, minor, _ = version.split('.')
    return (major, minor) if major == '0' else (major,)


def read_list(path):
    return [line for line in path.read_text().splitlines() if line and not line.startswith('#')]


def differences(before, after):
    """What was removed or changed, and what was added, by name."""
    old, new = ({line.split(':')[0].split(' ')[0]: line for line in lines} for lines in (before, after))
    broken = [f'  removed: {line}' for name, line in old.items() if name not in new]
    broken += [f'  changed: {line}\n       to: {new[name]}' for name, line in old.items() if name in new and new[name] != line]
    return broken, [f'  added:   {line}' for name, line in new.items() if name not in old]


def check(top, lists):
    """Nothing, or what is wrong in words."""
    version = version_of(top)
    current = list_of(top / 'include')
    path = lists / f'{version}.txt'
    if not path.exists():
        return f'{path.name} is missing: ./run abi --write writes it\n'
    text = ''
    broken, added = differences(read_list(path), current)
    if broken or added:
        text += '\n'.join([f'The public headers differ from {path.name}:', *broken, *added, '']) + (
            'If that is meant: tell it in CHANGELOG.rst, and ./run abi --write\n')
    for released in released_versions(top)[:1]:
        broken, _ = differences(read_list(lists / f'{released}.txt'), current)
        if broken and series(released) == series(version):
            text += '\n'.join([f'Programs built for {released} would break with {version}:', *broken, '']) + (
                'Take it back, or raise the ' + ('minor' if version.startswith('0.') else 'major') + ' version (docs/releasing.md)\n')
    return text


def main():
    parser = argparse.ArgumentParser(prog='./run abi', description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--write', action='store_true', help='write the list of this version, unless it has been released')
    parser.add_argument('--top', type=pathlib.Path, default=TOP, help='the source folder')
    arguments = parser.parse_args()
    lists = arguments.top / 'test/abi'
    version = version_of(arguments.top)
    if arguments.write:
        if version in released_versions(arguments.top):
            sys.exit(f'abi: {version} is released, its list stays as it is: raise the version first')
        lines = list_of(arguments.top / 'include')
        (lists / f'{version}.txt').write_text(f'# Made by ./run abi --write: the binary interface of {version}\n' + '\n'.join(lines) + '\n')
        print(f'{version}: {len(lines)} lines')
        return
    text = check(arguments.top, lists)
    sys.stderr.write(text)
    if text:
        sys.exit(1)
    print(f'The public headers are as the list of {version} says.')


if __name__ == '__main__':
    main()
