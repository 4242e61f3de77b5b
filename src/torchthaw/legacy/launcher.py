"""torchthaw/legacy/launcher.py: programs that stand before nvcc, and before the C++ compiler of CMake, under run."""

import os
from pathlib import Path

from ..base import cache, isolated
from ..extension import cuda
from . import availability, cmake

# What says where the toolkit is. Build scripts take the first two for the wish to build for GPUs.
HOMES = ("CUDA_HOME", "CUDA_PATH")
# Variables of CMake: FindCUDA reads the first two, FindCUDAToolkit the third, enable_language(CUDA) the last.
OF_CMAKE = {"CUDA_NVCC_EXECUTABLE": "bin/nvcc", "CUDA_BIN_PATH": "bin", "CUDAToolkit_ROOT": "", "CUDACXX": "bin/nvcc"}


def put_in_place():
    """Puts this nvcc before the toolkit's for child processes, where there is a toolkit; gives CMake a C++ launcher."""
    made = cache.layout("cxx", {"bin/cxx": isolated.launcher("legacy.cxx")}, {})
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
    links = {path.name: path for path in _entries(toolkit.root)}
    links.update({f"bin/{path.name}": path for path in _entries(toolkit.root / "bin") if path.name != "nvcc"})
    links.update({f"bin/{cuda.BEHIND}": toolkit.nvcc, "include": toolkit.include})
    libraries = [*toolkit.library_dirs, toolkit.root / "lib64", toolkit.root / "lib"]
    links["lib64"] = next((folder for folder in libraries if folder.is_dir()), toolkit.root / "lib64")
    return cache.layout("nvcc", {"bin/nvcc": isolated.launcher("legacy.nvcc")}, links)


def _entries(folder):
    return [path for path in Path(folder).iterdir() if path.name != "bin"] if folder.is_dir() else []
