"""torchthaw/cuda_on_cpu/build_device.py: builds PyTorch's CUDA device on the CPU for the PyTorch that is installed, once.

Its sources are in device/, those for one kind of PyTorch in for_cpus/ or for_gpus/. It is a library of PyTorch's C++ ABI,
and so is made where PyTorch is, by its headers.
"""

import ctypes
import hashlib
import os
import re
import runpy
from pathlib import Path

from ..base import cache, config, installed_torch, toolchain, writing
from . import toolkit_folder

HERE = Path(__file__).resolve().parent
OLDEST = 2, 7
CUDA = "12", "13"  # of a PyTorch for GPUs: our headers have its structs
NAME = "libtorch_cuda_on_cpu.so"
# No warnings of PyTorch's headers; its libraries from 2.7 on have the new ABI of std::string.
FLAGS = ["-std=c++20", "-O1", "-g0", "-fPIC", "-fvisibility-inlines-hidden", "-D_GLIBCXX_USE_CXX11_ABI=1"]


class PyTorch:
    """The PyTorch in a folder: its version, and the version of CUDA that it was built for, "" of one for CPUs.

    Raises RuntimeError for one that cannot have the device.
    """

    def __init__(self, folder):
        found = runpy.run_path(os.path.join(folder, "version.py"))
        self.folder, self.version, self.cuda = folder, found["__version__"], found.get("cuda") or ""
        if tuple(map(int, re.findall(r"\d+", self.version)[:2])) < OLDEST:
            raise RuntimeError(
                f"TORCHTHAW_CUDA=cpu: expected PyTorch {OLDEST[0]}.{OLDEST[1]} or newer, got {self.version}"
            )
        if found.get("hip"):
            raise RuntimeError(
                f"TORCHTHAW_CUDA=cpu: expected a PyTorch for CPUs or for CUDA, got {self.version} in {folder}, which is for "
                "AMD's GPUs"
            )
        if self.cuda and self.cuda.partition(".")[0] not in CUDA:
            raise RuntimeError(
                f"TORCHTHAW_CUDA=cpu: expected a PyTorch for CPUs or for CUDA {' or '.join(CUDA)}, got {self.version} in {folder}, which "
                f"is for CUDA {self.cuda}; install torch from PyTorch's index for CPUs"
            )

    @property
    def kind(self):
        """The folder of device/ that has what this kind alone needs."""
        return "for_gpus" if self.cuda else "for_cpus"


def installed():
    """The PyTorch that is installed, or None. Raises RuntimeError for one that cannot have the device."""
    folder = installed_torch.folder()
    return PyTorch(os.fspath(folder)) if folder else None


def library(torch_folder):
    """The path of the library for the PyTorch in a folder; builds it if nobody did. RuntimeError for one that has none."""
    torch = PyTorch(torch_folder)
    key = f"{torch.version}-{_digest(torch)}"
    return cache.made_once("cuda_device", key, lambda folder: _build(folder, torch)) / NAME


def declare(loaded):
    """The library as ctypes has it, with the types of its functions."""
    number = ctypes.c_int64
    loaded.cuda_on_cpu_current_stream.restype = number
    loaded.cuda_on_cpu_set_stream.argtypes = [number]
    loaded.cuda_on_cpu_allocate.restype = ctypes.c_void_p
    loaded.cuda_on_cpu_allocate.argtypes = [ctypes.c_uint64]
    loaded.cuda_on_cpu_free.argtypes = [ctypes.c_void_p]
    return loaded


def include_dirs(torch):
    """The folder of headers that come before those of this kind of PyTorch: what they lack, or name."""
    return [HERE / ("include_for_gpus" if torch.cuda else "include_pytorch")]


def sources(torch):
    """The sources of the library for a PyTorch."""
    return sorted([*(HERE / "device").glob("*.cpp"), *(HERE / "device" / torch.kind).glob("*.cpp")])


def _digest(torch):
    """Of all that the library is made of; PyTorch's headers go by their place and version."""
    folders = [*(HERE / name for name in ("device", "toolkit")), *include_dirs(torch)]
    files = [*sorted(path for folder in folders for path in folder.rglob("*") if path.is_file()), _runtime()]
    facts = [torch.folder, torch.version, *FLAGS, *toolchain.identity(toolchain.cxx_compiler()), os.fspath(_runtime())]
    digest = hashlib.sha256("\0".join(facts).encode())
    for path in files:
        digest.update(path.read_bytes())
    return digest.hexdigest()[:16]


def _runtime():
    return config.library("cuda_on_cpu")


def compile_flags(torch):
    include = os.path.join(torch.folder, "include")
    folders = [HERE / "toolkit" / "include", include, os.path.join(include, "torch", "csrc", "api", "include")]
    folders += include_dirs(torch) if torch.cuda else []
    version = toolkit_folder.number(toolkit_folder.version_beside(torch.cuda))
    return [*FLAGS, f"-DCUDA_ON_CPU_VERSION={version}", *(word for each in folders for word in ("-isystem", each))]


def _build(folder, torch):
    from ..extension import ninja  # needs cffi, which may be absent while torchthaw itself is built

    libraries = os.path.join(torch.folder, "lib")
    link_flags = [
        f"-L{libraries}", *(["-ltorch_cuda", "-lc10_cuda"] if torch.cuda else []), "-ltorch_cpu", "-lc10", _runtime(),
        "-Wl,-z,defs", *ninja.hardening([]),
        # A path that counts before LD_LIBRARY_PATH, where the toolkit has a libtorch_cuda.so for PyTorch for CPUs.
        "-Wl,--disable-new-dtags", f"-Wl,-rpath,{libraries}", f"-Wl,-rpath,{_runtime().parent}",
    ]  # fmt: skip
    text = ninja.shared_object(NAME, dict.fromkeys(sources(torch), ()), compile_flags(torch), link_flags)
    writing.write(folder / "build.ninja", text)
    ninja.run(folder, text=f"building the CUDA device on the CPU for PyTorch {torch.version}, once", tells_pipes=True)
