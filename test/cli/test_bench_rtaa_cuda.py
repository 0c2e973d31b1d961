"""The real CUDA runtime without a driver, and with the toolkit's stub of one: a clear line, and the CPU's answer."""

import json
import pathlib
import shutil

import pytest

BENCH = ['bench', 'rtaa', '--maps', 'T0', '--groups', 'G0', '--repeat', 1, '--backend', 'cuda', '--json']


def run(cli, **options):
    return json.loads(cli(*BENCH, **options).stdout)


@pytest.fixture
def without_gpu(cli):
    """A program that was built with CUDA, on a machine without a GPU; else the test is passed over."""
    found = run(cli)
    if found['note'].startswith('built without CUDA'):
        pytest.skip('built without CUDA')
    if found['runs'][0]['backend'] == 'cuda':
        pytest.skip('there is a GPU')
    return found


def find_stub():
    nvcc = shutil.which('nvcc')
    roots = [pathlib.Path('/usr/local/cuda')] + ([pathlib.Path(nvcc).resolve().parents[1]] if nvcc else [])
    stubs = [root / folder / 'stubs/libcuda.so' for root in roots for folder in ('lib64', 'lib')]
    return next((stub for stub in stubs if stub.exists()), None)


def test_no_driver_is_error_35(without_gpu):
    if '(35)' not in without_gpu['note']:
        pytest.skip('there is a driver')
    assert without_gpu['note'] == (
        'cuda: cudaGetDeviceCount: CUDA driver version is insufficient for CUDA runtime version (35); '
        'going on with the CPU')
    assert without_gpu['runs'][0]['backend'] == 'cpu'
    assert without_gpu['runs'][0]['arrived'] == 128


def test_a_stub_of_a_driver_is_error_34(cli, without_gpu, tmp_path):
    stub = find_stub()
    if stub is None:
        pytest.skip('no stub of libcuda')
    (tmp_path / 'libcuda.so.1').symlink_to(stub)
    found = run(cli, env={'LD_LIBRARY_PATH': str(tmp_path)})
    assert '(34); going on with the CPU' in found['note']
    assert [run['digest'] for run in found['runs']] == [run['digest'] for run in without_gpu['runs']]
