"""tests/cuda_on_cpu/test_programs.py: CUDA programs compiled unedited, and their results."""

import os
import re
import resource
import signal
import subprocess
import time

import pytest

from support import cuda_on_cpu
from support.messages import names
from torchthaw.cuda_on_cpu import thrust

# Each prints "right".
PROGRAMS = "program calls random values blas cub_block cub_device groups headers functions eight_bits barriers host_random members ptx".split()


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("programs")


@pytest.fixture(scope="module")
def ends(folder):
    return cuda_on_cpu.program("ends", folder)


@pytest.mark.slow
@pytest.mark.parametrize("threads", [1, 3])
@pytest.mark.parametrize("name", PROGRAMS)
def test_values_are_right(name, threads, folder):
    path = folder / name
    if not path.exists():
        cuda_on_cpu.program(name, folder)
    result = cuda_on_cpu.run(path, OMP_NUM_THREADS=str(threads))
    assert (result.stdout, result.returncode) == ("right\n", 0), result


@pytest.mark.slow
@pytest.mark.parametrize("name", ["program", "ptx", "random", "values"])
def test_code_without_optimization_gives_the_same(name, folder):
    result = cuda_on_cpu.run(cuda_on_cpu.program(name, folder / "..", flags=["-O0"]))
    assert result.stdout == "right\n", result


@pytest.mark.slow
@pytest.mark.parametrize("threads", ["1", "3"])
def test_launches_have_the_limits_of_a_card_and_the_threads_that_were_asked_for(threads, folder):
    path = folder / "launches"
    if not path.exists():
        cuda_on_cpu.program("launches", folder)
    result = cuda_on_cpu.run(path, threads, OMP_NUM_THREADS=threads)
    assert (result.stdout, result.returncode) == ("right\n", 0), result
    assert re.search(names("takes", "launches.cu:", "argument 1", "on_stack"), result.stderr), result


@pytest.mark.parametrize("check", ["0", "1"])
@pytest.mark.parametrize("which, says, words", [
    ("rotate", "right", []),
    ("chain", "right", []),
    ("many", "cudaErrorCooperativeLaunchTooLarge", []),
    ("breaks", "cudaErrorLaunchFailure", ["grid.cu", "block (0,0,0)", "__trap()"]),
    ("alone", "cudaErrorNotSupported", ["a barrier of the grid in a launch that is not cooperative"]),
])  # fmt: skip
def test_blocks_of_a_cooperative_launch_run_at_once(which, says, words, check, folder):
    path = folder / "grid"
    if not path.exists():
        cuda_on_cpu.program("grid", folder)
    result = cuda_on_cpu.run(path, which, OMP_NUM_THREADS="2", TORCHTHAW_CUDA_CHECK=check)
    assert result.stdout == f"{says}\n" and all(word in result.stderr for word in words), result


@pytest.mark.slow
def test_kernels_are_launched_by_their_addresses_from_files_of_both_languages(folder):
    path = folder / "addresses"
    sources = [cuda_on_cpu.SAMPLES / name for name in ("addresses.cu", "addresses_main.cpp")]
    compiled = cuda_on_cpu.nvcc("-o", path, *sources)
    assert compiled.returncode == 0, compiled.stderr
    result = cuda_on_cpu.run(path)
    assert result.stdout == "right\n", result
    assert re.search(names("addresses_main.cpp:", "cudaLaunchKernel", "expected a kernel"), result.stderr), (
        result.stderr
    )


@pytest.mark.slow
@pytest.mark.skipif(not thrust.folder(), reason="nvidia-cuda-cccl is not installed")
def test_thrust_sorts_reduces_and_scans_on_the_cpu(folder):
    result = cuda_on_cpu.run(cuda_on_cpu.program("thrust", folder))
    assert result.stdout == "right\n", result


@pytest.mark.slow
@pytest.mark.parametrize(
    "which, error, words",
    [
        ("asserts", "cudaErrorAssert", ["asserts", "block (0,0,0)", "thread (5,0,0)", "int(threadIdx.x) < n",
                                        cuda_on_cpu.line("ends", "ASSERT")]),
        ("traps", "cudaErrorLaunchFailure", ["traps", "thread (3,0,0)", "__trap()"]),
        ("throws", "cudaErrorLaunchFailure", ["throws", "thread (2,0,0)", "thrown"]),
        ("assembles", "cudaErrorNotSupported", ["inline PTX", "ldmatrix.sync.aligned", "tensor cores", cuda_on_cpu.line("ends", "PTX")]),
    ],
)  # fmt: skip
def test_a_kernel_that_fails_is_named_and_its_error_stays(which, error, words, ends):
    result = cuda_on_cpu.run(ends, which)
    assert result.stdout == f"{error}, then {error}\n"
    assert all(word in result.stderr for word in words), result.stderr


@pytest.mark.parametrize(
    "which, number, words",
    [
        ("null_pointer", signal.SIGSEGV, ["a null pointer"]),
        ("wild_pointer", signal.SIGSEGV, ["memory that is not there", "0x10000"]),
        ("recursion", signal.SIGSEGV, ["stack of a thread"]),
        ("recursion_after_barrier", signal.SIGSEGV, ["stack of a thread", "thread (3,0,0)"]),
        ("large_array", signal.SIGSEGV, ["stack of a thread"]),
        ("division", signal.SIGFPE, ["an integer division by zero"]),
    ],
)
def test_a_kernel_that_the_processor_ends_is_named(which, number, words, ends):
    result = cuda_on_cpu.run(ends, which)
    assert (result.returncode, result.stdout) == (-number, "")
    (line,) = result.stderr.splitlines()
    assert re.search(names(f"kernel {which}", "ends.cu:", "block (0,0,0)", *words), line), line


@pytest.mark.slow
@pytest.mark.parametrize("enabled", ["before", "after", "never"])
def test_the_handlers_of_python_are_called_too(enabled, folder):
    library = folder / "libends.so"
    compiled = cuda_on_cpu.nvcc("-shared", "-Xcompiler", "-fPIC,-Dmain=begin", "-o", library,
                                cuda_on_cpu.SAMPLES / "ends.cu")  # fmt: skip
    assert compiled.returncode == 0, compiled.stderr
    begin = "begin(2, (ctypes.c_char_p * 2)(b'ends', b'{}'))\n"
    lines = ["import ctypes, faulthandler\n", f"begin = ctypes.CDLL({str(library)!r})._Z5beginiPPc\n"]
    lines += ["faulthandler.enable()\n"] if enabled == "before" else []
    lines += [begin.format("works")]
    lines += ["faulthandler.enable()\n"] if enabled == "after" else []
    result = cuda_on_cpu.run("python3", "-c", "".join([*lines, begin.format("recursion")]))
    assert result.returncode == -signal.SIGSEGV
    assert result.stderr.count("kernel recursion") == 1, result.stderr
    assert ("Fatal Python error: Segmentation fault" in result.stderr) == (enabled != "never"), result.stderr


@pytest.mark.slow
def test_a_cooperative_launch_without_enough_threads_is_an_error(ends):
    limit = lambda: resource.setrlimit(resource.RLIMIT_AS, (5 << 30, 5 << 30))  # of 1,024 stacks of 8 MiB  # noqa: E731
    result = subprocess.run([ends, "many_blocks"], capture_output=True, text=True, timeout=240, preexec_fn=limit)
    assert result.stdout == "cudaErrorCooperativeLaunchTooLarge, then cudaSuccess\n", result
    assert re.search(names("of cudaLaunchKernel", "ends.cu:", "1024 threads"), result.stderr), result


@pytest.mark.slow
def test_what_is_not_served_is_named_and_forgotten(ends):
    result = cuda_on_cpu.run(ends, "captures")
    assert result.stdout == "cudaErrorNotSupported, then cudaSuccess\n"
    assert "CUDA graphs" in result.stderr and "cudaStreamBeginCapture" in result.stderr


@pytest.mark.slow
def test_threads_that_wait_for_each_other_are_named(folder):
    faults = cuda_on_cpu.program("faults", folder)
    result = cuda_on_cpu.run(faults, "stuck")
    assert "cudaErrorLaunchFailure" in result.stdout
    for words in (
        "stuck",
        "4 wait at",
        "(0,0,0) to (3,0,0)",
        cuda_on_cpu.line("faults", "STUCK"),
        "(4,0,0) to (7,0,0)",
    ):
        assert words in result.stderr, result.stderr
    result = cuda_on_cpu.run(faults, "launches")
    assert "cudaErrorNotSupported" in result.stdout and "dynamic parallelism" in result.stderr
    assert "launches" in result.stderr and "overrun_global" in result.stderr


@pytest.mark.slow
@pytest.mark.parametrize("python", [False, True])
def test_ctrl_c_ends_a_kernel_that_never_ends(python, folder):
    faults = cuda_on_cpu.program("faults", folder)
    command = [faults, "endless"]
    if python:  # whose own handler only notes the signal
        library = folder / "libfaults.so"
        compiled = cuda_on_cpu.nvcc("-shared", "-Xcompiler", "-fPIC,-Dmain=begin", "-o", library,
                                    cuda_on_cpu.SAMPLES / "faults.cu")  # fmt: skip
        assert compiled.returncode == 0, compiled.stderr
        lines = (f"import ctypes; begin = next(f for f in (getattr(ctypes.CDLL({str(library)!r}), n, None) "
                 "for n in ('_Z5beginiPPc', 'begin')) if f); "
                 "begin(2, (ctypes.c_char_p * 2)(b'faults', b'endless'))")  # fmt: skip
        command = ["python3", "-c", lines]
    # A shell that starts a run of tests in the background has them ignore SIGINT.
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    ) as process:  # fmt: skip
        try:
            assert process.stdout.readline() == "begins\n"
            time.sleep(0.5)  # what is left before the kernel takes microseconds
            os.kill(process.pid, signal.SIGINT)
            _, errors = process.communicate(timeout=60)
        finally:
            process.kill()
    assert process.returncode == -signal.SIGINT
    assert "interrupted" in errors and "endless" in errors and "Traceback" not in errors
    lines = (cuda_on_cpu.SAMPLES / "faults.cu").read_text().splitlines()
    (number,) = [i for i, text in enumerate(lines, 1) if "RUN(endless" in text]
    assert re.search(names(f"faults.cu:{number}"), errors), errors
    assert errors.replace("\n", "").isprintable(), errors
