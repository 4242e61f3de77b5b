"""tests/cuda_on_cpu/test_checks.py: what TORCHTHAW_CUDA_CHECK=1 finds in kernels with one fault each."""

import re

import pytest

from support import cuda_on_cpu
from support.messages import names


@pytest.fixture(scope="module")
def faults(tmp_path_factory):
    return cuda_on_cpu.program("faults", tmp_path_factory.mktemp("checks"), check=True)


def at(mark):
    return cuda_on_cpu.line("faults", mark)


@pytest.mark.slow
@pytest.mark.parametrize(
    "which, place, thread, words",
    [
        ("overrun_global", "GLOBAL", "block (1,0,0), thread (4,0,0)", ["64-byte region"]),
        (
            "overrun_shared",
            "SHARED",
            "block (0,0,0), thread (15,0,0)",
            ["0 bytes after the shared array tile of 64 bytes"],
        ),
        ("overrun_dynamic", "DYNAMIC", "thread (15,0,0)", ["0 bytes after the 60 bytes of dynamic shared memory"]),
        ("overrun_local", "LOCAL", "thread (0,0,0)", ["'sums'"]),
    ],
)
def test_an_overrun_is_named_by_kernel_thread_and_line(which, place, thread, words, faults):
    result = cuda_on_cpu.run(faults, which, check=True)
    assert result.returncode != 0 and "end of" not in result.stdout
    for word in (at(place), f"kernel {which}, ", thread, *words):
        assert word in result.stderr, result.stderr


@pytest.mark.slow
@pytest.mark.parametrize(
    "which, words",
    [
        ("missing_barrier", ["argument 2, out, of 64 bytes", "ascending and descending order"]),
        ("order_of_variable", ["the variable counter of 4 bytes", "ascending and descending order", "15", "0"]),
        ("slots_by_swaps", ["argument 1, out, of 64 bytes", "ascending and descending order"]),
        ("unwritten_shared", ["argument 2, out, of 64 bytes", "has not written"]),
        ("two_barriers", ["4 wait at", at("FIRST"), "12 wait at", at("SECOND")]),
    ],
)
def test_a_fault_is_reported_once_and_the_status_is_1(which, words, faults):
    result = cuda_on_cpu.run(faults, which, check=True)
    assert result.returncode == 1 and result.stdout.startswith(f"{which}: ")
    found = [line for line in result.stderr.splitlines() if f"kernel {which}, launched at" in line]
    assert len(found) == 1 and "1 finding;" in result.stderr, result.stderr
    for word in words:
        assert word in found[0], found[0]


@pytest.mark.parametrize(
    "which, mark, thread, words",
    [
        ("misaligned_load", "LOAD", "thread (1,0,0)", ["a reference to", "float2", "multiple of 8"]),
        ("misaligned_store", "STORE", "thread (8,0,0)", ["a store to", "float4", "multiple of 16", "4 bytes"]),
    ],
)
def test_an_address_that_a_card_cannot_read_ends_the_kernel(which, mark, thread, words, faults):
    result = cuda_on_cpu.run(faults, which, check=True)
    assert result.returncode == 1 and "cudaErrorMisalignedAddress" in result.stdout
    (line,) = [line for line in result.stderr.splitlines() if at(mark) in line]
    for word in (f"kernel {which}, ", thread, *words):
        assert word in line, line


@pytest.mark.slow
@pytest.mark.parametrize("which, words", [("host_reads", [at("HOST"), "READ of size 4"]), ("host_copies", ["memcpy"])])
def test_memory_of_the_device_is_not_the_hosts(which, words, faults):
    result = cuda_on_cpu.run(faults, which, check=True)
    assert result.returncode != 0 and "counter" not in result.stdout
    for word in (*words, "the host used memory of the device", "0 bytes into an array of 64 bytes", "cudaMemcpy"):
        assert word in result.stderr, result.stderr


@pytest.mark.parametrize("which", ["by_configuration", "by_function", "cooperative"])
def test_a_launch_by_function_has_the_place_of_its_call(which, faults):
    result = cuda_on_cpu.run(faults, which, check=True)
    mark = which.removeprefix("by_").upper()
    assert result.returncode == 1 and re.search(f"launched at .*{re.escape(at(mark))}: ", result.stderr), result.stderr


@pytest.mark.slow
def test_threads_that_have_ended_before_a_barrier_are_a_note_for_cards_permit_that(faults):
    result = cuda_on_cpu.run(faults, "divergent_barrier", check=True)
    assert result.returncode == 0, result.stderr
    (line,) = result.stderr.splitlines()
    for word in (
        "check: note: ", "kernel divergent_barrier", "of 16 threads 4 wait at", at("DIVERGENT"), "(0,0,0) to (3,0,0)",
        "12 have ended",
    ):  # fmt: skip
        assert word in line, line


@pytest.mark.slow
@pytest.mark.parametrize(
    "which, said",
    [
        ("aligned", "counter 0"),
        ("host_shares", "counter 0"),
        ("sum_of_floats", "counter 0"),
        ("sum_by_swaps", "counter 0"),
        ("count_once", "counter 16"),
    ],
)
def test_a_right_kernel_is_left_alone_though_it_runs_twice(which, said, faults):
    """Sums of floats in another order differ by their rounding, and a variable is counted once."""
    result = cuda_on_cpu.run(faults, which, check=True)
    assert (result.stdout, result.stderr, result.returncode) == (f"{which}: {said}, cudaSuccess\n", "", 0)


@pytest.mark.slow
@pytest.mark.parametrize("listed, status", [("other,missing_barrier", 0), ("missing", 1), ("", 1)])
def test_a_finding_in_a_listed_kernel_is_a_note(listed, status, faults):
    result = cuda_on_cpu.run(faults, "missing_barrier", check=True, TORCHTHAW_CUDA_KNOWN=listed)
    assert result.returncode == status and "kernel missing_barrier, launched at" in result.stderr
    assert ("check: note: " in result.stderr and "TORCHTHAW_CUDA_KNOWN" in result.stderr) == (status == 0), (
        result.stderr
    )


def test_without_the_check_nothing_is_reported(tmp_path_factory):
    plain = cuda_on_cpu.program("faults", tmp_path_factory.mktemp("plain"))
    for which in ("missing_barrier", "divergent_barrier", "unwritten_shared", "misaligned_load", "host_reads"):
        result = cuda_on_cpu.run(plain, which)
        assert (result.returncode, result.stderr) == (0, ""), result


@pytest.mark.slow
def test_the_switch_takes_0_and_1(faults):
    result = cuda_on_cpu.run(faults, "count_once", TORCHTHAW_CUDA_CHECK="yes")
    assert result.returncode == 1 and re.search(names("TORCHTHAW_CUDA_CHECK", "0 or 1", "yes"), result.stderr)
