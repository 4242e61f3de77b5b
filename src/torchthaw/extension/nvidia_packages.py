"""torchthaw/extension/nvidia_packages.py: headers and libraries of CUDA that a toolkit lacks, from PyTorch's own packages.

PyTorch's wheels bring cuBLAS, cuSPARSE, cuSOLVER, cuDNN and others as packages of the folder ``nvidia``. PyTorch's
headers include some of them, which a toolkit of compiler and runtime alone does not have.
"""

import importlib.util
import re
from pathlib import Path

from ..base import cache, config, installed_torch

OF_ONE_CUDA = re.compile(r"cu(\d+)")  # such as nvidia/cu13; the packages for CUDA 12 have a folder for each library
LIBRARY = re.compile(r"(lib\w+\.so)\.\d+")


def folder(toolkit):
    """A folder with ``include`` and ``lib`` that hold what this toolkit lacks; None where it lacks nothing.

    The packages must be for the toolkit's major version of CUDA, as a folder's name or PyTorch says. None for CUDA on the
    CPU, which runs none of these libraries.
    """
    if config.cuda_is_cpu():
        return None
    links = {}
    for package in _packages(toolkit.version.partition(".")[0]):
        for path in sorted((package / "include").glob("*")):
            if path.name[:2] != "__" and not (toolkit.include / path.name).exists():
                links.setdefault(f"include/{path.name}", path)
        for path in sorted((package / "lib").glob("lib*.so.*")):
            name = LIBRARY.fullmatch(path.name)
            if name and not any((libraries / name[1]).exists() for libraries in toolkit.library_dirs):
                links.setdefault(f"lib/{name[1]}", path)
    return cache.layout("nvidia", {}, links) if links else None


def headers(toolkit):
    """That folder's headers, as a list of one folder or none."""
    made = folder(toolkit)
    return [made / "include"] if made else []


def libraries(toolkit, names):
    """The files of those libraries there that have one of these names, such as ``cufft``."""
    made = folder(toolkit)
    found = [made / "lib" / f"lib{name}.so" for name in names] if made else []
    return [path for path in found if path.exists()]


def _packages(major):
    of_pytorch = (cuda_of_pytorch() or "").partition(".")[0]
    found = importlib.util.find_spec("nvidia")
    for root in (found.submodule_search_locations or ()) if found else ():
        for package in sorted(Path(root).iterdir()):
            named = OF_ONE_CUDA.fullmatch(package.name)
            if (named[1] if named else of_pytorch) == major:
                yield package


def cuda_of_pytorch():
    """The version of CUDA that the installed PyTorch was built with; None without CUDA, or without PyTorch."""
    return installed_torch.about().get("cuda")
