"""torchthaw/selftest/facts.py: the versions and settings that a report of a fault needs."""

import importlib.metadata
import os
import platform
import sys

from ..base import child, config, toolchain
from ..base.errors import BuildError

PACKAGES = "torch", "numpy", "cffi", "setuptools", "ninja", "fissix"
# Variables that change what is built or run, besides those that begin with TORCHTHAW_.
VARIABLES = (
    "CC", "CXX", "CFLAGS", "CXXFLAGS", "CPPFLAGS", "LDFLAGS", "CPATH", "CUDA_HOME", "CUDA_PATH", "TORCH_CUDA_ARCH_LIST",
    "TORCH_EXTENSIONS_DIR", "MAX_JOBS", "MY_LIB_CPU", "THAW_BLAS", "OMP_NUM_THREADS", "LD_PRELOAD", "LD_LIBRARY_PATH",
    "PYTHONPATH", "LC_ALL", "LANG",
)  # fmt: skip


def lines():
    """A line for each."""
    yield f"torchthaw: {config.__version__} in {config.PACKAGE}{', a checkout' if config.checkout() else ''}"
    yield f"Python: {sys.version.split()[0]} ({platform.python_implementation()}) {sys.executable}"
    yield f"system: {platform.platform()}, {platform.machine()}, {os.cpu_count()} cores, {'-'.join(platform.libc_ver())}"
    for name in PACKAGES:
        yield f"{name}: {version(name)}"
    for what, find in (("C compiler", toolchain.c_compiler), ("C++ compiler", toolchain.cxx_compiler)):
        yield f"{what}: {first_line(find)}"
    yield f"my_lib: {build_info()}"
    for name in sorted(os.environ):
        if name.startswith("TORCHTHAW_") or name in VARIABLES:
            yield f"{name}={os.environ[name]}"


def version(package):
    """The installed version of a package."""
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return "not installed"


def first_line(find):
    """What a compiler says of itself."""
    try:
        command = find()
        said = child.answer([*command, "--version"], check=False, seconds=20)
        return f"{' '.join(command)}: {(said.out or said.err).partition(chr(10))[0]}"
    except (OSError, BuildError) as error:
        return str(error)


def build_info():
    """What the library of operators says of itself."""
    import ctypes

    try:
        library = ctypes.CDLL(os.fspath(config.library("my_lib")))
        library.my_lib_build_info.restype = ctypes.c_char_p
        return library.my_lib_build_info().decode()
    except OSError as error:
        return str(error)
