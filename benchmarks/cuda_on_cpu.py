"""benchmarks/cuda_on_cpu.py: CUDA kernels on the CPU

A kernel of 50 operations an element beside the same loop in C; what a barrier costs each thread, of nine; and the
compilation of a .cu file beside that of the text it is rewritten to. One thread.
"""

import ctypes
import subprocess
import tempfile
from pathlib import Path
from time import perf_counter

import numpy as np

from torchthaw.base import toolchain
from torchthaw.cuda_on_cpu import toolkit_folder

from .harness import Contender, Group, Outcome, compare, summarise

HERE = Path(__file__).resolve().parent
SAMPLE = HERE.parent / "tests" / "cuda_on_cpu" / "samples" / "program.cu"
ELEMENTS = 1 << 20
COMPILATIONS = 5


def library(folder):
    path = folder / "kernels.so"
    nvcc = toolkit_folder.home() / "bin" / "nvcc"
    subprocess.run(
        [nvcc, "-O2", "-shared", "-Xcompiler", "-fPIC", "-o", path, HERE / "peers" / "cuda_on_cpu.cu"], check=True
    )
    return ctypes.CDLL(str(path))


def per_thread(group, barriers):
    """The group's times as those of one barrier of one thread."""
    for spread in group.results.values():
        for part in ("value", "low", "high"):
            setattr(spread, part, getattr(spread, part) / (barriers * ELEMENTS))
    return group


def compilations(folder):
    """Seconds of nvcc, and of the C++ compiler for what nvcc makes of the same file."""
    nvcc, output = toolkit_folder.home() / "bin" / "nvcc", folder / "program.o"
    commands = {
        "nvcc": [nvcc, "-O2", "-c", "-keep", "-keep-dir", folder, "-o", output, SAMPLE],
        "g++ of the rewritten text": [
            *toolchain.cxx_compiler(), "-O2", "-std=gnu++17", "-w", "-x", "c++-cpp-output", "-c", folder / "program.ii",
            "-o", output,
        ],
    }  # fmt: skip
    samples = {name: [] for name in commands}
    for _ in range(COMPILATIONS):
        for name, command in commands.items():
            start = perf_counter()
            subprocess.run(command, check=True)
            samples[name].append(perf_counter() - start)
    return Group("cuda_on_cpu", "compile a .cu file", "program.cu", summarise(samples, "minimum"), statistic="minimum",
                 rounds=COMPILATIONS)  # fmt: skip


def measure(effort):
    x = np.linspace(0, 1, ELEMENTS, dtype=np.float32)
    y = np.empty_like(x)
    arguments = x.ctypes.data_as(ctypes.c_void_p), y.ctypes.data_as(ctypes.c_void_p), ELEMENTS
    with tempfile.TemporaryDirectory() as folder:
        folder = Path(folder)
        kernels = library(folder)

        def contender(name, function):
            return Contender(name, lambda: function(*arguments))

        work = compare(
            "cuda_on_cpu", "50 operations an element", str(ELEMENTS),
            [contender("kernel", kernels.run_kernel), contender("C loop", kernels.run_loop)], effort, statistic="minimum",
        )  # fmt: skip
        barriers = compare(
            "cuda_on_cpu", "one barrier, a thread", str(ELEMENTS),
            [contender("nine barriers", kernels.run_barriers), contender("none", kernels.run_no_barriers)],
            effort, statistic="minimum",
        )  # fmt: skip
        return Outcome([work, per_thread(barriers, 9), compilations(folder)])
