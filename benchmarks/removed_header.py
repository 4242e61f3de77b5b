"""benchmarks/removed_header.py: what the header that `run` includes first costs a compiler

    python -m benchmarks.removed_header [ROUNDS]     beside the PyTorch of this Python, which needs no build of torchthaw

A file that includes torch/extension.h and binds one function is compiled with and without what `run` adds to its
flags, in turns. Minima of processor time over the rounds, of the compiler and the programs that it starts.
"""

import os
import random
import subprocess
import sys
import sysconfig
import tempfile
from pathlib import Path

from . import machine
from .report import quantity, table

GOAL = 1.03
ROUNDS = 10
WAYS = {"-fsyntax-only": ["-fsyntax-only"], "-O0 -c": ["-O0", "-c", "-o", "a.o"]}
SOURCE = """
#include <torch/extension.h>
static at::Tensor twice(at::Tensor x) { return x * 2; }
PYBIND11_MODULE(a, m) { m.def("twice", &twice); }
"""


def commands(way):
    """{name: the command} without and with the header."""
    from torch.utils.cpp_extension import include_paths

    from torchthaw.legacy.cpp import cpp_extension, cxx_standard

    folders = [*include_paths(), sysconfig.get_path("include")]
    common = [
        os.environ.get("CXX", "c++"), "-w", f"-std=c++{cxx_standard.needed()}", *WAYS[way],
        *(f"-I{folder}" for folder in folders),
    ]  # fmt: skip
    added = [f"-I{cpp_extension.headers()}", *cpp_extension.flags([], "a")]
    return {"without": [*common, "a.cpp"], "with": [*common, *added, "a.cpp"]}


def seconds(command, folder):
    """Processor time of a command."""
    process = subprocess.Popen(command, cwd=folder)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise subprocess.CalledProcessError(process.returncode, command)
    return usage.ru_utime + usage.ru_stime


def minima(way, rounds):
    """{name: seconds}"""
    found = {name: [] for name in commands(way)}
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "a.cpp").write_text(SOURCE)
        for command in commands(way).values():
            seconds(command, folder)  # untimed: brings the headers into memory
        for _ in range(rounds):
            for name, command in random.sample([*commands(way).items()], 2):
                found[name].append(seconds(command, folder))
    return {name: min(times) for name, times in found.items()}


def main():
    rounds = int(sys.argv[1]) if sys.argv[1:] else ROUNDS
    import torch

    rows, missed = [], False
    for way in WAYS:
        found = minima(way, rounds)
        ratio = found["with"] / found["without"]
        missed |= ratio > GOAL
        rows.append([torch.__version__, way, *(quantity(found[name], "s") for name in found), f"{ratio:.3f}"])
    print(table(["PyTorch", "flags", "without", "with", "ratio"], rows))
    print(f"\n{rounds} rounds in turns, minima; {machine.compiler()}; goal: ratio ≤ {GOAL}")
    sys.exit(missed)


if __name__ == "__main__":
    main()
