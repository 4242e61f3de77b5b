"""cuda_check.py: compiles the CUDA libraries for every card that is supported, without a GPU, and shows what came out.

    make cuda-check

A warning fails it, and so does a register that spills. Needs nvcc; without one it says so in a line.
"""

import os
import re
import shutil
import subprocess
import sys
from collections import defaultdict
from pathlib import Path

from torchthaw.base import toolchain

ROOT = Path(__file__).resolve().parents[1]
BUILD = ROOT / "build" / "cuda-check"
ARCHITECTURES = ["75", "80", "86", "89", "90", "100", "120"]  # the last with PTX, for cards to come
LIBRARIES = ["my_lib_cuda", "thc"]
REFUSED = ["--Werror=all-warnings", "-Xptxas=--warn-on-spills", "-Xcompiler=-Werror"]
REQUIREMENTS = ROOT / ".ci" / "requirements" / "locked" / "cuda.txt"


def run(*command):
    subprocess.run([str(part) for part in command], check=True)


def build():
    """Builds the libraries; the paths of those that the project has."""
    cmake = toolchain.tool("cmake")
    architectures = ";".join([f"{name}-real" for name in ARCHITECTURES[:-1]] + ARCHITECTURES[-1:])
    run(
        cmake, "--log-level=WARNING", "-S", ROOT, "-B", BUILD, "-G", "Ninja",
        f"-DCMAKE_MAKE_PROGRAM={toolchain.tool('ninja')}", f"-DCMAKE_CUDA_ARCHITECTURES={architectures}",
        f"-DCMAKE_CUDA_FLAGS={' '.join(REFUSED)}", f"-DPython_EXECUTABLE={sys.executable}",
    )  # fmt: skip
    if "CMAKE_CUDA_COMPILER:" not in (BUILD / "CMakeCache.txt").read_text():
        sys.exit("make cuda-check: no nvcc was found, nothing is checked.")
    run(cmake, "--build", BUILD, "--parallel", os.cpu_count(), "--target", *LIBRARIES)
    return [BUILD / "lib" / f"lib{name}.so" for name in LIBRARIES]


def cuobjdump():
    """The toolkit's own, or one that pip brings."""
    found = shutil.which("cuobjdump")
    folder = BUILD / "cuobjdump"
    if not found:
        if not folder.exists():
            run(sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--require-hashes", "--target", folder,
                "-r", REQUIREMENTS)  # fmt: skip
        found = next(folder.rglob("bin/cuobjdump"))
    return found


def resources(tool, library):
    """{kernel: {architecture: (registers, bytes of stack, bytes of shared memory)}}, the architectures of the PTX."""
    out = subprocess.run([tool, "--dump-resource-usage", library], check=True, capture_output=True, text=True).stdout
    kernels, ptx, architecture, mode = defaultdict(dict), set(), None, None
    for line in out.splitlines():
        if header := re.match(r"Fatbin (\w+) code", line):
            mode = header[1]
        elif found := re.match(r"arch = sm_(\w+)", line):
            architecture = found[1]
            if mode == "ptx":
                ptx.add(architecture)
        elif found := re.match(r" *Function (\S+):", line):
            kernel = found[1]
        elif found := re.match(r" *REG:(\d+) STACK:(\d+) SHARED:(\d+)", line):
            kernels[kernel][architecture] = tuple(map(int, found.groups()))
    return kernels, ptx


def readable(names):
    """The names without C++'s mangling, and without what is the same in all of them."""
    out = subprocess.run(["c++filt", *names], check=True, capture_output=True, text=True).stdout.splitlines()
    short = [re.sub(r"\(anonymous namespace\)::|my_lib::|thc::|^void ", "", name) for name in out]
    return [re.sub(r"\((?!anonymous).*$", "", name) for name in short]


def report(library, kernels, ptx):
    """Prints the table; what is missing, as lines."""
    print(
        f"\n{library.name}: PTX for {', '.join('sm_' + name for name in sorted(ptx, key=int))}; "
        "registers, and bytes of stack and shared memory where there are any"
    )
    print(f"{'kernel':72}" + "".join(f"{'sm_' + name:>16}" for name in ARCHITECTURES))
    missing = []
    for mangled, name in zip(kernels, readable(list(kernels)), strict=True):
        cells = []
        for architecture in ARCHITECTURES:
            if architecture not in kernels[mangled]:
                missing.append(f"{library.name}: {name} is missing for sm_{architecture}")
                cells.append("")
                continue
            registers, stack, shared = kernels[mangled][architecture]
            cells.append(f"{registers}{f' stack {stack}' if stack else ''}{f' {shared} B' if shared else ''}")
        print(f"{name[:71]:72}" + "".join(f"{cell:>16}" for cell in cells))
    if not kernels:
        missing.append(f"{library.name}: no kernel in it")
    if ARCHITECTURES[-1] not in ptx:
        missing.append(f"{library.name}: no PTX for sm_{ARCHITECTURES[-1]}")
    return missing


def main():
    libraries = build()
    tool = cuobjdump()
    missing = [line for library in libraries for line in report(library, *resources(tool, library))]
    sys.exit("\n".join(missing) or None)


if __name__ == "__main__":
    try:
        main()
    except (subprocess.CalledProcessError, OSError) as error:
        sys.exit(f"make cuda-check: {error}")
