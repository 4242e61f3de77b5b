"""tests/cuda_on_cpu/test_wrong_uses.py: wrong uses of CUDA's runtime, and the errors that a card gives for them."""

import re

import pytest

from support import cuda_on_cpu
from support.messages import names

VALUE, HANDLE, ADDRESS = "cudaErrorInvalidValue", "cudaErrorInvalidResourceHandle", "cudaErrorIllegalAddress"
RESOURCES = "cudaErrorLaunchOutOfResources"
OK, SYMBOL = "cudaSuccess", "cudaErrorInvalidSymbol"
DIRECTION, PITCH = "cudaErrorInvalidMemcpyDirection", "cudaErrorInvalidPitchValue"
ALREADY, UNREGISTERED = "cudaErrorHostMemoryAlreadyRegistered", "cudaErrorHostMemoryNotRegistered"
MEMORY, KEPT, TWICE = "cudaErrorMemoryAllocation", "1 2 3 4", "2 4 6 8"

KERNELS_ON_HOST_MEMORY = ("stack", "heap", "inside", "vector", "global", "third", "unregistered")

# name in samples/wrong_uses.cu: what its calls return, and what they leave
CASES = {
    "kernel_device": [OK, TWICE],
    "kernel_pinned": [OK, TWICE],
    "kernel_managed": [OK, TWICE],
    "kernel_registered": [OK, TWICE],
    "kernel_symbol": [OK, OK],
    "kernel_constant": [OK, OK],
    "kernel_null": [OK],
    "kernel_stream": [HANDLE],
    "kernel_shared": [VALUE],
    "kernel_shared_allowed": [OK, OK],
    "kernel_shared_beyond": [OK, VALUE],
    "attribute_beyond": [VALUE],
    "kernel_in_bounds": [OK],
    "kernel_out_of_bounds": [RESOURCES],
    "kernel_out_of_bounds_before": [RESOURCES],
    "kernel_out_of_bounds_of": [RESOURCES],
    "copy_to_device_from_device": [VALUE],
    "copy_to_device_into_host": [VALUE, KEPT],
    "copy_to_host_from_host": [VALUE, KEPT],
    "copy_to_host_into_device": [VALUE],
    "copy_on_device_from_host": [VALUE],
    "copy_on_host_from_device": [VALUE, KEPT],
    "copy_async_wrong": [VALUE, KEPT],
    "copy_rows_wrong": [VALUE, KEPT],
    "copy_any": [OK, "5 6 7 8"],
    "copy_managed": [OK, OK, "5 6 7 8"],
    "copy_managed_variable": [OK, OK],
    "copy_pinned": [OK, KEPT],
    "copy_past_source": [VALUE, KEPT],
    "copy_past_target": [VALUE],
    "copy_past_any": [VALUE],
    "copy_past_pinned": [OK, VALUE],
    "copy_past_rows": [VALUE],
    "copy_huge_pitch": [VALUE],
    "copy_freed": [VALUE],
    "copy_null": [VALUE],
    "copy_nothing": [OK],
    "copy_kind": [DIRECTION],
    "set_host": [VALUE, KEPT],
    "set_past": [VALUE],
    "set_rows_past": [VALUE],
    "set_freed": [VALUE],
    "set_pinned": [OK, "0 0 0 0"],
    "symbol_past": [VALUE],
    "symbol_kind": [DIRECTION],
    "symbol_from_constant": [OK, KEPT],
    "free_twice": [VALUE],
    "free_inside": [VALUE],
    "free_host_memory": [VALUE, VALUE],
    "free_registered": [VALUE, VALUE, OK],
    "free_variable": [OK, VALUE, VALUE],
    "free_pinned_as_device": [VALUE, VALUE, OK],
    "free_device_as_host": [VALUE, VALUE, OK],
    "free_null": [OK, OK],
    "register_twice": [OK, ALREADY],
    "register_around": [OK, ALREADY],
    "register_device": [VALUE],
    "unregister_pinned": [UNREGISTERED, UNREGISTERED],
    "pitch_overflow": [MEMORY, "1"],
    "pitch_rounding": [VALUE],
    "too_much": [MEMORY, "1"],
    "no_place": [VALUE, VALUE],
    "attributes_of_host": [OK, "0"],
    "stream_twice": [OK, HANDLE],
    "stream_gone": [HANDLE, HANDLE, HANDLE],
    "stream_default": [HANDLE, OK],
    "event_twice": [OK, HANDLE],
    "event_gone": [HANDLE, HANDLE, HANDLE],
    "event_null": [HANDLE, HANDLE, VALUE],
    "time_untimed": [HANDLE, HANDLE],
    "time_unrecorded": [HANDLE],
    "time_nowhere": [VALUE],
    "nulls": [VALUE] * 8,
    "device_two": ["cudaErrorInvalidDevice", "cudaErrorInvalidDevice"],
}


@pytest.fixture(scope="module", params=[False, True], ids=["plain", "checked"])
def wrong_uses(request, tmp_path_factory):
    """Runs the program with one use: its output's words, without and with the check."""
    path = cuda_on_cpu.program("wrong_uses", tmp_path_factory.mktemp("wrong"), check=request.param)
    return lambda which: cuda_on_cpu.run(path, which, check=request.param, ASAN_OPTIONS="detect_leaks=0")


@pytest.mark.parametrize("which", CASES)
def test_a_wrong_use_has_the_error_of_a_card(which, wrong_uses):
    result = wrong_uses(which)
    assert (result.returncode, result.stdout.split()) == (0, " ".join([OK, *CASES[which]]).split()), result


@pytest.mark.parametrize("which, side, words", [
    ("copy_to_device_into_host", "the target of a copy", ["memory of the device", "memory of the host"]),
    ("copy_to_host_from_host", "the source of a copy", ["memory of the device", "memory of the host"]),
    ("copy_to_host_into_device", "the target of a copy", ["memory of the host", "memory of the device"]),
    ("copy_past_source", "the source of a copy", ["16 bytes", "an array with 8"]),
    ("copy_freed", "the source of a copy", ["not allocated"]),
    ("copy_null", "the source of a copy", ["a null pointer"]),
    ("set_host", "the target of cudaMemset", ["memory of the device", "memory of the host"]),
])  # fmt: skip
def test_a_wrong_side_of_a_copy_is_named_with_its_line(which, side, words, wrong_uses):
    result = wrong_uses(which)
    (line,) = result.stderr.splitlines()
    source = (cuda_on_cpu.SAMPLES / "wrong_uses.cu").read_text().splitlines()
    number = next(i for i, text in enumerate(source, 1) if f"RUN({which}," in text)
    if "checked" in str(result.args[0]):
        words = ["memory of the host"] if which == "copy_freed" else words  # as malloc had it
        assert f"called at {cuda_on_cpu.SAMPLES / 'wrong_uses.cu'}:{number}:" in line or which == "copy_freed", line
    else:
        assert re.search(r"called at .*(wrong_uses|main)", line), line
    assert re.search(names(side, *words), line) or which == "copy_freed", line


@pytest.mark.parametrize("which", KERNELS_ON_HOST_MEMORY)
def test_a_kernel_on_memory_of_the_host_does_not_run_and_is_named(which, wrong_uses):
    result = wrong_uses(f"kernel_{which}")
    assert result.stdout.split() == [OK, ADDRESS, *KEPT.split()], result
    number = "argument 3" if which == "third" else "argument 1"
    assert re.search(
        names("doubles_last" if which == "third" else "doubles", "wrong_uses.cu:", number, "memory of the host"),
        result.stderr,
    ), result


def test_a_kernel_that_is_launched_by_function_is_examined_too(wrong_uses):
    result = wrong_uses("kernel_packed")
    assert result.stdout.split() == [OK, ADDRESS, ADDRESS, *KEPT.split()], result


@pytest.mark.parametrize("which, most", [("kernel_out_of_bounds", 3), ("kernel_out_of_bounds_before", 3)])
def test_a_launch_beyond_the_bounds_of_its_kernel_is_named(which, most, wrong_uses):
    (line,) = wrong_uses(which).stderr.splitlines()
    assert "kernel bounded" in line and re.search(names("wrong_uses.cu:", f"at most {most} threads", "got 4"), line), (
        line
    )
