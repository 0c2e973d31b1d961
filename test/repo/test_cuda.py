"""Kernels that spill fail the build, and the registers in docs/gpu.md are those that the compiler says."""

import os
import pathlib
import re
import shutil
import subprocess

import pytest

SOURCE = pathlib.Path(os.environ.get('FLEETWEAVE_SOURCE_DIR', pathlib.Path(__file__).parents[2]))
BUILD = pathlib.Path(os.environ.get('FLEETWEAVE_BUILD_DIR', 'build'))
USED = re.compile(r"entry function 'fw__rtaa_kernel_(\w+)' for 'sm_(\d+)'.*?Used (\d+) registers", re.DOTALL)
ROW = re.compile(r'^\| `(\w+)` \|(.*)\|$', re.MULTILINE)


def compile_kernels(folder, bounds):
    nvcc = shutil.which('nvcc') or shutil.which('/usr/local/cuda/bin/nvcc')
    if nvcc is None or shutil.which('c++') is None:
        pytest.skip('no nvcc')
    text = (SOURCE / 'cuda/rtaa_kernels.cu').read_text()
    assert '__launch_bounds__(128, 4)' in text
    (folder / 'kernels.cu').write_text(text.replace('__launch_bounds__(128, 4)', f'__launch_bounds__{bounds}'))
    return subprocess.run(
        [nvcc, '-arch=sm_90', '-Xptxas', '-v,-warn-spills,-Werror', f'-I{SOURCE / "src"}', f'-I{SOURCE / "cuda"}',
         '-c', folder / 'kernels.cu', '-o', folder / 'kernels.o'], capture_output=True, text=True, timeout=120)


def test_a_kernel_that_spills_fails_the_build(tmp_path):
    fine = compile_kernels(tmp_path, (128, 4))
    assert fine.returncode == 0, fine.stderr
    spilling = compile_kernels(tmp_path, (128, 16))  # 32 registers are too few
    assert spilling.returncode != 0
    assert 'Registers are spilled' in spilling.stdout + spilling.stderr


def test_the_flags_of_the_build_are_these():
    assert '-Xptxas -v,-warn-spills,-Werror' in (SOURCE / 'cmake/cuda.cmake').read_text()


def test_registers_are_those_in_the_docs():
    said = BUILD / 'cuda/ptxas.txt'
    if not said.exists():
        pytest.skip('built without CUDA')
    found = {(kernel, arch): int(count) for kernel, arch, count in USED.findall(said.read_text())}
    text = (SOURCE / 'docs/gpu.md').read_text()
    architectures = re.search(r'^\| kernel \|(.*)\|$', text, re.MULTILINE).group(1).replace('sm_', '').split('|')
    written = {(kernel, arch.strip()): int(count)
               for kernel, counts in ROW.findall(text) for arch, count in zip(architectures, counts.split('|'))}
    nvcc = re.search(r'^FLEETWEAVE_NVCC:\w+=(.*)$', (BUILD / 'CMakeCache.txt').read_text(), re.MULTILINE).group(1)
    if 'release 13.0' not in subprocess.run([nvcc, '--version'], capture_output=True, text=True).stdout:
        pytest.skip('another compiler than that of the docs')
    assert written == found
