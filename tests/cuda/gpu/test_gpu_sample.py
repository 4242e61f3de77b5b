"""tests/cuda/gpu/test_gpu_sample.py: the old projects of examples/legacy on a GPU, and the kernels of cuda_linear there
under compute-sanitizer.

With CUDA on the CPU (tests/cuda_on_cpu/test_libraries.py) the projects are built and run, and the others are skipped.
Needs nvcc, and libthc in build/lib.
"""

import os
import re
import shutil
import signal
import subprocess
import sys
import warnings
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
import torch

from support import ROOT, SRC
from torchthaw.base import config

SAMPLES = {"cuda": ["make.sh", "build.py", "test.py"], "cuda_linear": ["make.sh", "test.py"]}
LEGACY = ROOT / "examples" / "legacy"
KERNELS = re.findall(r"__global__ void (\w+)", (LEGACY / "cuda_linear" / "src" / "linear_kernel.cu").read_text())
FOUND = 9  # compute-sanitizer's exit status where it reports something
LIMIT = 150  # seconds, for each program
TOOLS = {
    "memcheck": ["--report-api-errors", "no", "--leak-check", "no"],
    "racecheck": [],
    "initcheck": [],
    "synccheck": [],
}

# One fault for each tool, planted into the kernels: what is there, and what comes instead.
FAULTS = {
    "memcheck": ("if (i < count) {", "if (i <= count) {"),
    "racecheck": ("+ half];\n    __syncthreads();", "+ half];"),
    "initcheck": ("{\n  leaky_forward_kernel", """{
  float *fresh;
  cudaMalloc((void **)&fresh, columns * sizeof(float));
  bias = fresh;
  leaky_forward_kernel"""),
    "synccheck": ("    if (threadIdx.x < half)\n      parts[threadIdx.x] += parts[threadIdx.x + half];\n    __syncthreads();",
                  "    if (threadIdx.x < half) {\n      parts[threadIdx.x] += parts[threadIdx.x + half];\n      __syncthreads();\n    }"),
}  # fmt: skip


def sanitizer():
    """The path of compute-sanitizer; None where there is none."""
    roots = [os.environ.get("CUDA_HOME"), os.environ.get("CUDA_PATH"), "/usr/local/cuda"]
    folders = [os.environ["PATH"], *(f"{root}/bin" for root in roots if root)]
    return shutil.which("compute-sanitizer", path=os.pathsep.join(folders))


pytestmark = pytest.mark.skipif(not torch.cuda.is_available(), reason="no GPU")
sanitized = [
    pytest.mark.skipif(config.cuda_is_cpu(), reason="compute-sanitizer watches kernels on a card"),
    pytest.mark.skipif(sanitizer() is None, reason="no compute-sanitizer on this machine"),
]


def copy(name, folder):
    return shutil.copytree(LEGACY / name, folder, ignore=shutil.ignore_patterns("__pycache__", "_ext", "build", "*.o"))


def run(folder, script, *before, **variables):
    """The exit status and the output of ``before python -m torchthaw run script``; of all its processes."""
    log = folder / f"{script}.log"
    paths = [str(SRC), *filter(None, [os.environ.get("PYTHONPATH")])]
    with log.open("w") as file:
        started = subprocess.Popen(
            [*before, sys.executable, "-m", "torchthaw", "run", script], cwd=folder, stdin=subprocess.DEVNULL,
            stdout=file, stderr=subprocess.STDOUT, start_new_session=True,
            env={**os.environ, "PYTHONPATH": os.pathsep.join(paths), **variables},
        )  # fmt: skip
        try:
            status = started.wait(LIMIT)
        except subprocess.TimeoutExpired:
            os.killpg(started.pid, signal.SIGKILL)
            status = started.wait()
            file.write(f"\nended after {LIMIT} s\n")
    return status, log.read_text(errors="replace")


@pytest.mark.parametrize("name", SAMPLES)
def test_sample(name, tmp_path):
    folder = copy(name, tmp_path / name)
    for script in SAMPLES[name]:
        status, out = run(folder, script)
        assert status == 0, out
    assert re.search("^ok$", out, re.MULTILINE), out


def examine(folder, tool, fault):
    """Builds cuda_linear, with the fault if there is one, and runs its test under a tool."""
    copy("cuda_linear", folder)
    if fault:
        source = folder / "src" / "linear_kernel.cu"
        there, planted = fault
        assert there in source.read_text()
        source.write_text(source.read_text().replace(there, planted))
    status, out = run(folder, "make.sh")
    if status:
        return None, out
    # Without PyTorch's cache each array is an allocation of its own, so that its ends are known. What is held, which
    # PyTorch does not count then, the sample compares where it runs alone.
    options = ["--target-processes", "all", "--error-exitcode", FOUND, "--print-limit", 10000, *TOOLS[tool]]
    return run(folder, "test.py", sanitizer(), "--tool", tool, *map(str, options), PYTORCH_NO_CUDA_MEMORY_CACHING="1")


@pytest.fixture(scope="module")
def examined(tmp_path_factory):
    """By tool, and by whether there is a fault: what examine() gives, later. All start at once."""
    folder = Path(tmp_path_factory.mktemp("examined"))
    with ThreadPoolExecutor(2 * len(TOOLS)) as pool:
        yield {
            (tool, planted): pool.submit(examine, folder / f"{tool}{planted}", tool, FAULTS[tool] if planted else None)
            for tool in TOOLS
            for planted in (False, True)
        }


def reports(out):
    """The lines of compute-sanitizer's reports that name a kernel of the sample."""
    return [line for line in out.splitlines() if line.startswith("=====") and any(name in line for name in KERNELS)]


@pytest.mark.parametrize("tool", TOOLS, ids=str)
class TestSanitizer:
    pytestmark = sanitized

    def test_finds_nothing(self, examined, tool):
        status, out = examined[tool, False].result()
        assert status in (0, FOUND) and re.search("^ok$", out, re.MULTILINE) and "SUMMARY" in out, out
        assert not reports(out), out
        if status:  # in kernels of PyTorch or cuBLAS
            assert tool != "memcheck", out
            warnings.warn(f"{tool} reports something in kernels that are not the sample's:\n{out}", stacklevel=1)

    def test_finds_a_planted_fault(self, examined, tool):
        status, out = examined[tool, True].result()
        assert status not in (None, 0) and reports(out), out
