"""benchmarks/portable/measure.py: a portable extension against PyTorch's own build of the same source, in turn.

    make bench-portable [publish=1]
    python benchmarks/portable/measure.py --cuda [--publish]    with a PyTorch for CUDA and a toolkit: what nvcc needs

Compiles sample.cpp both ways, measures what the compiler needs, and calls both binaries in processes that take turns.
Times are the least of all rounds. publish=1 writes the table into docs/internals/performance.md.
"""

import argparse
import datetime
import json
import os
import platform
import subprocess
import sys
import sysconfig
import tempfile
import time
from pathlib import Path

import torch
from torch.utils import cpp_extension

from torchthaw import portable
from torchthaw.extension import cuda, nvidia_packages
from torchthaw.portable import build, flags, operators, runtime_library

HERE = Path(__file__).resolve().parent
PAGE = HERE.parents[1] / "docs" / "internals" / "performance.md"
SOURCE = HERE / "sample.cpp"
CUDA = HERE / "sample.cu"
ROUNDS = 3


def compiled(command):
    """(seconds of processor time, MiB) that a compiler needs."""
    process = subprocess.Popen([*map(str, command)])
    _, status, used = os.wait4(process.pid, 0)
    if status:
        sys.exit(f"the compiler failed: {command}")
    return used.ru_utime + used.ru_stime, used.ru_maxrss / 1024


def commands(folder):
    """{way: (words that compile, words that link)}"""
    operators.write(folder, [SOURCE], [*map(Path, portable.include_paths())])
    root, own = Path(torch.__file__).parent, [f"-I{folder}", *(f"-I{each}" for each in build.include_paths())]
    name, python = "-DTORCH_EXTENSION_NAME=sample", f"-I{sysconfig.get_path('include')}"
    pytorch = [f"-I{root}/include", f"-I{root}/include/torch/csrc/api/include", "-DTORCH_API_INCLUDE_EXTENSION_H"]
    libraries = [f"-L{root}/lib", "-ltorch_cpu", "-ltorch", "-lc10", "-ltorch_python"]
    base = ["g++", "-O2", "-fPIC", "-w", "-std=c++17", name, python, "-c", SOURCE, "-o"]
    runtime_library.runtime([])
    return {
        "portable": (
            [*base, folder / "portable.o", *flags.common(), *flags.cxx(), *own],
            runtime_library.link_flags([]),
        ),
        "PyTorch": ([*base, folder / "PyTorch.o", "-fvisibility=hidden", *pytorch], libraries),
    }


def measured(folder):
    """{what: (of a portable extension, of PyTorch's build)}"""
    need, products, calls = {}, {}, {}
    for way, (words, libraries) in commands(folder).items():
        need[way] = [compiled(words) for _ in range(ROUNDS)]
        products[way] = folder / f"{way}.so"
        subprocess.run(["g++", "-shared", folder / f"{way}.o", *libraries, "-o", products[way]], check=True)
        subprocess.run(["strip", products[way]], check=True)
    for _ in range(ROUNDS):
        for way, path in products.items():
            done = subprocess.run([sys.executable, HERE / "calls.py", path], capture_output=True, text=True, check=True)
            for name, value in json.loads(done.stdout).items():
                calls.setdefault(name, {}).setdefault(way, []).append(value)
    found = {
        "compile, s": [min(seconds for seconds, _ in need[way]) for way in need],
        "compile, MiB": [min(size for _, size in need[way]) for way in need],
        "binary, kB": [products[way].stat().st_size / 1000 for way in products],
    }
    return found | {f"{name}, ns": [min(values) for values in by_way.values()] for name, by_way in calls.items()}


def measured_by_nvcc(folder):
    """{what: (of a portable extension, of PyTorch's build)}: nvcc with the same flags, which are PyTorch's."""
    toolkit = cuda.toolkit()
    if not torch.version.cuda:
        sys.exit("--cuda: expected a PyTorch for CUDA, whose headers have all that they include")
    operators.write(folder, [CUDA], [*map(Path, portable.include_paths())])
    of_toolkit = [f"-I{each}" for each in (toolkit.include, *nvidia_packages.headers(toolkit))]
    ways = {
        "portable": [f"-I{folder}", *(f"-I{each}" for each in build.include_paths())],
        "PyTorch": [f"-I{each}" for each in cpp_extension.include_paths()],
    }
    common = [*flags.of_nvcc([*flags.common(), "-DTORCH_EXTENSION_NAME=sample", "-w"]), "-arch=sm_80", *of_toolkit]
    # The newest PyTorch's headers need C++20, and all of Python's interface.
    standard = {"portable": [flags.STANDARD], "PyTorch": ["-std=c++20", "-UPy_LIMITED_API"]}
    need = {way: [] for way in ways}
    for _ in range(ROUNDS):
        for way, words in ways.items():
            need[way].append(
                compiled([toolkit.nvcc, *common, *standard[way], *words, "-c", CUDA, "-o", folder / "cuda.o"])
            )
    return {
        f"sample.cu: compile by nvcc {toolkit.version}, s": [min(seconds for seconds, _ in need[way]) for way in need],
        "the same, MiB": [min(size for _, size in need[way]) for way in need],
    }


def table(found):
    lines = ["| what | portable | PyTorch's build | ratio |", "| --- | --- | --- | --- |"]
    for name, (ours, theirs) in found.items():
        shown = [f"{value:,.0f}" if value >= 100 else f"{value:,.1f}" for value in (ours, theirs)]
        lines.append(f"| {name} | {shown[0]} | {shown[1]} | {ours / theirs:.2f} |")
    return "\n".join(lines)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--publish", action="store_true")
    parser.add_argument("--cuda", action="store_true")
    chosen = parser.parse_args()
    start = time.time()
    with tempfile.TemporaryDirectory() as folder:
        found = table((measured_by_nvcc if chosen.cuda else measured)(Path(folder)))
    model = next(
        (
            line.partition(":")[2].strip()
            for line in Path("/proc/cpuinfo").read_text().splitlines()
            if "model name" in line
        ),
        platform.machine(),
    )
    about = f"{datetime.date.today()}, {model}, {os.cpu_count()} processors, PyTorch {torch.__version__}, {'`nvcc`' if chosen.cuda else '`g++ -O2`'}, load {os.getloadavg()[0]:.1f}."
    print(found, about, f"{time.time() - start:.0f} s", sep="\n")
    if chosen.publish:
        sys.path.insert(0, str(HERE.parents[1] / ".ci"))
        import page

        page.write(PAGE, "portable CUDA" if chosen.cuda else "portable", f"{found}\n\n{about}")


if __name__ == "__main__":
    main()
