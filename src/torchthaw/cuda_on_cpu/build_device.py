"""torchthaw/cuda_on_cpu/build_device.py: builds PyTorch's CUDA device on the CPU for the PyTorch that is installed, once.

Its sources are in device/. It is a library of PyTorch's C++ ABI, and so is made where PyTorch is, by its headers.
"""

import ctypes
import hashlib
import importlib.util
import os
import re
import runpy
from pathlib import Path

from ..base import cache, config, toolchain, writing
from ..extension import ninja

HERE = Path(__file__).resolve().parent
OLDEST = 2, 7
NAME = "libtorch_cuda_on_cpu.so"
# No warnings of PyTorch's headers; its libraries from 2.7 on have the new ABI of std::string.
FLAGS = ["-std=c++20", "-O1", "-g0", "-fPIC", "-fvisibility-inlines-hidden", "-D_GLIBCXX_USE_CXX11_ABI=1"]


def library(torch_folder):
    """The path of the library for the PyTorch in a folder; builds it if nobody did. RuntimeError for one that has none."""
    version = _version(torch_folder)
    key = f"{version}-{_digest(torch_folder, version)}"
    return cache.made_once("cuda_device", key, lambda folder: _build(folder, torch_folder, version)) / NAME


def examine():
    """Looks at the PyTorch that is installed, if one is. RuntimeError for one that cannot have the device."""
    found = importlib.util.find_spec("torch")
    if found is not None and found.origin:
        _version(os.path.dirname(found.origin))


def declare(loaded):
    """The library as ctypes has it, with the types of its functions."""
    number = ctypes.c_int64
    loaded.cuda_on_cpu_current_stream.restype = number
    loaded.cuda_on_cpu_set_stream.argtypes = [number]
    loaded.cuda_on_cpu_allocate.restype = ctypes.c_void_p
    loaded.cuda_on_cpu_allocate.argtypes = [ctypes.c_uint64]
    loaded.cuda_on_cpu_free.argtypes = [ctypes.c_void_p]
    return loaded


def _version(torch_folder):
    found = runpy.run_path(os.path.join(torch_folder, "version.py"))
    version = found["__version__"]
    if found.get("cuda") or found.get("hip"):
        raise RuntimeError(
            f"TORCHTHAW_CUDA=cpu: expected a PyTorch for CPUs, got {version} in {torch_folder}, whose own operators are "
            "for GPUs; install torch from PyTorch's index for CPUs"
        )
    if tuple(map(int, re.findall(r"\d+", version)[:2])) < OLDEST:
        raise RuntimeError(f"TORCHTHAW_CUDA=cpu: expected PyTorch {OLDEST[0]}.{OLDEST[1]} or newer, got {version}")
    return version


def _sources():
    return sorted((HERE / "device").glob("*.cpp"))


def _digest(torch_folder, version):
    """Of all that the library is made of; PyTorch's headers go by their place and version."""
    folders = (HERE / name for name in ("device", "include_pytorch", "toolkit"))
    files = [*sorted(path for folder in folders for path in folder.rglob("*") if path.is_file()), _runtime()]
    facts = [torch_folder, version, *FLAGS, *toolchain.identity(toolchain.cxx_compiler()), os.fspath(_runtime())]
    digest = hashlib.sha256("\0".join(facts).encode())
    for path in files:
        digest.update(path.read_bytes())
    return digest.hexdigest()[:16]


def _runtime():
    return config.library("cuda_on_cpu")


def _build(folder, torch_folder, version):
    include, libraries = os.path.join(torch_folder, "include"), os.path.join(torch_folder, "lib")
    folders = [HERE / "toolkit" / "include", include, os.path.join(include, "torch", "csrc", "api", "include")]
    compile_flags = [*FLAGS, *(word for each in folders for word in ("-isystem", each))]
    link_flags = [
        f"-L{libraries}", "-ltorch_cpu", "-lc10", _runtime(), "-Wl,-z,defs", *ninja.hardening([]),
        f"-Wl,-rpath,{libraries}", f"-Wl,-rpath,{_runtime().parent}",
    ]  # fmt: skip
    text = ninja.shared_object(NAME, dict.fromkeys(_sources(), ()), compile_flags, link_flags)
    writing.write(folder / "build.ninja", text)
    ninja.run(folder, text=f"building the CUDA device on the CPU for PyTorch {version}, once", tells_pipes=True)
