"""Kernels that spill fail the build, the registers in docs/gpu.md are those that the compiler says, and the build takes
what a toolkit offers, or does without."""

import os
import pathlib
import re
import shutil
import stat
import subprocess

import pytest

SOURCE = pathlib.Path(os.environ.get('FLEETWEAVE_SOURCE_DIR', pathlib.Path(__file__).parents[2]))
BUILD = pathlib.Path(os.environ.get('FLEETWEAVE_BUILD_DIR', 'build'))
USED = re.compile(r"entry function 'fw__rtaa_kernel_(\w+)' for 'sm_(\d+)'.*?Used (\d+) registers", re.DOTALL)
TABLE = re.compile(r'^\| kernel \|(.*)\|\n\|[ |-]+\|\n((?:\| `\w+` \|.*\|\n)+)', re.MULTILINE)


def find_nvcc():
    nvcc = shutil.which('nvcc') or shutil.which('/usr/local/cuda/bin/nvcc')
    if nvcc is None or shutil.which('c++') is None:
        pytest.skip('no nvcc: the kernels are compiled as C by test_rtaa_cuda, which says nothing of registers')
    return nvcc


def compile_kernels(folder, bounds):
    nvcc = find_nvcc()
    text = (SOURCE / 'cuda/rtaa_kernels.cu').read_text()
    assert '__launch_bounds__(128, 4)' in text
    (folder / 'kernels.cu').write_text(text.replace('__launch_bounds__(128, 4)', f'__launch_bounds__{bounds}'))
    return subprocess.run(
        [nvcc, '-arch=sm_90', '-Xptxas', '-v,-warn-spills,-Werror', f'-I{SOURCE / "src"}', f'-I{SOURCE / "cuda"}',
         '-c', folder / 'kernels.cu', '-o', folder / 'kernels.o'], capture_output=True, text=True, timeout=300)


def test_a_kernel_that_spills_fails_the_build(tmp_path):
    fine = compile_kernels(tmp_path, (128, 4))
    assert fine.returncode == 0, fine.stderr
    spilling = compile_kernels(tmp_path, (128, 16))  # 32 registers are too few
    assert spilling.returncode != 0
    assert 'Registers are spilled' in spilling.stdout + spilling.stderr


def test_the_flags_of_the_build_are_these():
    assert '-Xptxas -v,-warn-spills,-Werror' in (SOURCE / 'cmake/cuda.cmake').read_text()


def said_by_ptxas():
    said = BUILD / 'cuda/ptxas.txt'
    if not said.exists():
        pytest.skip('built without CUDA: no ptxas has said anything; test_the_flags_of_the_build_are_these runs')
    nvcc = re.search(r'^FLEETWEAVE_NVCC:\w+=(.*)$', (BUILD / 'CMakeCache.txt').read_text(), re.MULTILINE).group(1)
    if 'release 13.0' not in subprocess.run([nvcc, '--version'], capture_output=True, text=True).stdout:
        pytest.skip('another compiler than that of the docs: a kernel that spills still fails the build')
    return {(kernel, arch): int(count) for kernel, arch, count in USED.findall(said.read_text())}


def test_registers_are_those_in_the_docs():
    found = said_by_ptxas()
    architectures, rows = TABLE.search((SOURCE / 'docs/gpu.md').read_text()).groups()
    architectures = architectures.replace('sm_', '').split('|')
    written = {}
    for row in rows.splitlines():
        kernel, *counts = row.strip('| ').split('|')
        written.update(((kernel.strip('` '), arch.strip()), int(count)) for arch, count in zip(architectures, counts))
    assert written == found


# ---- occupancy -----------------------------------------------------------------------------------------------------

# Of a multiprocessor: threads, blocks and KB of shared memory (CUDA C++ Programming Guide, technical specifications).
# All have 65,536 registers, given to warps in pieces of 256, and take 1 KB of shared memory for each block.
LIMITS = {'75': (1024, 16, 64), '80': (2048, 32, 164), '86': (1536, 16, 100), '87': (1536, 16, 164),
          '89': (1536, 24, 100), '90': (2048, 32, 228), '100': (2048, 32, 228), '110': (1536, 24, 228),
          '120': (1536, 24, 100)}
THREADS = 128
LOOKAHEADS = {'fused_3_8': 3, 'fused_8_8': 8, 'fused_8_4': 8, 'fused_regions_8_8': 8, 'fused_regions_8_4': 8}
OCCUPANCY = re.compile(r'^\| `(\w+)`: blocks, lanes \|(.*)\|$', re.MULTILINE)


def lane_bytes(lookahead):
    """As fw__rtaa_lane_bytes."""
    size = 3 * 16 + (8 * lookahead + 3) * 4 + lookahead * 13 + (2 * lookahead + 1) ** 2 * 2 + 4
    return (size + 7) // 8 * 8


def block_bytes(lookahead, lanes):
    """As fw__rtaa_block_bytes; test/unit/test_rtaa_cuda.c has the C function."""
    return (28 + lookahead + 4 + 1) * THREADS + 16 + lanes * lane_bytes(lookahead)


def pool_lanes(lookahead, shared_kb):
    share = min(shared_kb * 1024 // 4 - 1024, 48 * 1024)
    lanes = THREADS
    while lanes > 32 and block_bytes(lookahead, lanes) > share:
        lanes //= 2
    while block_bytes(lookahead, lanes) > 48 * 1024:
        lanes //= 2
    return lanes


def resident_blocks(arch, registers, shared_bytes):
    threads, blocks, shared_kb = LIMITS[arch]
    by_registers = 65536 // (THREADS // 32 * ((registers + 7) // 8 * 8 * 32))
    return min(threads // THREADS, blocks, by_registers, shared_kb * 1024 // (shared_bytes + 1024))


def test_occupancy_is_that_in_the_docs():
    """From registers and shared memory: four blocks of the paper's lookahead on every device, a full pool always."""
    found = {}
    for (kernel, arch), registers in said_by_ptxas().items():
        if kernel in LOOKAHEADS:
            lanes = pool_lanes(LOOKAHEADS[kernel], LIMITS[arch][2])
            found[kernel, arch] = (
                resident_blocks(arch, registers, block_bytes(LOOKAHEADS[kernel], lanes)), lanes)
    assert all(blocks >= 4 for (kernel, _), (blocks, _) in found.items() if kernel == 'fused_3_8'), found
    assert all(lanes >= 32 for _, lanes in found.values()), found
    written = {}
    for kernel, cells in OCCUPANCY.findall((SOURCE / 'docs/gpu.md').read_text()):
        for arch, cell in zip(LIMITS, cells.split('|')):
            written[kernel, arch] = tuple(int(number) for number in cell.split(','))
    assert written == found


# ---- toolkits ------------------------------------------------------------------------------------------------------

def configure(folder, *options):
    """The lines about CUDA of a configuration, and the command that compiles the kernels."""
    done = subprocess.run(
        ['cmake', '-S', SOURCE, '-B', folder, '-DFLEETWEAVE_ROS=OFF', '-DBUILD_TESTING=OFF', *options],
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=300)
    lines = [line for line in done.stdout.splitlines() if 'CUDA' in line]
    made = [p.read_text() for p in folder.rglob('build.make')] + [p.read_text() for p in folder.glob('build.ninja')]
    codes = re.findall(r'code=(\w+)', '\n'.join(made))
    return done.returncode, lines, sorted(set(codes))


@pytest.fixture
def toolkit(tmp_path):
    """Makes a toolkit whose nvcc lists some architectures and compiles only those, with the real one behind it."""
    nvcc = pathlib.Path(find_nvcc()).resolve()

    def make(listed, compiles=True):
        root = tmp_path / 'toolkit'
        (root / 'bin').mkdir(parents=True)
        for part in ('include', 'lib64', 'lib', 'targets'):
            if (nvcc.parents[1] / part).exists():
                (root / part).symlink_to(nvcc.parents[1] / part)
        names = '\n'.join(f'compute_{number}' for number in listed)
        refused = '' if compiles else 'echo "gcc 99 is too new: error" >&2; exit 1'
        (root / 'bin/nvcc').write_text(f'''#!/bin/sh
if [ "$1" = --list-gpu-arch ]; then echo "{names}"; exit 0; fi
{refused}
for word; do
  case "$word" in
    arch=compute_*) number=${{word#arch=compute_}}; number=${{number%%,*}}
      case " {' '.join(map(str, listed))} " in *" $number "*) ;; *)
        echo "nvcc fatal   : Unsupported gpu architecture 'compute_$number'" >&2; exit 1;; esac;;
  esac
done
exec {nvcc} "$@"
''')
        (root / 'bin/nvcc').chmod((root / 'bin/nvcc').stat().st_mode | stat.S_IXUSR)
        return f'-DFLEETWEAVE_NVCC={root / "bin/nvcc"}'
    return make


def test_architectures_are_those_that_the_compiler_lists(toolkit, tmp_path):
    """nvcc 11.8 knows nothing of compute_100: such a toolkit builds what it can, with PTX of the first and the last."""
    code, lines, codes = configure(tmp_path / 'build', toolkit([75, 80, 86, 87, 89, 90, 72]))
    assert code == 0 and len(lines) == 1, lines
    assert codes == ['compute_75', 'compute_90', 'sm_75', 'sm_80', 'sm_86', 'sm_87', 'sm_89', 'sm_90']
    code, lines, codes = configure(tmp_path / 'build', '-DCMAKE_CUDA_ARCHITECTURES=86-real;87;90-virtual')
    assert code == 0 and codes == ['compute_87', 'compute_90', 'sm_86', 'sm_87']  # the user's win


def test_a_toolkit_that_cannot_be_used_is_one_line(toolkit, tmp_path):
    broken = toolkit([75, 80], compiles=False)
    code, lines, codes = configure(tmp_path / 'build', broken)
    assert code == 0 and codes == [] and len(lines) == 1, lines
    assert 'CUDA: built without, the toolkit of ' in lines[0] and 'gcc 99 is too new' in lines[0]
    code, lines, codes = configure(tmp_path / 'required', broken, '-DFLEETWEAVE_CUDA=ON')
    assert code != 0
    code, lines, codes = configure(tmp_path / 'wrong', broken, '-DCMAKE_CUDA_ARCHITECTURES=fast')
    assert code != 0


def test_a_toolkit_without_our_architectures_is_one_line(toolkit, tmp_path):
    code, lines, codes = configure(tmp_path / 'build', toolkit([35, 37]))
    assert code == 0 and codes == [] and len(lines) == 1, lines
    assert 'it lists none of the architectures' in lines[0]


def test_the_export_names_no_folder_of_this_machine(tmp_path):
    """What other projects link is found from where the library is installed, not where the toolkit was."""
    exported = list((BUILD / 'CMakeFiles/Export').rglob('*.cmake'))
    assert exported, 'every build exports its targets'
    cudart = re.search(r'^FLEETWEAVE_CUDART:\w+=(.*)$', (BUILD / 'CMakeCache.txt').read_text(), re.MULTILINE)
    for path in exported:
        text = path.read_text()
        assert str(SOURCE) not in text and str(BUILD) not in text, path
        assert not re.search(r'[;"<:](/[^;">]*cudart[^;">]*)', text), path
        if cudart is not None:
            assert cudart.group(1) not in text, path
