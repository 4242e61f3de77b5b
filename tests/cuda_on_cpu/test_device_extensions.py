# tests/cuda_on_cpu/test_device_extensions.py: C++ extensions with CUDA code, built and called with a PyTorch for CPUs.
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from support import SRC, cuda_device

SAMPLE = Path(__file__).parent / "samples" / "extension"
pytestmark = cuda_device.NEEDED


def run(folder, *words, **variables):
    return subprocess.run(
        [sys.executable, "-m", "torchthaw", "run", *map(str, words)], cwd=folder, capture_output=True, text=True,
        env={**os.environ, "PYTHONPATH": str(SRC), "TORCHTHAW_CUDA": "cpu", **variables},
    )  # fmt: skip


def printed(folder, *words):
    made = run(folder, *words)
    assert made.returncode == 0, made.stdout + made.stderr
    return made.stdout


@pytest.fixture
def sample(tmp_path):
    (tmp_path / "made").mkdir()
    return shutil.copytree(SAMPLE, tmp_path / "sample")


@pytest.mark.slow
def test_setup_py(sample):
    printed(sample, "setup.py", "build_ext", "--inplace")
    assert printed(sample, "check.py", sample, "scale_of_tests") == "right\n"


@pytest.mark.slow
def test_load_inline(sample):
    assert printed(sample, "load_inline.py", sample.parent / "made") == "right\n"


# ---- load, and the check -----------------------------------------------------------------------------------------------


def line(mark):
    (found,) = [i for i, text in enumerate((SAMPLE / "faults.cu").read_text().splitlines(), 1) if text.endswith(mark)]
    return f"faults.cu:{found}"


@pytest.fixture(scope="module")
def folders(tmp_path_factory):
    made = tmp_path_factory.mktemp("faults")
    (made / "made").mkdir()
    return shutil.copytree(SAMPLE, made / "sample"), made / "made"


def checked(folders, *words, **variables):
    return run(folders[0], "faults.py", folders[1], *words, TORCHTHAW_CUDA_CHECK="1", **variables)


@pytest.mark.slow
def test_load(folders):
    assert printed(folders[0], "faults.py", folders[1]) == "end\n"


@pytest.mark.slow
def test_a_right_kernel_is_left_alone(folders):
    """And the extension of the test before, if there is one, is built again: the other one has no check."""
    made = checked(folders)
    assert (made.returncode, made.stdout) == (0, "end\n"), made.stderr
    assert "check:" not in made.stderr and "AddressSanitizer" not in made.stderr


@pytest.mark.slow
def test_an_overrun_ends_python_with_the_report(folders):
    made = checked(folders, "overrun", ASAN_OPTIONS="exitcode=7")
    assert made.returncode == 7 and made.stdout == "", made.stderr  # what the user set is kept
    for word in ("heap-buffer-overflow", line("// OVERRUN"), "kernel overrun, block (1,0,0), thread (8,0,0)"):
        assert word in made.stderr, made.stderr
    assert "LeakSanitizer" not in made.stderr


@pytest.mark.slow
def test_a_missing_barrier_is_reported(folders):
    made = checked(folders, "missing_barrier")
    assert (made.returncode, made.stdout) == (1, "end\n"), made.stderr
    for word in ("kernel missing_barrier", "__syncthreads()", "of 128 bytes", "1 finding"):
        assert word in made.stderr, made.stderr


@pytest.mark.slow
def test_a_host_that_reads_memory_of_the_device_is_found_in_cpp_files_that_are_compiled_so(sample):
    (sample / "setup.py").write_text(
        "from setuptools import setup\n"
        "from torch.utils.cpp_extension import BuildExtension, CUDAExtension\n"
        "setup(name='reads', ext_modules=[CUDAExtension('reads', ['reads.cpp'])], cmdclass={'build_ext': BuildExtension})\n"
    )
    variables = {"TORCHTHAW_CUDA_CHECK": "1", "CFLAGS": "-fsanitize=address -g"}
    made = run(sample, "setup.py", "build_ext", "--inplace", **variables)
    assert made.returncode == 0, made.stderr
    code = "import torch, reads; x = torch.ones(32, device='{}'); print(reads.first(x.data_ptr()))"
    made = run(sample, "-c", code.format("cpu"), **variables)
    assert (made.returncode, made.stdout) == (0, "1.0\n"), made.stderr
    made = run(sample, "-c", code.format("cuda"), **variables)
    assert made.returncode != 0 and made.stdout == "", made.stdout
    for word in ("reads.cpp:5", "the host used memory of the device", "0 bytes into an array of 128 bytes"):
        assert word in made.stderr, made.stderr
