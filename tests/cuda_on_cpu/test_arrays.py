"""tests/cuda_on_cpu/test_arrays.py: arrays, textures and surfaces: their values, and the errors of wrong uses."""

import re

import pytest

from support import cuda_on_cpu
from support.messages import names

VALUE, HANDLE, DIRECTION = "cudaErrorInvalidValue", "cudaErrorInvalidResourceHandle", "cudaErrorInvalidMemcpyDirection"
OK, PITCH, CHANNELS = "cudaSuccess", "cudaErrorInvalidPitchValue", "cudaErrorInvalidChannelDescriptor"
MEMORY, UNSERVED = "cudaErrorMemoryAllocation", "cudaErrorNotSupported"

# name in samples/wrong_arrays.cu: what its calls return
CASES = {
    "three_channels": [CHANNELS, CHANNELS],
    "no_width": [VALUE],
    "array_nulls": [VALUE] * 5,
    "array_too_large": [VALUE, VALUE],
    "array_flags": [VALUE, VALUE],
    "array_cube": [UNSERVED],
    "array_freed": [HANDLE, HANDLE],
    "array_kind": [DIRECTION, DIRECTION],
    "array_side": [VALUE, VALUE],
    "array_past_row": [VALUE],
    "array_past_rows": [VALUE],
    "array_past_bytes": [VALUE],
    "array_pitch": [PITCH],
    "array_elements": [VALUE],
    "box_both": [VALUE],
    "box_none": [VALUE],
    "box_past_array": [VALUE],
    "box_past_depth": [VALUE],
    "box_past_pitch": [PITCH],
    "box_past_memory": [VALUE],
    "box_kind": [DIRECTION],
    "set_box_past": [VALUE],
    "set_box_pitch": [PITCH],
    "set_box_host": [VALUE],
    "box_too_large": [MEMORY],
    "texture_good": [OK],
    "texture_nulls": [VALUE] * 3,
    "texture_freed": [HANDLE],
    "texture_filter": ["cudaErrorInvalidFilterSetting"],
    "texture_norm": ["cudaErrorInvalidNormSetting"],
    "texture_mode": [VALUE],
    "texture_host": [VALUE],
    "texture_offset": [VALUE],
    "texture_past": [VALUE],
    "texture_channels": [CHANNELS],
    "texture_rows_pitch": [PITCH],
    "texture_rows_past": [VALUE],
    "texture_mipmap": [UNSERVED],
    "texture_twice": [OK, HANDLE],
    "surface_flag": [VALUE],
    "surface_linear": [VALUE],
}
# The same of kernels, which end: their error, and words of the line.
KERNELS = {
    "read_channels": ("cudaErrorInvalidTexture", ["reads_2d", "tex2D", "at most 1 channels, got one of 4"]),
    "read_dimensions": ("cudaErrorInvalidTexture", ["reads_3d", "tex3D", "3 dimensions", "got 2"]),
    "fetch_array": ("cudaErrorInvalidTexture", ["fetches", "tex1Dfetch", "expected linear memory"]),
    "surface_trap": ("cudaErrorLaunchFailure", ["reads_surface", "surf2Dread", "x: ", "at most 12, got 16"]),
    "surface_misaligned": ("cudaErrorMisalignedAddress", ["surf2Dread", "a multiple of 4 bytes, got 2"]),
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("arrays")


@pytest.mark.parametrize("check", [False, True], ids=["plain", "checked"])
@pytest.mark.parametrize("name", ["arrays", "textures"])
def test_values_are_right(name, check, folder):
    result = cuda_on_cpu.run(cuda_on_cpu.program(name, folder, check=check), check=check)
    assert (result.stdout, result.returncode) == ("right\n", 0), result


@pytest.fixture(scope="module")
def wrong_arrays(folder):
    return cuda_on_cpu.program("wrong_arrays", folder)


@pytest.mark.parametrize("which", CASES)
def test_a_wrong_use_has_an_error(which, wrong_arrays):
    result = cuda_on_cpu.run(wrong_arrays, which)
    assert (result.returncode, result.stdout.split()) == (0, [OK, *CASES[which]]), result


@pytest.mark.parametrize("which", KERNELS)
def test_a_kernel_that_reads_what_is_not_there_ends_and_is_named(which, wrong_arrays):
    error, words = KERNELS[which]
    result = cuda_on_cpu.run(wrong_arrays, which)
    assert result.stdout.split() == [OK, error], result
    assert re.search(names("wrong_arrays.cu:", "kernel", *words), result.stderr), result
