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
    """The extension with what `run` adds for CUDA code: calls that CUDA dropped, and no GPU that this nvcc does not know."""
    from ...extension import cuda
    from ...portable import project_flags
    from ..cpp import cpp_extension

    args, folders = cuda.compile_args(extension.extra_compile_args), project_flags.include_dirs(extension.include_dirs)
    needed = cpp_extension.needs(extension.sources, folders, project_flags.names_cuda(extension.libraries))
    of_nvcc = _of_nvcc(args["nvcc"], extension.name, folders, extension.sources)
    found = copy.copy(extension)
    found.extra_compile_args = {**args, "cxx": [*args["cxx"], *needed.cxx], "nvcc": [*of_nvcc, *needed.nvcc]}
    return found


def _of_nvcc(words, name, folders, sources):
    """A project's flags for nvcc, and those that `run` adds; none where no source is CUDA's."""
    from ..cpp import cpp_extension

    if not any(os.fspath(source).endswith(".cu") for source in sources):
        return []
    return cpp_extension.nvcc_flags(list(words or ()), name, folders, sources)


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
        from ...extension.create import paths
        from ...portable import jit

        own = getattr(jit, name)
        served = inspect.signature(own).parameters
        arguments = signature.bind(*args, **kwargs).arguments
        try:
            others = [argument for argument, value in arguments.items() if argument not in served and value]
            if others:
                raise ValueError(f"{others[0]}: expected nothing for a portable build, got {arguments[others[0]]!r}")
            sources = ["cuda.cu"] if arguments.get("cuda_sources") else paths(arguments.get("sources") or ())
            if flags := _of_nvcc(arguments.get("extra_cuda_cflags"), arguments["name"], [], sources):
                arguments["extra_cuda_cflags"] = flags
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
