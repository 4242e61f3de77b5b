"""torchthaw/extension/jit.py: load and load_inline: builds C, C++ and CUDA sources when a program runs, and loads them."""

import ctypes
import importlib.machinery
import importlib.util
import json
import os
import shutil
import sys
import time
import types
from collections.abc import Iterable
from pathlib import Path
from typing import Any, NamedTuple

import cffi

from ..base import cache, toolchain
from ..base.errors import BuildError
from ..header import prototypes
from . import cuda, header_folders, ninja, record
from .arguments import AnyPath, Paths, Texts
from .build import Extension
from .create import OF_REPOSITORY, check, check_ops, paths

Flags = Iterable[str] | None
# What compilers and linkers read of the environment besides the folders of headers.
ALSO_READ = "LIBRARY_PATH", "COMPILER_PATH", "GCC_EXEC_PREFIX", "NVCC_PREPEND_FLAGS", "NVCC_APPEND_FLAGS"


def load(
    name: str, sources: Paths, headers: Paths = (), extra_cflags: Flags = None, extra_cuda_cflags: Flags = None,
    extra_ldflags: Flags = None, extra_include_paths: Iterable[AnyPath] | None = None,
    build_directory: AnyPath | None = None, verbose: bool = False, with_cuda: bool | None = None,
    is_python_module: bool = True, is_standalone: bool = False, keep_intermediates: bool = True, *,
    ops: str | None = None,
) -> Any:  # fmt: skip
    """Builds ``sources`` unless that was done before, and returns a Python module of what C ``headers`` declare.

    name: an identifier, the module's name.
    sources, headers: a path or several, of C, C++ and CUDA files; relative ones start in the current folder. A module
        needs no sources where ``extra_ldflags`` link a library that has the headers' functions.
    extra_cflags, extra_cuda_cflags, extra_ldflags: lists of flags for C and C++, for nvcc, and for the linker.
    extra_include_paths: folders of headers.
    build_directory: the folder of the product and its intermediate files; by default ``name`` in the folder that
        ``TORCH_EXTENSIONS_DIR`` names, else in torchthaw's cache. What is built there is loaded: everybody's folder is
        refused with PermissionError.
    verbose: shows the commands and what they print; else only a failure shows it.
    with_cuda: CUDA's headers and runtime; by default, whether any source is a ``.cu``.
    is_python_module: False loads the library into the process and returns its path; ``headers`` are not needed then.
    is_standalone: builds a program and returns its path; needs ``is_python_module=False``.
    keep_intermediates: False removes all but the product, so that a change compiles everything anew.
    ops: the namespace of the operators that PyTorch gets, by default the module's name.

    The product is used again while the content of the sources and of all that they include, the flags, the compilers
    and the folders that ``CPATH`` and the like name for them are the same. Processes that build at once wait for each
    other. A name that was loaded with other content in this process becomes ``name_v1``, ``name_v2``, …; the earlier
    modules stay as they are.

    Raises BuildError where a compiler fails, TypeError, ValueError and FileNotFoundError for wrong arguments. A tensor,
    or an array of NumPy or another library, may be passed wherever a function takes a pointer to numbers or ``void *``:
    see ``torchthaw.bridge``.
    """
    here = Path.cwd()
    headers, sources = [here / path for path in paths(headers)], [here / path for path in paths(sources)]
    if is_python_module and is_standalone:
        raise ValueError("is_standalone: expected is_python_module=False with it, got is_python_module=True")
    if is_python_module and not headers:
        raise ValueError("headers: expected one or more C headers that declare the module's functions, got none")
    if not sources and not (is_python_module and extra_ldflags):
        instead = "; a module of a library needs none where extra_ldflags link it" if is_python_module else ""
        raise ValueError(f"sources: expected one or more files, got none{instead}")
    kind = "module" if is_python_module else "program" if is_standalone else "library"
    options = _options(
        extra_cflags, extra_cuda_cflags, extra_ldflags, extra_include_paths, with_cuda, sources, verbose, ops
    )
    inputs = {"headers": headers, "sources": sources}
    return _load(name, build_directory, kind, keep_intermediates, options, lambda folder: inputs)


def load_inline(
    name: str, cpp_sources: Texts = (), cuda_sources: Texts = (),
    functions: str | list[str] | tuple[str, ...] | dict[str, str] | None = None, extra_cflags: Flags = None,
    extra_cuda_cflags: Flags = None, extra_ldflags: Flags = None,
    extra_include_paths: Iterable[AnyPath] | None = None, build_directory: AnyPath | None = None,
    verbose: bool = False, with_cuda: bool | None = None, is_python_module: bool = True,
    keep_intermediates: bool = True, *, c_sources: Texts = (), headers: Texts = (), ops: str | None = None,
) -> Any:  # fmt: skip
    """load() with sources that are texts instead of files: a text or several of each language, joined to one file.

    functions: the names of functions that become functions of the module, as a list, or as a dict with their
        docstrings. What they take and return is read from the sources; they are called from C, so their types must be
        C's, and ``extern "C"`` may be left out in C++.
    headers: C text that declares the functions, where their types are defined by the sources themselves; everything
        that it declares is in the module then, and ``functions`` need only name those that have docstrings.

    Other arguments, result and errors are as of load().
    """
    sources = {".c": c_sources, ".cpp": cpp_sources, ".cu": cuda_sources}
    texts = {f"{name}{suffix}": "\n".join(texts_of(given)) for suffix, given in sources.items()}
    texts = {file: text for file, text in texts.items() if text}
    if not texts:
        raise ValueError("cpp_sources, c_sources, cuda_sources: expected the text of one or more sources, got none")
    docs = docs_of(functions)
    interface = "\n".join(texts_of(headers))
    if not interface and docs:
        interface = prototypes.header("\n".join(texts.values()), list(docs))
    if is_python_module and not interface:
        raise ValueError("functions: expected the names of one or more functions, got none, and no headers")
    if interface:
        texts = {file: f'#include "{name}.h"\n{text}' for file, text in texts.items()}

    def write(folder):
        """The sources as files, which are written anew only where they differ."""
        for file, text in {f"{name}.h": interface, **texts}.items():
            ninja.write_if_changed(folder / file, text)
        return {"headers": [folder / f"{name}.h"], "sources": [folder / file for file in texts], "docs": docs}

    options = _options(
        extra_cflags, extra_cuda_cflags, extra_ldflags, extra_include_paths, with_cuda, map(Path, texts), verbose, ops
    )
    kind = "module" if is_python_module else "library"
    return _load(name, build_directory, kind, keep_intermediates, options, write)


def texts_of(given):
    return [given] if isinstance(given, str) else list(given)


def docs_of(functions):
    """``functions`` as name -> docstring or None."""
    if functions is None or isinstance(functions, (str, list, tuple)):
        return dict.fromkeys(texts_of(functions or ()))
    if not isinstance(functions, dict):
        raise TypeError(f"functions: expected a list of names, or a dict from names to docstrings, got {functions!r}")
    return dict(functions)


def _options(cflags, cuda_cflags, ldflags, include_paths, with_cuda, sources, verbose, ops):
    """The keyword arguments of Extension that load and load_inline have in common."""
    given = {
        "extra_cflags": cflags, "extra_cuda_cflags": cuda_cflags, "extra_ldflags": ldflags,
        "extra_include_paths": include_paths,
    }  # fmt: skip
    for argument, value in given.items():
        if isinstance(value, (str, bytes)):
            raise TypeError(f"{argument}: expected a list, got {value!r}")
    has_cuda = any(source.suffix == ".cu" for source in sources)
    if has_cuda and with_cuda is not None and not with_cuda:
        raise ValueError("with_cuda: expected True or None, since sources has CUDA files, got False")
    return {
        "with_cuda": has_cuda if with_cuda is None else bool(with_cuda),
        "extra_compile_args": cuda.compile_args({"cxx": cflags or (), "nvcc": cuda_cflags or ()}),
        "extra_link_args": list(ldflags or ()),
        "include_dirs": [Path.cwd() / folder for folder in include_paths or ()],
        "verbose": verbose,
        "ops": ops,
    }


def build_folder(name, given):
    """(the build directory, the cache that it is in or None)"""
    if given is not None:
        return cache.writable(Path(given).absolute(), "build_directory"), None
    root = os.environ.get("TORCH_EXTENSIONS_DIR")
    if root:
        root = Path(root).expanduser().absolute()
        return root / name, root
    return cache.root() / "extensions" / sys.implementation.cache_tag / name, cache.root()


class _Loaded(NamedTuple):
    """What this process loaded last under a name."""

    version: int
    folder: Path
    kind: str
    record: record.Record
    result: Any


_loaded = {}  # name -> _Loaded


def _load(name, build_directory, kind, keep_intermediates, options, inputs):
    """Builds what is not built yet and loads what is not loaded yet. ``inputs(folder)``: the other options."""
    if not isinstance(name, str) or not name.isidentifier():
        raise ValueError(f"name: expected an identifier, got {name!r}")
    if kind == "module":
        check_ops(options["ops"], name, OF_REPOSITORY)
    folder, root = build_folder(name, build_directory)
    with cache.locked(folder, root, BuildError):
        options = {**options, **inputs(folder)}
        known, version = _loaded.get(name), 0
        if known:
            library = Library(name, folder, kind, options)
            same = (known.folder, known.kind) == (folder, kind)
            if same and known.record.holds(library.facts(), library.compilers()):
                return known.result
            version = known.version + 1
        library = Library(f"{name}_v{version}" if version else name, folder, kind, options)
        made_of = library.make(keep_intermediates)
        result = library.load()
        _loaded[name] = _Loaded(version, folder, kind, made_of, result)
        return result


class Library(Extension):
    """An Extension that is one file: a Python module without a package around it, a plain library, or a program.

    kind: ``"module"``, ``"library"`` or ``"program"``.
    """

    def __init__(self, name, folder, kind, options):
        check(name, options["headers"], options["sources"])
        super().__init__(name, folder, **options)
        self.kind = kind
        self.package = folder
        self.target = folder / (name if kind == "program" else f"{name}.so")
        self.state = folder / f"{name}.build"

    def facts(self):
        return json.dumps([self.kind, super().facts()])

    def compilers(self):
        used = [toolchain.c_compiler(), toolchain.cxx_compiler()]
        if self.options["with_cuda"]:
            used.append([cuda.toolkit().nvcc])
        read = [*header_folders.VARIABLES, *ALSO_READ]
        environment = {name: os.environ[name] for name in read if name in os.environ}
        return [*map(toolchain.identity, used), environment, self.words_of_files()]

    def write_c(self, path):
        try:
            super().write_c(path)
        except (cffi.CDefError, cffi.FFIError) as error:
            argument = "functions" if self.options["docs"] else "headers"
            raise ValueError(f"{argument}: expected C declarations that define their types: {error}") from None

    def make(self, keep_intermediates):
        """Builds unless the product that is there is made of the same; returns its Record."""
        stamp = self.base / f"{self.name}.json"
        facts, compilers, before = self.facts(), self.compilers(), record.read(stamp)
        if before and self.target.exists() and before.holds(facts, compilers):
            return before
        # ninja goes by times and commands, and would take these objects for good.
        if before is None or before.compilers != compilers:
            shutil.rmtree(self.state, ignore_errors=True)
        self.forget_outdated(before)
        if before and before.facts != facts:
            self.forget_product()
        started = time.time_ns()
        self._build()
        stamp.unlink(missing_ok=True)  # the product and its record are never of different builds
        ninja.install(self.state / self.target.name, self.target, places=self.places)
        made_of = record.of(self.state, facts, compilers, started, self.searched())
        if not keep_intermediates:
            shutil.rmtree(self.state)
        made_of.write(stamp)
        return made_of

    def _build(self):
        """Brings the product in the folder of the intermediate files up to date."""
        self.state.mkdir(exist_ok=True)
        generated = [self.generated] if self.kind == "module" else []
        for path in generated:
            self.write_c(path)
            ninja.write_if_changed(self.package / f"{self.name}.pyi", self.stub)
        link = ninja.program if self.kind == "program" else ninja.shared_object
        ninja.write_if_changed(self.state / "build.ninja", self.ninja_text(generated, link))
        ninja.run(self.state, verbose=self.options["verbose"])

    def load(self):
        """The module, or the path of what was built; a plain library is loaded into the process."""
        if self.kind == "program":
            return os.fspath(self.target)
        if self.kind == "library":
            ctypes.CDLL(os.fspath(self.target))
            return os.fspath(self.target)
        from ..library import bind

        # The name that sys.modules has it by; Python calls the PyInit_ of its last part.
        inner = f"{self.name}.{self.module}"
        loader = importlib.machinery.ExtensionFileLoader(inner, os.fspath(self.target))
        extension = importlib.util.module_from_spec(importlib.util.spec_from_loader(inner, loader))
        loader.exec_module(extension)
        module = types.ModuleType(self.name)
        module.__file__ = os.fspath(self.target)
        module.__all__ = bind(vars(module), extension, module)
        return module
