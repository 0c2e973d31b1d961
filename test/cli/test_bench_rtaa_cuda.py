"""The real CUDA runtime without a driver, and with the toolkit's stub of one: an error in words, or the CPU's plan."""

import json
import pathlib
import shutil

import pytest

BENCH = ['bench', 'rtaa', '--maps', 'T0', '--groups', 'G1', '--seeds', 1, '--json', '--backend']
PLAN = ['plan', '--make', 'open:8x8', '--robots', 3, '--planner', 'rtaa', '--set']


def find_stub():
    nvcc = shutil.which('nvcc')
    roots = [pathlib.Path('/usr/local/cuda')] + ([pathlib.Path(nvcc).resolve().parents[1]] if nvcc else [])
    stubs = [root / folder / 'stubs/libcuda.so' for root in roots for folder in ('lib64', 'lib')]
    return next((stub for stub in stubs if stub.exists()), None)


@pytest.fixture
def without_gpu(cli):
    """Of a program that was built with CUDA, on a machine without a GPU, what `auto` answers; else passed over."""
    found = json.loads(cli(*BENCH, 'auto').stdout)
    if 'built without CUDA' in found['note']:
        pytest.skip('built without CUDA')
    if found['runs'][0]['backend'] == 'cuda':
        pytest.skip('there is a GPU')
    return found


def test_no_driver_is_error_35(cli, without_gpu):
    if '(35)' not in without_gpu['note']:
        pytest.skip('there is a driver')
    assert without_gpu['note'] == (
        'backend cuda: there is no NVIDIA driver, or one too old for this build: cudaGetDeviceCount: '
        'CUDA driver version is insufficient for CUDA runtime ver (35); using the CPU')
    assert without_gpu['runs'][0]['backend'] == 'cpu'
    assert without_gpu['runs'][0]['arrived'] == 8192
    for command in [[*BENCH, 'cuda'], [*PLAN, 'backend=cuda'], [*PLAN, 'backend=auto', '--set', 'backend=cuda']]:
        done = cli(*command, exit_code=3)
        assert done.stdout == ''
        assert 'there is no NVIDIA driver, or one too old for this build' in done.stderr and '(35)' in done.stderr


def test_a_stub_of_a_driver_is_error_34(cli, without_gpu, tmp_path):
    stub = find_stub()
    if stub is None:
        pytest.skip('no stub of libcuda')
    (tmp_path / 'libcuda.so.1').symlink_to(stub)
    found = json.loads(cli(*BENCH, 'auto', env={'LD_LIBRARY_PATH': str(tmp_path)}).stdout)
    assert "only the toolkit's stub of NVIDIA's driver is there" in found['note'] and '(34)' in found['note']
    assert [run['digest'] for run in found['runs']] == [run['digest'] for run in without_gpu['runs']]
