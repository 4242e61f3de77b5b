"""compiled_by_tests.py: compiles code that tests compile while they run: make mutations sees whether it compiles.

    python .ci/compiled_by_tests.py device|export|samples

What is made stays in build/compiled_by_tests/. The device is made in the cache of the tests, where they look before they
compile it.
"""

import importlib.util
import os
import shutil
import subprocess
import sys
from pathlib import Path

from torchthaw.base import cache
from torchthaw.cuda_on_cpu import build_device, toolkit_folder

ROOT = Path(__file__).resolve().parent.parent
BUILD = ROOT / "build" / "compiled_by_tests"
HEADERS = ("c_api/include/my_lib.h", "tests/export/kinds.h", "tests/derivatives/pairs.h")


def compile_device(folder):
    """PyTorch's CUDA device."""
    shutil.rmtree(cache.root() / "cuda_device", ignore_errors=True)  # of changes before this one
    shutil.copy(build_device.library(os.path.dirname(importlib.util.find_spec("torch").origin)), folder)


def compile_export(folder):
    """What `export` writes of three headers, for each host."""
    hosts = ROOT / "build" / "hosts" / "jax" / "jaxlib" / "include"
    for header in map(ROOT.joinpath, HEADERS):
        for host in ("onnxruntime", "jax"):  # each writes the table too
            command = [sys.executable, "-m", "torchthaw", "export", host, header, "-o", folder]
            subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    include = [f"-I{(ROOT / header).parent}" for header in HEADERS]
    for source in sorted(folder.glob("*.c")):
        subprocess.run(["cc", "-std=c11", "-O1", "-g0", "-fPIC", "-c", "-I", ROOT / "c_api" / "include", *include, "-isystem", hosts, source,
                        "-o", source.with_suffix(".o")], check=True)  # fmt: skip


def compile_samples(folder):
    """CUDA programs that use most of the toolkit's headers."""
    for name in ("program", "random"):
        source = ROOT / "tests" / "cuda_on_cpu" / "samples" / f"{name}.cu"
        subprocess.run(
            [toolkit_folder.home() / "bin" / "nvcc", "-O0", "-c", source, "-o", folder / f"{name}.o"], check=True
        )


KINDS = {"device": compile_device, "export": compile_export, "samples": compile_samples}

if __name__ == "__main__":
    kind = sys.argv[1] if len(sys.argv) == 2 else ""
    if kind not in KINDS:
        sys.exit(f"expected one of {', '.join(KINDS)}, got {' '.join(sys.argv[1:])!r}")
    os.environ["TORCHTHAW_CACHE"] = str(ROOT / "build" / "cache")  # as tests/conftest.py has it
    (BUILD / kind).mkdir(parents=True, exist_ok=True)
    KINDS[kind](BUILD / kind)
