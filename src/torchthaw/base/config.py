"""torchthaw/base/config.py: where the libraries, headers and CMake files are, in a checkout and in a wheel."""

import os
import re
from pathlib import Path

PACKAGE = Path(__file__).resolve().parents[1]
BRIDGE = "_bridge.abi3.so"

# What builds a library in a checkout.
BUILT_BY = {
    "my_lib": "run `python ffi_build.py`",
    "my_lib_cuda": "run `python ffi_build.py` where nvcc is found",
    "th": "run `make th`",
    "thc": "run `make th` where nvcc is found",
    "cuda_on_cpu": "run `make th`",
}

# Those of CUDA code. Each has a library of the same name for CUDA on the CPU, in lib/cuda_on_cpu.
OF_CUDA = ("my_lib_cuda", "thc")


def checkout():
    """The root of the checkout that contains this package; None when it is installed."""
    root = PACKAGE.parents[1]
    return root if (root / "c_api" / "my_lib").is_dir() else None


def prefix():
    """The folder that holds ``lib/`` and ``share/``: ``build/`` of a checkout, else the installed package."""
    root = checkout()
    return root / "build" if root else PACKAGE


def my_lib_includes():
    """The folder that holds ``my_lib.h``."""
    root = checkout()
    return root / "c_api" / "include" if root else PACKAGE / "include"


# The header alone states the version; CMake and pyproject.toml read it there too.
__version__ = ".".join(
    re.findall(
        r"#define MY_LIB_VERSION_(?:MAJOR|MINOR|PATCH) (\d+)", (my_lib_includes() / "my_lib.h").read_text("utf-8")
    )
)


def includes():
    """The include folder for old projects: ``TH`` and the like, ``annotate.h``, and no name that hides one of theirs."""
    return my_lib_includes() / "torchthaw"


def annotate_includes():
    """The folder that holds ``torchthaw/annotate.h`` and nothing else."""
    return my_lib_includes() / "torchthaw_annotate"


def libdir():
    """The folder of the shared libraries."""
    return prefix() / "lib"


def cmakedir():
    """What ``find_package(torchthaw)`` takes as ``torchthaw_DIR``."""
    return prefix() / "share" / "cmake" / "torchthaw"


def not_built():
    """What to say where a source tree without libraries is imported, as in a clone after ``pip install .``; else ""."""
    root = checkout()
    if root is None or (libdir() / BRIDGE).exists():
        return ""
    return (
        f"torchthaw is imported from {root}, a source tree that is not built: run `make th` there, or start Python in "
        "another folder, where an installed torchthaw is found"
    )


def cuda_is_cpu():
    """Whether CUDA code runs on the CPU in this process, and in those that it starts: TORCHTHAW_CUDA is ``cpu``.

    ValueError for an unknown value.
    """
    given = os.environ.get("TORCHTHAW_CUDA", "")
    if given not in ("", "cpu"):
        raise ValueError(f"TORCHTHAW_CUDA: expected cpu, or nothing, got {given!r}")
    return given == "cpu"


def library_path(name):
    """Where the shared library called ``name`` is, by its SONAME, if it was built."""
    folder = libdir() / "cuda_on_cpu" if name in OF_CUDA and cuda_is_cpu() else libdir()
    return folder / f"lib{name}.so.{__version__.partition('.')[0]}"


def library(name):
    """The shared library called ``name``: the file to link, and the one that is loaded at run time."""
    path = library_path(name)
    if not path.exists():
        how = not_built() or (BUILT_BY[name] if checkout() else "this installation does not carry it")
        raise FileNotFoundError(f"{path} does not exist; {how}")
    return path


def switch(variable):
    """Whether an environment variable that is 0 or 1 is on. Unset or empty it is off; ValueError for anything else."""
    given = os.environ.get(variable, "")
    if given not in ("", "0", "1"):
        raise ValueError(f"{variable}: expected 0 or 1, got {given!r}")
    return given == "1"


def words(variable):
    """The words of an environment variable that lists some, separated by commas; whoever asks knows which there are."""
    return [word.strip() for word in os.environ.get(variable, "").split(",") if word.strip()]
