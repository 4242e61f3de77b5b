"""tests/test_cuda_nvcc.py: nvcc as old scripts call it, and the calls that CUDA dropped."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from cuda_toolkit import ARCHITECTURES, toolkit_or_skip
from torchthaw.build import cuda
from torchthaw.legacy import nvcc

ROOT = Path(__file__).resolve().parents[1]
toolkit = toolkit_or_skip()
DEFAULT = ["-gencode=arch=compute_75,code=sm_75", "-gencode=arch=compute_75,code=compute_75"]


@pytest.fixture(autouse=True)
def one_architecture(monkeypatch, tmp_path):
    monkeypatch.setenv("TORCHTHAW_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("TORCH_CUDA_ARCH_LIST", ARCHITECTURES)


@pytest.mark.parametrize("given, expected, changed", [
    ("-arch=sm_52", DEFAULT, ["sm_52"]),
    ("-arch sm_20", DEFAULT, ["sm_20"]),
    ("--gpu-architecture=compute_35 --gpu-code=sm_35,compute_35", DEFAULT, ["sm_35"]),
    ("-gencode arch=compute_30,code=sm_30 -gencode=arch=compute_70,code=compute_70", DEFAULT, ["sm_30 sm_70"]),
    ("-gencode arch=compute_61,code=sm_61 -gencode arch=compute_80,code=sm_80", DEFAULT, ["sm_61"]),
    ("-arch=sm_80", ["-arch=sm_80"], []),
    ("-gencode arch=compute_80,code=sm_80", ["-gencode", "arch=compute_80,code=sm_80"], []),
    ("-ptx -arch=sm_52", ["-ptx", DEFAULT[0]], ["sm_52"]),
    ("-m32 -O2", ["-O2"], ["-m32"]),
    ("--machine 32", [], ["--machine 32"]),
    ("-Xopencc -O3 -Xptxas -v", ["-Xptxas", "-v"], ["-Xopencc -O3"]),
    ("-po maxrregcount=4", [], ["-po maxrregcount=4"]),
    ("-deviceemu", [], ["-deviceemu"]),
    ("-std=c++11", ["-std=c++17"], ["-std=c++11"]),
    ("-std=c++20", ["-std=c++20"], []),
    ("--relaxed-constexpr", ["--expt-relaxed-constexpr"], ["--relaxed-constexpr"]),
    ("-fPIC", ["-Xcompiler", "-fPIC"], ["-fPIC"]),
    ("-Xcompiler -fPIC", ["-Xcompiler", "-fPIC"], []),
    ("-ccbin no-such-compiler-4.9", [], ["-ccbin no-such-compiler-4.9"]),
    ("-ccbin=sh", ["-ccbin", "sh"], []),
    ("-shared -use_fast_math --maxrregcount=32", ["-shared", "-use_fast_math", "--maxrregcount=32"], []),
])  # fmt: skip
def test_flags(given, expected, changed):
    arguments, changes = nvcc.rewrite(given.split(), toolkit)
    assert arguments == expected
    assert [line.partition(":")[0] for line in changes] == changed, "one line per change, which begins with it"


def test_headers_are_added_where_something_is_compiled():
    assert nvcc.rewrite(["-c", "x.cu"], toolkit)[0] == ["-c", "x.cu", *nvcc.header_flags()]
    assert nvcc.rewrite(["x.o", "-o", "x"], toolkit)[0] == ["x.o", "-o", "x"]


# The calls, in a kernel; each is compiled for a card without them.
OLD = """
#include <THC/THC.h>
__global__ void f(float *x, int *y) {
  float v = x[threadIdx.x];
  for (int offset = 16; offset; offset /= 2) v += __shfl_down(v, offset);
  v += __shfl(v, 0) + __shfl_xor(v, 1, 16) + __shfl_up(v, 1u);
  if (__any(v > 0) && __all(v < 1)) y[0] = __ballot(v > 0);
  x[threadIdx.x] = v;
}
extern "C" int launch() { f<<<1, 32>>>(0, 0); return cudaThreadSynchronize(); }
"""
MAKE = """#!/bin/sh
set -e
nvcc -c -o old.cu.o old.cu -x cu -Xcompiler -fPIC -arch=sm_52 $FLAGS
"""


@pytest.fixture
def project(tmp_path):
    folder = tmp_path / "project"
    folder.mkdir()
    (folder / "old.cu").write_text(OLD)
    (folder / "make.sh").write_text(MAKE)
    (folder / "build.py").write_text("import subprocess, sys\nsys.exit(subprocess.call(['sh', 'make.sh']))\n")
    return folder


def run(folder, *command, **environment):
    return subprocess.run(
        [sys.executable, "-m", "torchthaw", *command], cwd=folder, capture_output=True, text=True,
        env={**os.environ, "PYTHONPATH": str(ROOT), **environment},
    )  # fmt: skip


def test_make_script_of_an_old_project(project):
    result = run(project, "run", "build.py")
    assert result.returncode == 0, result.stderr
    assert result.stderr.splitlines() == [
        f"torchthaw: nvcc: sm_52: nvcc {toolkit.version} has no such architecture; built for 75 75+PTX"
    ]
    assert cuda.embedded(project / "old.cu.o") == ["75", "75+PTX"]


def test_removed_calls_can_be_left_as_they_are(project):
    result = run(project, "run", "build.py", FLAGS="-DTHC_NO_REMOVED_CALLS")
    assert result.returncode != 0 and "cudaThreadSynchronize" in result.stderr


def test_command(project):
    assert f"release {toolkit.version}" in run(project, "nvcc", "--version").stdout
    result = run(project, "nvcc", "-c", "-arch=sm_35", "-o", "x.o", "old.cu")
    assert result.returncode == 0, result.stderr
    result = run(project, "nvcc", "-c", "old.cu", CUDA_HOME="/without/nvcc")
    assert result.returncode == 1
    assert result.stderr.startswith("torchthaw: nvcc: CUDA_HOME: expected a CUDA toolkit, got '/without/nvcc'")


def test_cmake_finds_the_toolkit_and_not_the_launcher(project):
    (project / "build.py").write_text("import os\nprint(os.environ['CUDA_PATH'], os.environ['CUDA_HOME'])\n")
    assert run(project, "run", "build.py").stdout.split() == [str(toolkit.root)] * 2
