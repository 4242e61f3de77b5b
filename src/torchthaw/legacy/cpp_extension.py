"""torchthaw/legacy/cpp_extension.py: torch.utils.cpp_extension compiles what was written for PyTorch 0.4 to 1.10.

Such sources include headers and use names that PyTorch no longer has, and ask for a C++ standard and for GPUs that are
too old. The folder ``torchthaw_aten`` has the headers; it comes last of the project's own. Flags go through PyTorch's
own arguments, so that a project which needs nothing of this compiles to the same object code. Each flag that is
replaced is a line on stderr.
"""

import inspect
import os
import sys
from functools import cache, wraps
from pathlib import Path

from ..base import config
from ..extension import cuda
from . import aten_names, cxx_standard, nvcc
from .patching import Change

C_SOURCES = (".c", ".cc", ".cpp", ".cxx", ".cu", ".h", ".hpp", ".cuh")


def headers():
    """The folder of ``TH/TH.h`` and ``THC/THC.h`` over ATen."""
    return config.my_lib_includes() / "torchthaw_aten"


def flags(given, extension):
    """``given`` for a C++ compiler: with the standard that PyTorch needs, and the header of removed names.

    extension: its name, for the lines about what was replaced.
    """
    return [*_with_current_standard(given, extension), "-include", os.fspath(headers() / "removed.h")]


def nvcc_flags(given, extension):
    """The same for nvcc, with the calls that CUDA dropped, and without GPUs that it cannot build for.

    Where none is left, PyTorch chooses.
    """
    try:
        toolkit = cuda.toolkit()
    except FileNotFoundError:
        return flags(given, extension)
    words, changes = nvcc.current(_with_current_standard(given, extension), toolkit)
    for change in changes:
        print(f"torchthaw: nvcc: {change}", file=sys.stderr)
    removed = [
        os.fspath(config.includes() / word) if word.startswith("THC/") else word for word in nvcc.removed_calls(words)
    ]
    return [*words, *removed, "-include", os.fspath(headers() / "removed.h")]


def _with_current_standard(given, extension):
    words, changes = cxx_standard.current(_as_list(given), cxx_standard.needed())
    for change in changes:
        _tell(f"torchthaw: {extension}: {change}")
    return words


@cache  # once for the flags of the C++ compiler and those of nvcc
def _tell(line):
    print(line, file=sys.stderr)


# ---- setup.py: what BuildExtension builds ---------------------------------------------------------------------------


def adapt(extension):
    """Gives a setuptools Extension the folder and the flags."""
    extension.include_dirs = [*extension.include_dirs, os.fspath(headers())]
    given, name = extension.extra_compile_args, extension.name
    if isinstance(given, dict):
        cxx, device = flags(given.get("cxx"), name), nvcc_flags(given.get("nvcc"), name)
        extension.extra_compile_args = {**given, "cxx": cxx, "nvcc": device}
    else:
        on_gpu = any(Path(source).suffix == ".cu" for source in extension.sources)
        extension.extra_compile_args = nvcc_flags(given, name) if on_gpu else flags(given, name)


def _building(build):
    @wraps(build)
    def build_extensions(self):
        for extension in self.extensions:
            adapt(extension)
        try:
            return build(self)
        except BaseException:
            for line in explain(source for extension in self.extensions for source in extension.sources):
                print(line, file=sys.stderr)
            raise

    return build_extensions


# ---- load, load_inline ----------------------------------------------------------------------------------------------


def _loading(function):
    signature = inspect.signature(function)

    @wraps(function)
    def load(*args, **kwargs):
        bound = signature.bind(*args, **kwargs)
        given = bound.arguments
        name = given["name"]
        given["extra_cflags"] = flags(given.get("extra_cflags"), name)
        given["extra_cuda_cflags"] = nvcc_flags(given.get("extra_cuda_cflags"), name)
        given["extra_include_paths"] = [*_as_list(given.get("extra_include_paths")), os.fspath(headers())]
        try:
            return function(*bound.args, **bound.kwargs)
        except RuntimeError as error:
            lines = explain(_as_list(given.get("sources")))
            if lines:
                error.args = ("\n".join([str(error), *lines]),)
            raise

    return load


def _as_list(value):
    return [value] if isinstance(value, (str, os.PathLike)) else list(value or ())


def cpp_extension():
    """The changes of the patch."""
    import torch.utils.cpp_extension as module

    build = module.BuildExtension
    yield Change(build, "build_extensions", _building(build.build_extensions))
    for name in ("load", "load_inline"):
        yield Change(module, name, _loading(getattr(module, name)))


# ---- What a failed build is about -----------------------------------------------------------------------------------


def explain(sources):
    """A line for each name in ``sources``, or in headers beside them, that nothing here or in PyTorch has."""
    files = {}
    for source in sources:
        for path in sorted(Path(source).parent.glob("*")):
            if path.suffix in C_SOURCES and (path == Path(source) or path.suffix.startswith((".h", ".cuh"))):
                files[path] = None
    lines = []
    for path in files:
        try:
            text = path.read_text(errors="replace")
        except OSError:
            continue
        lines += [
            f"torchthaw: {path}:{line}: {name}: {gone}; instead: {instead}"
            for line, name, gone, instead in aten_names.gone(text)
        ]
    return lines
