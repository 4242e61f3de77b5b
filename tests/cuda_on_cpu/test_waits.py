"""tests/cuda_on_cpu/test_waits.py: kernels whose threads wait for one another without a barrier."""

import re

import pytest

from support import cuda_on_cpu
from support.messages import names

ENDS = ("volatile", "cast", "for", "member", "atomic", "exchange", "lock", "fence", "block", "block_before")


@pytest.fixture(scope="module")
def waits(tmp_path_factory):
    return cuda_on_cpu.program("waits", tmp_path_factory.mktemp("waits"))


@pytest.mark.parametrize("check", ["0", "1"])
@pytest.mark.parametrize("which", ENDS)
def test_a_thread_that_waits_for_a_later_one_goes_on(which, check, waits):
    result = cuda_on_cpu.run(waits, f"by_{which}", TORCHTHAW_CUDA_CHECK=check, OMP_NUM_THREADS="1")
    assert (result.stdout, result.returncode) == ("cudaSuccess 7\n", 0), result


@pytest.mark.slow
@pytest.mark.parametrize("which", ["volatile", "atomic"])
def test_threads_that_wait_for_ever_are_named_after_a_time(which, waits):
    result = cuda_on_cpu.run(waits, f"never_{which}", TORCHTHAW_CUDA_TIMEOUT="0.5")
    assert result.stdout == "cudaErrorLaunchTimeout 0\n", result
    words = [f"never_{which}", "waits.cu:", "0.5", "TORCHTHAW_CUDA_TIMEOUT", "block (0,0,0)"]
    assert re.search(names(*words), result.stderr), result


def test_blocks_that_wait_for_one_that_has_ended_are_named_at_once(waits):
    result = cuda_on_cpu.run(waits, "never_grid")
    assert result.stdout == "cudaErrorLaunchFailure 0\n", result
    assert re.search(names("of cudaLaunchKernel", "a barrier of the grid", "2 wait", "1 have ended"), result.stderr), (
        result
    )


def test_a_kernel_that_works_beyond_the_limit_is_left_alone(waits):
    """Its threads do end, or it would need a larger limit."""
    result = cuda_on_cpu.run(waits, "works", TORCHTHAW_CUDA_TIMEOUT="0.5", OMP_NUM_THREADS="1")
    assert result.stdout == "cudaSuccess 7\n", result


@pytest.mark.parametrize("value", ["soon", "-1", "nan", "1s"])
def test_the_limit_takes_a_number_of_seconds(value, waits):
    result = cuda_on_cpu.run(waits, "works", TORCHTHAW_CUDA_TIMEOUT=value)
    assert result.returncode == 1 and re.search(
        names("TORCHTHAW_CUDA_TIMEOUT", "a number of seconds", value), result.stderr
    )
