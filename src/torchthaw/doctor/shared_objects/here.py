"""torchthaw/doctor/shared_objects/here.py: the Python, the PyTorch and the libraries of this machine."""

import ctypes
import functools
import importlib.util
import os
import platform
import re
import shutil
import sys
import sysconfig
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

from ...base import child, installed_torch
from . import needs

PYTHON = f"3.{sys.version_info.minor}{'t' if sysconfig.get_config_var('Py_GIL_DISABLED') else ''}"
ORIGIN = re.compile(r"\$(?:ORIGIN\b|\{ORIGIN\})")
USUAL = "/lib", "/usr/lib", "/lib64", "/usr/lib64"


class PyTorch(NamedTuple):
    """An installed PyTorch. version: with what follows a "+". cuda: that of its build, or ""."""

    version: str
    cuda: str
    libraries: Path


@functools.cache
def pytorch() -> PyTorch | None:
    """The PyTorch that this Python imports; it is not imported."""
    folder, said = installed_torch.folder(), installed_torch.about()
    return PyTorch(str(said["__version__"]), said.get("cuda") or "", folder / "lib") if folder and said else None


def pytorch_names(libraries: Iterable[str]) -> set[str]:
    """The names that PyTorch's libraries of these files, and those that every extension finds, have."""
    there = pytorch()
    always = "libc10.so", "libtorch_cpu.so", "libtorch_python.so", "libtorch.so"
    files = [there.libraries / name for name in {*always, *libraries}] if there else []
    return {name for file in files if file.is_file() for name in _defined(file)}


_defined = functools.cache(needs.defined)


def python_has(name: str) -> bool:
    """Whether this Python has a function of its C interface."""
    return hasattr(ctypes.pythonapi, name)


def glibc() -> str:
    """The version of glibc, or "" where the C library is another one."""
    kind, version = platform.libc_ver()
    return version if kind == "glibc" else ""


def highest(library: str, kind: str) -> str:
    """The highest version of a kind that a library has, such as GLIBCXX of libstdc++.so.6; "" where it is not found."""
    file = find(library, ())
    found = re.findall(rb"\b%s_(\d+(?:\.\d+)+)\0" % kind.encode(), file.read_bytes()) if file else []
    return max((version.decode() for version in found), key=needs.numbers, default="")


def find(library: str, folders: Iterable[str], origin: Path = Path("/")) -> Path | None:
    """The file of a library that the loader would take: in the folders that the binary names, or in the usual ones.

    Also in the folders of PyTorch and of pip's packages of CUDA, which ``import torch`` loads first.
    """
    named = [re.sub(ORIGIN, lambda _: str(origin), folder) for folder in folders]
    path = os.environ.get("LD_LIBRARY_PATH", "").split(":")
    there = pytorch()
    own = [there.libraries] if there else []
    for folder in (*named, *path, *own, *_of_packages(), os.path.join(sys.prefix, "lib"), *USUAL):
        file = Path(folder, library)
        if os.path.isabs(folder) and file.is_file():
            return file
    listed = _listed().get(library)
    return Path(listed) if listed else None


@functools.cache
def _listed():
    """{library: file} of the loader's own list."""
    tool = shutil.which("ldconfig", path=f"{os.environ.get('PATH', os.defpath)}:/sbin:/usr/sbin")
    text = child.answer([tool, "-p"], check=False).out if tool else ""
    return dict(reversed(re.findall(r"^\t(\S+) \(.*\) => (.+)$", text, re.MULTILINE)))


@functools.cache
def _of_packages():
    found = importlib.util.find_spec("nvidia")
    roots = (found.submodule_search_locations or ()) if found else ()
    return [str(folder) for root in roots for folder in sorted(Path(root).glob("*/lib"))]
