"""torchthaw/legacy/launcher.py: programs that stand before nvcc, and before the C++ compiler of CMake, under run."""

import os
import shlex
import sys
from pathlib import Path

from ..base import config
from ..extension import cuda
from . import availability, cmake, layout

# Python's own modules come first: the current folder is the project's, and may have a shutil.py. The option -P, which
# leaves that folder out, is new in Python 3.11, and -I leaves out more.
LAUNCHER = """#!/bin/sh
# Made by torchthaw for the builds of old projects.
exec {python} -c '
import sys
sys.path = [folder for folder in sys.path if folder] + [sys.argv.pop(1)]
from torchthaw.legacy import {module}
sys.exit({module}.run(sys.argv[1:]))' {root} "$@"
"""

# What says where the toolkit is. Build scripts take the first two for the wish to build for GPUs.
HOMES = ("CUDA_HOME", "CUDA_PATH")
# Variables of CMake: FindCUDA reads the first two, FindCUDAToolkit the third, enable_language(CUDA) the last.
OF_CMAKE = {"CUDA_NVCC_EXECUTABLE": "bin/nvcc", "CUDA_BIN_PATH": "bin", "CUDAToolkit_ROOT": "", "CUDACXX": "bin/nvcc"}


def put_in_place():
    """Puts this nvcc before the toolkit's for child processes, where there is a toolkit; gives CMake a C++ launcher."""
    made = layout.folder("cxx", {"bin/cxx": _launcher("cxx")}, {})
    os.environ.setdefault("CMAKE_CXX_COMPILER_LAUNCHER", os.fspath(made / "bin" / "cxx"))
    try:
        toolkit = cuda.toolkit()
    except FileNotFoundError:
        return
    made = home(toolkit)
    os.environ["PATH"] = os.pathsep.join([os.fspath(made / "bin"), os.environ.get("PATH", os.defpath)])
    for variable, place in OF_CMAKE.items():
        os.environ.setdefault(variable, os.fspath(made / place))
    cmake.point_at_cuda(toolkit)
    given = [variable for variable in HOMES if os.environ.get(variable)]
    for variable in given or (HOMES if wanted(toolkit) else ()):
        os.environ[variable] = os.fspath(made)


def wanted(toolkit):
    """Whether build scripts are to build for GPUs: TORCHTHAW_BUILD_CUDA, or there is a card and a PyTorch for it."""
    return availability.wanted() or bool(cuda.visible(toolkit) and availability.cuda_of_pytorch())


def home(toolkit):
    """A folder as the toolkit's own, with this nvcc in its ``bin``."""
    text = _launcher("nvcc")
    links = {path.name: path for path in _entries(toolkit.root)}
    links.update({f"bin/{path.name}": path for path in _entries(toolkit.root / "bin")})
    links.update({f"bin/{cuda.BEHIND}": toolkit.nvcc, "include": toolkit.include})
    libraries = [*toolkit.library_dirs, toolkit.root / "lib64", toolkit.root / "lib"]
    links["lib64"] = next((folder for folder in libraries if folder.is_dir()), toolkit.root / "lib64")
    return layout.folder("nvcc", {"bin/nvcc": text}, {name: links[name] for name in links if name != "bin/nvcc"})


def _launcher(module):
    python, root = sys.executable, os.fspath(config.PACKAGE.parent)
    return LAUNCHER.format(module=module, python=shlex.quote(python), root=shlex.quote(root))


def _entries(folder):
    return [path for path in Path(folder).iterdir() if path.name != "bin"] if folder.is_dir() else []
