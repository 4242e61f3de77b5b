"""torchthaw/portable/flags.py: the flags that every portable extension and its runtime library are compiled with."""

import functools
import os

from ..base import child, toolchain

STANDARD = "-std=c++17"
LIMITED_API = "-DPy_LIMITED_API=0x030a0000"  # the interface of CPython 3.10
COMMON = [
    "-O2", "-DNDEBUG", "-fPIC", "-fvisibility=hidden", "-ffunction-sections", "-fdata-sections", LIMITED_API,
    "-DTORCH_API_INCLUDE_EXTENSION_H",
]  # fmt: skip
CXX = ["-fvisibility-inlines-hidden", "-fno-gnu-unique"]
OPENMP = "-fopenmp"
# Those of CUDA: as PyTorch's, without CUDA's own operators of half-precision numbers, which those of c10::Half contradict.
CUDA = [
    "-D__CUDA_NO_HALF_OPERATORS__", "-D__CUDA_NO_HALF_CONVERSIONS__", "-D__CUDA_NO_BFLOAT16_CONVERSIONS__",
    "-D__CUDA_NO_HALF2_OPERATORS__", "--expt-relaxed-constexpr",
]  # fmt: skip
# Of a project's flags, those that the runtime library needs too: they change the layout of types, or what is linked.
OF_ALL = ("-fsanitize", "-D_GLIBCXX", "-U_GLIBCXX", "-stdlib=", "-m32", "-m64", "--coverage")


OF_NVCC = ("-D", "-I", "-std=", "-w")


def common():
    """The flags of C and C++ in every file. Pragmas of OpenMP count where a project asks for them, as in PyTorch's build."""
    return [*COMMON, f"-I{toolchain.python_include()}"]


def cxx():
    """Those of C++ alone. clang has no -fno-gnu-unique, and makes no such symbols."""
    return [flag for flag in CXX if _is_accepted(tuple(toolchain.cxx_compiler()), flag)]


def of_nvcc(words):
    """The flags of C++ and CUDA for nvcc: those that it does not know are for its C++ compiler."""
    kept = [[word] if word.startswith(OF_NVCC) else ["-Xcompiler", word] for word in [*words, *cxx()]]
    return [*CUDA, *(word for words in kept for word in words)]


def openmp():
    """-fopenmp for the linker, which leaves the library out where nothing needs it; none where the compiler has none."""
    return [OPENMP] if _is_accepted(tuple(toolchain.cxx_compiler()), OPENMP) else []


def of_all(words):
    """Those of a project's flags with which the runtime library must be compiled too."""
    return [word for word in words if word.startswith(OF_ALL)]


@functools.lru_cache(maxsize=None)
def _is_accepted(compiler, flag):
    """Whether the compiler makes a shared object with this flag."""
    command = [*compiler, flag, "-fPIC", "-shared", "-x", "c++", os.devnull, "-o", os.devnull]
    return child.answer(command, check=False).status == 0
