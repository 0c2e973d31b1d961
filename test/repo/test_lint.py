"""./run lint: the linters find what they are there for. All sources are linted by ./run lint, which takes minutes.

./run test installs both linters where it may install packages. Where it may not and they are missing, the tests say so and are left
out; compilers' warnings and the sanitizers still run there, and ./run lint on a machine that has them."""
import os
import shutil
import subprocess
from pathlib import Path

import pytest

TOP = Path(os.environ.get('FLEETWEAVE_SOURCE_DIR', Path(__file__).resolve().parents[2]))

# A mistake of its own kind each.
MISTAKES = {
    'cert-err34-c': '#include <stdio.h>\nint f(const char * t) { int v = 0; (void)sscanf(t, "%d", &v); return v; }\n',
    'bugprone-sizeof-expression': '#define SIZE 10\nunsigned long f(void) { return sizeof(SIZE); }\n',
    'bugprone-assert-side-effect': '#define FW_ASSERT(c) ((c) ? (void)0 : __builtin_trap())\nvoid f(int a) { FW_ASSERT(a++); }\n',
    'clang-analyzer-core.NullDereference': 'int f(int * p) { return p == 0 ? *p : 1; }\n',
    'clang-analyzer-unix.Malloc': '#include <stdlib.h>\nint f(void) { int * p = malloc(4); return p == 0; }\n',
    'bugprone-implicit-widening-of-multiplication-result':
        '#include <stddef.h>\nsize_t f(int a, int b) { return sizeof(int) + (a * b); }\nlong long g(int a) { return a * a; }\n',
}


@pytest.mark.skipif(shutil.which('clang-tidy') is None, reason='clang-tidy is missing and may not be installed here: only the '
                    'warnings of gcc and clang are checked; ./run lint checks all sources where it is')
def test_clang_tidy_finds_mistakes_and_our_checks_exist(tmp_path):
    for number, text in enumerate(MISTAKES.values()):
        (tmp_path / f'mistake_{number}.c').write_text(text)
    files = sorted(map(str, tmp_path.glob('*.c')))
    done = subprocess.run(['clang-tidy', f'--config-file={TOP}/.clang-tidy', '--quiet', *files, '--', '-std=c11'],
                          capture_output=True, text=True)
    assert done.returncode != 0
    for number, check in enumerate(MISTAKES):
        found = [line for line in done.stdout.splitlines() if f'mistake_{number}.c' in line and 'error:' in line]
        assert any(check in line for line in found), f'{check}: {found}'
    listed = subprocess.run(['clang-tidy', f'--config-file={TOP}/.clang-tidy', '--list-checks'], capture_output=True, text=True).stdout
    wanted = [line.strip(' ,') for line in (TOP / '.clang-tidy').read_text().splitlines() if line.startswith('  ') and '-' in line[3:]]
    for check in wanted:
        if '*' not in check and ':' not in check:
            assert f' {check}\n' in listed, check


@pytest.mark.skipif(shutil.which('cppcheck') is None, reason='cppcheck is missing and may not be installed here: only the '
                    'warnings of gcc and clang are checked; ./run lint checks all sources where it is')
def test_cppcheck_finds_mistakes(tmp_path):
    source = tmp_path / 'mistake.c'
    source.write_text('#include <stdio.h>\nvoid f(long a) { char t[4]; printf("%d", a); t[4] = 0; (void)t; }\n')
    command = f'top={TOP}; source "$top/tools/lint.sh"; run_cppcheck {source}'
    done = subprocess.run(['bash', '-c', command], capture_output=True, text=True)
    assert done.returncode == 1 and '[arrayIndexOutOfBounds]' in done.stderr and '[invalidPrintfArgType_sint]' in done.stderr
