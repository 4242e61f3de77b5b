"""wheel_kinds.py: the kinds of wheel that `make wheel` knows, what each is built with, and what this machine lacks."""

import os
import shutil
import subprocess
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[1]
# Of CMake, in the wheel; the tests are built in the same tree, later.
TARGETS = ["my_lib", "th", "cuda_on_cpu", "thc_on_cpu", "bridge"]


class Kind(NamedTuple):
    """What a wheel is built for, and with. emulator: programs that can run its tests, one of which must be there. cuda:
    the release of the toolkit, as in the wheel's version; "" without CUDA libraries."""

    machine: str
    compiler: str
    loader: str
    toolchain: str
    emulator: tuple = ()
    cuda: str = ""


KINDS = {
    "x86_64": Kind("x86_64", "gcc", "ld-linux-x86-64.so.2", "manylinux.cmake"),
    "aarch64": Kind("aarch64", "aarch64-linux-gnu-gcc", "ld-linux-aarch64.so.1", "manylinux-aarch64.cmake",
                    ("qemu-aarch64", "qemu-aarch64-static")),
    "x86_64-cuda": Kind("x86_64", "gcc", "ld-linux-x86-64.so.2", "manylinux.cmake", cuda="130"),
}  # fmt: skip
# Machine code for the cards from Turing to Blackwell; drivers of newer ones translate the last one's PTX.
CARDS = "75-real;80-real;86-real;90-real;100-real;120"
DEFAULT = ["sdist", "x86_64", "aarch64"]


def foreign(kind):
    """Whether programs for it run here in an emulator only."""
    return kind.machine != os.uname().machine


def settings(kind, tree):
    """Those of scikit-build-core, with CMake's files in ``tree``."""
    given = {
        "build-dir": tree, "build.targets": ";".join(TARGETS + ["thc"] * bool(kind.cuda)),
        "cmake.define.TORCHTHAW_CUDA": "ON" if kind.cuda else "OFF", "cmake.define.BUILD_TESTING": "ON",
        "cmake.define.CMAKE_TOOLCHAIN_FILE": ROOT / "cmake" / kind.toolchain,
    }  # fmt: skip
    if kind.cuda:
        given["cmake.define.CMAKE_CUDA_ARCHITECTURES"] = os.environ.get("CUDAARCHS", CARDS)
    return given


def nvcc():
    """What nvcc says of itself; "" where there is none."""
    if not shutil.which("nvcc"):
        return ""
    return subprocess.run(["nvcc", "--version"], capture_output=True, text=True, check=True).stdout


def missing(kind):
    """What this machine lacks to build and test that wheel, or ""."""
    if not shutil.which(kind.compiler):
        return kind.compiler
    if foreign(kind) and not any(map(shutil.which, kind.emulator)):
        return " or ".join(kind.emulator)
    wanted = f"{kind.cuda[:-1]}.{kind.cuda[-1:]}"
    return f"nvcc {wanted}" if kind.cuda and f"release {wanted}," not in nvcc() else ""
