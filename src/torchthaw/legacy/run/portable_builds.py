"""torchthaw/legacy/run/portable_builds.py: torch.utils.cpp_extension builds with torchthaw's own headers: run --portable.

``TORCHTHAW_PORTABLE`` says so in every process that ``run --portable`` starts. CppExtension stays PyTorch's: what it adds
of PyTorch is not used.
"""

import copy
import inspect
import os
import sys
from functools import wraps
from pathlib import Path

from ...base import printing
from ...base.errors import BuildError
from ..patching import Change

KEY = "portable builds"  # in patches.OF_MODULE
MODES = ("1", "auto")
# What a portable build raises where PyTorch's own headers may do better.
REFUSED = (BuildError, ValueError, ImportError, FileNotFoundError)
INSTEAD = "torchthaw: {name}: built with PyTorch's own headers, for this PyTorch alone: {reason}"


def mode():
    """What TORCHTHAW_PORTABLE asks for: ``"1"``, ``"auto"``, or ``""`` for PyTorch's own headers. ValueError for others."""
    given = os.environ.get("TORCHTHAW_PORTABLE", "")
    if given not in ("", "0", *MODES):
        raise ValueError(f"TORCHTHAW_PORTABLE: expected 0, 1 or auto, got {given!r}")
    return given if given in MODES else ""


def portable():
    """The changes of the patch."""
    import torch.utils.cpp_extension as module

    command = module.BuildExtension
    yield Change(command, "finalize_options", _finalizing(command.finalize_options))
    yield Change(command, "build_extensions", _building(command.build_extensions))
    yield Change(command, "run", _running(command.run))
    for name in ("load", "load_inline"):
        yield Change(module, name, _loading(name, getattr(module, name)))
    if mode() == "1":  # auto may need PyTorch's; a portable build does not use them
        yield Change(module, "include_paths", _include_paths(module.include_paths))


# ---- BuildExtension -------------------------------------------------------------------------------------------------


def _finalizing(finalize):
    @wraps(finalize)
    def finalize_options(self):
        for extension in self.distribution.ext_modules or ():
            if _is_served(extension):  # names the file NAME.abi3.so
                vars(extension).setdefault("limited_api_of_project", extension.py_limited_api)
                extension.py_limited_api = True
        finalize(self)

    return finalize_options


def _building(build):
    @wraps(build)
    def build_extensions(self):
        from ...portable import setuptools

        extensions, left = self.extensions, []
        for extension in extensions:
            if not _is_served(extension):
                left.append(extension)
                continue
            try:
                setuptools.make(self, _current(extension))
            except REFUSED as error:
                _refuse(extension.name, error, setuptools.CompileError)
                extension.py_limited_api = extension.limited_api_of_project
                left.append(extension)
        self.extensions = left
        try:
            if left:
                build(self)
        finally:
            self.extensions = extensions

    return build_extensions


def _current(extension):
    """The extension, whose flags for nvcc are without what this nvcc dropped."""
    from ...extension import cuda

    args = cuda.compile_args(extension.extra_compile_args)
    found = copy.copy(extension)
    found.extra_compile_args = {**args, "nvcc": _of_this_nvcc(args["nvcc"])}
    return found


def _of_this_nvcc(words):
    """Flags of a project for nvcc, without what this nvcc dropped, which is said. FileNotFoundError without a toolkit."""
    from ...extension import cuda
    from ..cpp import nvcc

    kept, changes = nvcc.current(words, cuda.toolkit()) if words else ([], [])
    for change in changes:
        printing.show(f"torchthaw: nvcc: {change}", sys.stderr)
    return kept


def _running(run):
    @wraps(run)
    def tagged(self):
        from ...portable import setuptools

        run(self)
        setuptools.tag(self.distribution)

    return tagged


def _is_served(extension):
    """Whether a portable build is to be tried: one of C++ and CUDA that names PyTorch's headers, or torchthaw's own."""
    from ...portable import build, headers, project_flags

    sources = [Path(source) for source in extension.sources]
    own = str(headers.OWN)
    sees = any(project_flags.is_of_pytorch(folder) or str(folder) == own for folder in extension.include_dirs)
    return sees and all(source.suffix in (*build.C_SUFFIXES, ".cu") for source in sources)


# ---- load, load_inline, include_paths ---------------------------------------------------------------------------------


def _loading(name, function):
    signature = inspect.signature(function)

    @wraps(function)
    def load(*args, **kwargs):
        from ...portable import jit

        own = getattr(jit, name)
        served = inspect.signature(own).parameters
        arguments = signature.bind(*args, **kwargs).arguments
        try:
            others = [argument for argument, value in arguments.items() if argument not in served and value]
            if others:
                raise ValueError(f"{others[0]}: expected nothing for a portable build, got {arguments[others[0]]!r}")
            if flags := arguments.get("extra_cuda_cflags"):
                arguments["extra_cuda_cflags"] = _of_this_nvcc(list(flags))
            return own(**{argument: value for argument, value in arguments.items() if argument in served})
        except REFUSED as error:
            if mode() != "auto":
                raise
            _say(arguments["name"], _reason(error))
        return function(*args, **kwargs)

    return load


def _include_paths(function):
    @wraps(function)
    def include_paths(*args, **kwargs):
        from ...portable import build

        return build.include_paths()

    return include_paths


# ---- What is said -----------------------------------------------------------------------------------------------------


def _refuse(name, error, kind):
    """Says why a portable build failed where ``auto`` goes on without it; else raises ``kind``."""
    if mode() != "auto":
        raise kind(f"{name}: {error}") from None
    _say(name, _reason(error))


def _reason(error):
    names = getattr(error, "names", None)
    if names:
        more = f" and {len(names) - 1} more" if len(names) > 1 else ""
        return f"{names[0]}{more} not served by torchthaw's headers"
    lines = str(error).splitlines() or [type(error).__name__]
    return next((line for line in lines if " error: " in line), lines[0])


def _say(name, reason):
    printing.show(printing.one_line(INSTEAD.format(name=name, reason=reason)), sys.stderr)
