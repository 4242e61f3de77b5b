"""torchthaw/legacy/cpp/cpp_extension.py: torch.utils.cpp_extension compiles what was written for PyTorch 0.4 to 1.10.

Such sources include headers and use names that PyTorch no longer has, and ask for a C++ standard and for GPUs that are
too old. The folder ``torchthaw_aten`` has the headers; it comes last of the project's own. Flags go through PyTorch's
own arguments, so that a project which needs nothing of this compiles to the same object code. Each flag that is
replaced is a line on stderr.
"""

import contextlib
import inspect
import os
import sys
from functools import cache, wraps
from pathlib import Path
from types import ModuleType
from typing import NamedTuple

from ... import cuda_on_cpu
from ...base import config, reading, toolchain
from ...extension import cuda, nvidia_packages
from ..patching import Change
from . import (
    aten_names,
    cuda_sources,
    cxx_standard,
    cython_output,
    host_compiler,
    loaded_modules,
    moved_headers,
    numpy_names,
    nvcc,
    pybind11_headers,
)

MOST = 64 << 20  # bytes of a source that is read
C_SOURCES = (".c", ".cc", ".cpp", ".cxx", ".cu", ".h", ".hpp", ".cuh")


def headers():
    """The folder of ``TH/TH.h`` and ``THC/THC.h`` over ATen."""
    return config.my_lib_includes() / "torchthaw_aten"


def include_dirs(given, extension):
    """``given``, folders of headers, and ours last: with TH and THC, which were among PyTorch's until 1.10, and the
    headers that have another name today.

    A pybind11 for this Python is first, where theirs is too old. PyTorch's headers for CUDA on the CPU come before
    ``given``, which has PyTorch's own folder.
    """
    first, changes = pybind11_headers.before(given)
    for change in changes:
        _tell(f"torchthaw: {extension}: {change}")
    own = [headers() / folder for folder in ("", "TH", "THC")]
    try:
        own.append(moved_headers.folder())
    except OSError as error:  # most projects include none of them
        _tell(f"torchthaw: {extension}: {error}; headers by old names, such as ATen/Type.h, are not found")
    return [*map(os.fspath, first), *cuda_on_cpu.include_dirs(), *given, *map(os.fspath, own)]


def flags(given, extension, folders=None):
    """``given`` for a C++ compiler: with the standard that PyTorch needs, and the header of removed names.

    extension: its name, for the lines about what was replaced. folders: those of headers that the compiler is given; the
    flags stay as they are where PyTorch's is not among them. Without them it is that of the installed PyTorch.
    """
    return [*_with_current_standard(given, extension, folders), *_removed_names(folders)]


def nvcc_flags(given, extension, folders=None, sources=()):
    """The same for nvcc, with the calls that CUDA dropped, and without GPUs that it cannot build for.

    Where none is left, PyTorch chooses.
    """
    try:
        toolkit = cuda.toolkit()
    except FileNotFoundError:
        return flags(given, extension, folders)
    words, changes = nvcc.current(_with_current_standard(given, extension, folders, of_nvcc=True), toolkit)
    seen = cxx_standard.installed() if folders is None else folders
    words, raised = cxx_standard.for_nvcc(words, toolkit.version, seen, sources)
    # PyTorch's builds pass CC on to nvcc.
    compiler, told = ([], []) if os.environ.get("CC") else host_compiler.flags(words, toolkit)
    for change in [*changes, *raised, *told]:
        _tell(f"torchthaw: nvcc: {change}")
    return [*words, *compiler, *_by_path(nvcc.of_device(words)), *_removed_names(folders)]


def _removed_names(folders):
    return ["-include", os.fspath(headers() / "removed.h")] if folders is None or sees_pytorch(folders) else []


def sees_pytorch(folders):
    """Whether a compiler that is given these folders of headers finds PyTorch's."""
    return any(map(cxx_standard.is_of_pytorch, folders))


def targets(words):
    """The flags for what nvcc builds for where ``words`` do not say it, and PyTorch finds neither a card nor a list.

    PyTorch looks for its own answer unless some flag has "arch" in it, and fails where no card is.
    """
    import torch

    is_chosen = os.environ.get("TORCH_CUDA_ARCH_LIST", "native") != "native" or any("arch" in word for word in words)
    if is_chosen or config.cuda_is_cpu() or torch.cuda.device_count():
        return []
    try:
        toolkit = cuda.toolkit()
    except FileNotFoundError:
        return []  # the build says so
    chosen = cuda.for_cards(cuda.visible(toolkit), toolkit.architectures)
    _tell(f"torchthaw: nvcc: no GPU for PyTorch here, and no TORCH_CUDA_ARCH_LIST: built for {' '.join(chosen)}")
    return cuda.gencode(chosen)


def say_what_cannot_run(name):
    """Of CUDA code that is to run in this process: says that PyTorch finds no GPU, where launches fail and nobody looks.

    RuntimeError where PyTorch itself has no CUDA: nothing could be linked.
    """
    import torch

    if config.cuda_is_cpu() or torch.cuda.device_count():
        return
    remedy = "TORCHTHAW_CUDA=cpu runs CUDA code on the CPU"
    if not (torch.version.cuda or torch.version.hip):
        raise RuntimeError(f"{name}: expected a PyTorch with CUDA for CUDA sources, got {torch.__version__}: {remedy}")
    _tell(f"torchthaw: {name}: PyTorch finds no GPU, so no kernel can run; {remedy}")


def _by_path(words):
    """The headers of THC by their paths: this kind of extension has no folder of them."""
    return [os.fspath(config.includes() / word) if word.startswith("THC/") else word for word in words]


def _with_current_standard(given, extension, folders, of_nvcc=False):
    least = cxx_standard.needed() if folders is None else max(map(cxx_standard.of_headers, folders), default=0)
    words, changes = cxx_standard.current(_as_list(given), least, of_nvcc=of_nvcc)
    for change in changes:
        _tell(f"torchthaw: {extension}: {change}")
    return words


@cache  # a line once: the flags of the C++ compiler and nvcc, and those of several extensions, may be the same
def _tell(line):
    print(line, file=sys.stderr)


# ---- What CUDA sources need besides ----------------------------------------------------------------------------------


class Needs(NamedTuple):
    """Flags of the C++ compiler and of nvcc, and folders of libraries."""

    cxx: list
    nvcc: list
    library_dirs: list


def needs(sources, folders, with_cuda=False):
    """The Needs of these sources; none without CUDA. Prints a sentence about each cause that will make them fail."""
    with_cuda = with_cuda or _on_gpu(sources)
    if not with_cuda and not any((Path(folder) / "cuda_runtime.h").exists() for folder in folders):
        return Needs([], [], [])
    try:
        toolkit = cuda.toolkit()
    except FileNotFoundError:
        return Needs([], [], [])
    if with_cuda:
        _list_architectures(toolkit)
    packages = nvidia_packages.headers(toolkit)
    late = [toolkit.include / "cccl", *packages]  # the first has Thrust and CUB since CUDA 13; nvcc knows it
    found = cuda_sources.Sources(sources, folders)
    found.tell(toolkit, late)
    return Needs(
        [*_after(late), *_by_path(nvcc.removed_calls_of_host(toolkit)), *found.properties(toolkit, of_device=False)],
        [*nvcc.late(packages), *found.flags(toolkit)],
        [os.fspath(include.with_name("lib")) for include in packages],
    )


def _list_architectures(toolkit):
    given = os.environ.get("TORCH_CUDA_ARCH_LIST")
    if given:
        os.environ["TORCH_CUDA_ARCH_LIST"], changes = nvcc.listed(given, toolkit)
        for change in changes:
            _tell(f"torchthaw: nvcc: {change}")


def _after(folders):
    return [word for folder in folders if folder.is_dir() for word in ("-idirafter", os.fspath(folder))]


def _on_gpu(sources):
    return any(Path(source).suffix == ".cu" for source in sources)


# ---- setup.py: what BuildExtension, and setuptools' own build_ext, build ---------------------------------------------


def adapt(extension, folders=()):
    """Gives a setuptools Extension the folder and the flags, if its compilers see PyTorch's headers.

    folders: those of headers that the command build_ext has for all. Of an extension that does not see PyTorch's, only
    CUDA code changes, and NumPy 1's names are found.
    """
    given, name, seen = extension.extra_compile_args, extension.name, _seen(extension, folders)
    extension.include_dirs = numpy_names.first(extension.include_dirs, seen)
    needed = needs(extension.sources, extension.include_dirs)
    if sees_pytorch(seen):
        extension.include_dirs = include_dirs(extension.include_dirs, name)
    elif not any(needed) and not _on_gpu(extension.sources):
        return
    extension.library_dirs = [*extension.library_dirs, *needed.library_dirs]
    if _on_gpu(extension.sources) and not isinstance(given, dict):
        given = {"cxx": given, "nvcc": given}
    if isinstance(given, dict):
        cxx, device = flags(given.get("cxx"), name, seen), nvcc_flags(given.get("nvcc"), name, seen, extension.sources)
        device += targets(device) if _on_gpu(extension.sources) else []
        given = {**given, "cxx": [*cxx, *needed.cxx], "nvcc": [*device, *needed.nvcc]}
    else:
        given = [*flags(given, name, seen), *needed.cxx]
    extension.extra_compile_args = given


def _seen(extension, folders):
    """All folders of headers that compilers are given for an extension."""
    given = extension.extra_compile_args
    words = [word for each in (given.values() if isinstance(given, dict) else [given]) for word in _as_list(each)]
    return [*extension.include_dirs, *folders, *cxx_standard.folders(words), *cxx_standard.of_environment()]


def _building(build):
    @wraps(build)
    def build_extensions(self):
        for extension in self.extensions:
            cython_output.renew(extension, self.build_temp, _tell)
            adapt(extension, self.include_dirs or ())
        with explained(self.extensions):
            return build(self)

    return build_extensions


@contextlib.contextmanager
def explained(extensions):
    """Says why a build fails: a tool that is missing is the whole message; else what is gone is named before PyTorch's."""
    try:
        yield
    except BaseException as error:
        missing = toolchain.missing() if isinstance(error, Exception) else ""
        if missing:
            from distutils.errors import DistutilsSetupError  # setup() prints it as one line

            raise DistutilsSetupError(f"torchthaw: {missing}") from None
        for line in explain(source for extension in extensions for source in extension.sources):
            print(line, file=sys.stderr)
        raise


def _compiling(compile):
    @wraps(compile)
    def build_extension(self, extension):
        of_pytorch = sys.modules.get("torch.utils.cpp_extension")
        if of_pytorch and isinstance(self, of_pytorch.BuildExtension):  # which did it for all
            return compile(self, extension)
        cython_output.renew(extension, self.build_temp, _tell)
        seen = _seen(extension, self.include_dirs or ())
        if sees_pytorch(seen):
            adapt(extension, self.include_dirs or ())
        else:
            extension.include_dirs = numpy_names.first(extension.include_dirs, seen)
        with explained([extension]):
            return compile(self, extension)

    return build_extension


def _copying(copy):
    """copy_file of build_ext --inplace, where the folder of the extension's package is not there."""

    @wraps(copy)
    def copy_file(self, infile, outfile, *args, **kwargs):
        folder = os.path.dirname(outfile)
        if folder and not os.path.isdir(folder):
            os.makedirs(folder, exist_ok=True)
            _tell(f"torchthaw: {os.path.basename(infile)}: made the folder {folder}, which was not there")
        return copy(self, infile, outfile, *args, **kwargs)

    return copy_file


def build_ext():
    """The changes of the patch of that name: setuptools' class and that of Cython inherit the methods."""
    module = sys.modules.get("distutils.command.build_ext")
    if module:
        yield Change(module.build_ext, "build_extension", _compiling(module.build_ext.build_extension))
        yield Change(module.build_ext, "copy_file", _copying(module.build_ext.copy_file))


# ---- load, load_inline ----------------------------------------------------------------------------------------------


def _loading(function):
    signature = inspect.signature(function)

    @wraps(function)
    def load(*args, **kwargs):
        bound = signature.bind(*args, **kwargs)
        given = bound.arguments
        name = given["name"]
        folders, with_cuda = _as_list(given.get("extra_include_paths")), bool(given.get("with_cuda"))
        sources = _as_list(given.get("sources"))
        with_cuda = with_cuda or bool(given.get("cuda_sources")) or _on_gpu(sources)
        if with_cuda:
            say_what_cannot_run(name)
        needed = needs(sources, folders, with_cuda)
        given["extra_cflags"] = [*flags(given.get("extra_cflags"), name), *needed.cxx]
        device = nvcc_flags(given.get("extra_cuda_cflags"), name, sources=sources)
        given["extra_cuda_cflags"] = [*device, *(targets(device) if with_cuda else []), *needed.nvcc]
        given["extra_include_paths"] = include_dirs(numpy_names.first(folders, folders), name)
        given["extra_ldflags"] = [*(given.get("extra_ldflags") or ()), *(f"-L{each}" for each in needed.library_dirs)]
        try:
            made = function(*bound.args, **bound.kwargs)
        except RuntimeError as error:
            lines = [*filter(None, [toolchain.missing()]), *explain(_as_list(given.get("sources")))]
            if lines:
                error.args = ("\n".join([str(error), *lines]),)
            raise
        if isinstance(made, ModuleType):
            loaded_modules.keep(name, made)
        return made

    return load


def _as_list(value):
    return [value] if isinstance(value, (str, os.PathLike)) else list(value or ())


def _of_cuda(function):
    """``include_paths(cuda=True)``, also by position, as until PyTorch 2.5."""

    @wraps(function)
    def paths(device_type="cpu", *args, cuda=None, **kwargs):
        given = device_type if isinstance(device_type, bool) else cuda
        if given is not None:
            device_type = "cuda" if given else "cpu"
        return function(device_type, *args, **kwargs)

    return paths


def cpp_extension():
    """The changes of the patch."""
    import torch.utils.cpp_extension as module

    build = module.BuildExtension
    yield Change(build, "build_extensions", _building(build.build_extensions))
    for name in ("load", "load_inline"):
        yield Change(module, name, _loading(getattr(module, name)))
    for name in ("include_paths", "library_paths"):
        if "cuda" not in inspect.signature(getattr(module, name)).parameters:
            yield Change(module, name, _of_cuda(getattr(module, name)))


# ---- What a failed build is about -----------------------------------------------------------------------------------


def explain(sources):
    """A line for each name in ``sources``, or in headers beside them, that nothing here, in PyTorch or in NumPy has."""
    found = {}
    for source in sources:
        for path in sorted(Path(source).parent.glob("*")):
            if path.suffix in C_SOURCES and (path == Path(source) or path.suffix.startswith((".h", ".cuh"))):
                found[path] = None
    lines = []
    for path in found:
        try:
            text = reading.read_bytes(path, MOST).decode(errors="replace")
        except reading.Unreadable:
            continue
        lines += [
            f"torchthaw: {path}:{line}: {name}: {gone}; instead: {instead}"
            for line, name, gone, instead in aten_names.gone(text)
        ]
        lines += [
            f"torchthaw: {path}:{line}: {name}: NumPy 2 has it no more; instead: {numpy_names.INSTEAD}"
            for line, name in numpy_names.gone(cuda_sources.without_comments(text))
            if numpy_names.NOT_SERVED.match(name)
        ]
    return lines
