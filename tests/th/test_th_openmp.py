"""tests/th/test_th_openmp.py: libth links no OpenMP: it uses PyTorch's, else the program's own, else libgomp."""

import os
import subprocess
import sys

import pytest

from torchthaw.base import config

# Which runtime shares the loops shows in what the process has loaded, and in whose number of threads counts.
RUNTIMES = """
def runtimes():
    with open("/proc/self/maps") as maps:
        return {line.split()[-1] for line in maps if "libgomp" in line or "libomp" in line or "libiomp" in line}
"""
WITH_PYTORCH = """
import ctypes, sys
import torch
before = runtimes()
assert before
th = ctypes.CDLL(sys.argv[1])
for count in (1, 3, 2):
    torch.set_num_threads(count)
    assert th.THGetNumThreads() == torch.get_num_threads() == count
th.THSetNumThreads(4)
assert torch.get_num_threads() == 4
th.THFloatTensor_newWithSize2d.restype = ctypes.c_void_p
large = ctypes.c_void_p(th.THFloatTensor_newWithSize2d(ctypes.c_int64(1000), ctypes.c_int64(1000)))
th.THFloatTensor_fill(large, ctypes.c_float(2))
th.THFloatTensor_sumall.restype = ctypes.c_double
assert th.THFloatTensor_sumall(large) == 2000000
assert runtimes() == before, runtimes() - before
"""
PROGRAM = """
#include <TH/TH.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

int main(void) {
#ifdef _OPENMP
#pragma omp parallel
    { }
#endif
    THInferNumThreads(); /* before any other call */
    const int first = THGetNumThreads();
    THSetNumThreads(2);
    const int set = THGetNumThreads();
    THFloatTensor *large = THFloatTensor_newWithSize1d(1000000), *exp = THFloatTensor_new();
    THFloatTensor_zero(large);
    THFloatTensor_exp(exp, large);
    const double sum = THFloatTensor_sumall(exp);
    THFloatTensor_free(large);
    THFloatTensor_free(exp);
    THInferNumThreads();
    int threads = 3;
    char line[1024];
    for (int i = 0; threads > 2 && i < 2000; ++i) { /* the thread that the team lost may still be ending */
        if (i > 0) usleep(5000);
        FILE *file = fopen("/proc/self/status", "r");
        while (fgets(line, sizeof line, file)) sscanf(line, "Threads: %d", &threads);
        fclose(file);
    }
    printf("%d %d %d %d %d %g", first, set, THGetNumThreads(), THGetNumCores() > 0, threads, sum);
    return 0;
}
"""


@pytest.mark.slow
@pytest.mark.parametrize("imports", ["", "import sklearn.cluster\n"], ids=["PyTorch alone", "scikit-learn first"])
def test_it_shares_the_threads_of_pytorch(imports, tmp_path):
    script = tmp_path / "script.py"
    script.write_text(imports + RUNTIMES + WITH_PYTORCH)
    done = subprocess.run([sys.executable, script, config.library("th")], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr


def run(tmp_path, *flags, **environment):
    """What PROGRAM prints: threads at first, threads set, threads inferred, any cores, threads that run, a sum."""
    (tmp_path / "program.c").write_text(PROGRAM)
    library = config.library("th")
    built = subprocess.run(
        ["gcc", "program.c", *flags, f"-I{config.includes()}", library, f"-Wl,-rpath,{library.parent}", "-o", "program"],
        cwd=tmp_path, capture_output=True, text=True,
    )  # fmt: skip
    assert built.returncode == 0, built.stderr
    done = subprocess.run(
        [tmp_path / "program"], capture_output=True, text=True, timeout=120,
        env={**os.environ, "OMP_NUM_THREADS": "3", **environment},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_a_program_without_openmp_gets_libgomp(tmp_path):
    assert run(tmp_path) == "3 2 3 1 2 1e+06"


def test_a_program_with_openmp_has_one_team(tmp_path):
    """Its own team of three, of which libth's loops take two."""
    assert run(tmp_path, "-fopenmp") == "3 2 3 1 2 1e+06"


def test_without_a_runtime_loops_run_on_the_caller(tmp_path):
    """A libgomp.so.1 without a function stands for one that is not there."""
    (tmp_path / "empty.c").write_text("")
    subprocess.run(["gcc", "-shared", "empty.c", "-o", "libgomp.so.1"], cwd=tmp_path, check=True)
    assert run(tmp_path, LD_LIBRARY_PATH=str(tmp_path)) == "1 1 1 1 1 1e+06"
