"""tests/support/load_project.py: sources for torchthaw.load, and compilers that note what they compile. The fixtures
project and compiled of tests/build/conftest.py put them into a folder."""

import os
import subprocess
import sys

import torch

import torchthaw
from support import SRC
from torchthaw.extension import jit

HEADER = "int scaled(const float *input, long count, float *output);\n"
SOURCE = """
#include "factor.h"
#include "scaling.h"
int scaled(const float *input, long count, float *output) {
    for (long i = 0; i < count; ++i) output[i] = FACTOR * input[i];
    return FACTOR;
}
"""
# A compiler that notes what it compiles: when it begins and, a while later, when it ends.
COMPILER = """#!/bin/sh
case "$*" in *" -c "*) ;; *) exec {compiler} "$@" ;; esac
for word; do case "$word" in *.c|*.cpp) file=$(basename "$word") ;; esac; done
echo "begin $file $$" >> {log}
sleep {seconds}
{compiler} "$@"
status=$?
echo "end $file $$" >> {log}
exit $status
"""
LOAD = "import torchthaw; print(torchthaw.load('scaling', 'scaling.c', 'scaling.h').scaled(None, 0, None))"
# Namespaces of operators that are PyTorch's or ours.
TAKEN = ("torch", "aten", "prim", "prims", "torchthaw", "load_library", "higher_order", "my_lib")
KERNEL = """
#include <cuda_runtime.h>
__global__ void kernel(float *x) { *x = N; }
extern "C" int answer(int n) { return __CUDACC_VER_MAJOR__ > 0 ? N + n : 0; }
"""


def compiler(folder, log, monkeypatch, seconds=0):
    """Makes CC and CXX compilers that write ``log`` and take a while."""
    for variable, real in (("CC", "gcc"), ("CXX", "g++")):
        path = folder / real
        path.write_text(COMPILER.format(compiler=real, log=log, seconds=seconds))
        path.chmod(0o755)
        monkeypatch.setenv(variable, str(path))


def load(**options):
    return torchthaw.load(**{"name": "scaling", "sources": ["scaling.c"], "headers": ["scaling.h"], **options})


def forget():
    """As if another process went on."""
    jit._loaded.clear()


def apply(module):
    output = torch.empty(3)
    module.scaled(torch.ones(3), 3, output)
    return output.tolist()


def python(source, folder, **options):
    return subprocess.Popen(
        [sys.executable, "-c", source], cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
        env={**os.environ, "PYTHONPATH": str(SRC)}, **options,
    )  # fmt: skip


def rewrite(path, old, new):
    """Other content of an earlier time, as a tool that restores files leaves it."""
    path.write_text(path.read_text().replace(old, new))
    os.utime(path, (1, 1))
