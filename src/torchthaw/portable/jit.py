"""torchthaw/portable/jit.py: load and load_inline of torch.utils.cpp_extension, against torchthaw's own headers."""

import os
import shlex
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from ..base import cache
from ..base.errors import BuildError
from ..extension import jit, ninja
from ..extension.arguments import AnyPath, Paths, Texts
from . import build

Flags = Iterable[str] | None
# What the files of load_inline begin with.
INCLUDES = {
    "main.cpp": ["#include <torch/extension.h>"],
    "cuda.cu": ["#include <torch/types.h>", "#include <cuda.h>", "#include <cuda_runtime.h>"],
}

_loaded = {}  # name -> (version, folder, record, result) of what this process loaded last


def load(
    name: str, sources: Paths, extra_cflags: Flags = None, extra_cuda_cflags: Flags = None,
    extra_ldflags: Flags = None, extra_include_paths: Iterable[AnyPath] | None = None,
    build_directory: AnyPath | None = None, verbose: bool = False, with_cuda: bool | None = None,
    is_python_module: bool = True, is_standalone: bool = False, keep_intermediates: bool = True,
) -> Any:  # fmt: skip
    """Builds C++ and CUDA ``sources`` of torch.utils.cpp_extension unless that was done before, and returns the Python module.

    name: an identifier, the module's name. sources: a path or several; relative ones start in the current folder.
    extra_cflags, extra_cuda_cflags, extra_ldflags, extra_include_paths: lists, for the C++ compiler, nvcc and the linker.
        Folders and libraries of PyTorch among them are not used.
    build_directory: the folder of the product; by default one in ``TORCH_EXTENSIONS_DIR``, else in torchthaw's cache.
    verbose: shows the commands and what they print.
    is_python_module: False loads a library of operators, for torch.ops, and returns its path.
    keep_intermediates: False removes all but the product.
    with_cuda: True for C++ that calls CUDA's runtime; a source ``.cu`` says it itself. ``TORCHTHAW_CUDA=cpu`` builds for
        torchthaw's device on the CPU.
    is_standalone: only False is served.

    The product is used again while sources, all that they include, flags and compilers are the same. A name that was
    loaded with other content in this process becomes ``name_v1``, ``name_v2``, …

    Raises BuildError where a compiler fails: NotServed of torchthaw.portable.unserved, with ``names``, where the headers
    lack some. Raises TypeError, ValueError and FileNotFoundError for wrong arguments, FileNotFoundError for CUDA code
    without a toolkit.
    """
    if is_standalone:
        raise ValueError("is_standalone: expected False, got True: torchthaw.portable makes modules and libraries only")
    sources = [Path.cwd() / path for path in jit.paths(sources)]
    if not sources:
        raise ValueError("sources: expected one or more files, got none")
    options = _options(extra_cflags, extra_cuda_cflags, extra_ldflags, extra_include_paths, with_cuda, verbose)
    return _load(name, build_directory, is_python_module, keep_intermediates, options, lambda folder: sources)


def load_inline(
    name: str, cpp_sources: Texts, cuda_sources: Texts | None = None,
    functions: str | list[str] | dict[str, str] | None = None, extra_cflags: Flags = None,
    extra_cuda_cflags: Flags = None, extra_ldflags: Flags = None,
    extra_include_paths: Iterable[AnyPath] | None = None, build_directory: AnyPath | None = None,
    verbose: bool = False, with_cuda: bool | None = None, is_python_module: bool = True,
    with_pytorch_error_handling: bool = True, keep_intermediates: bool = True, use_pch: bool = False,
    no_implicit_headers: bool = False,
) -> Any:  # fmt: skip
    """load() with texts of C++ and CUDA, a text or several of each, joined to one file for each of the two languages.

    The C++ file begins with ``#include <torch/extension.h>``, that of CUDA with ``#include <torch/types.h>``, ``<cuda.h>``
    and ``<cuda_runtime.h>``.

    functions: names of functions that become functions of the module, as a list, or as a dict with their docstrings.
    no_implicit_headers: True leaves these lines out.
    with_pytorch_error_handling, use_pch: not used; errors are PyTorch's in any case, and headers are compiled each time.
    """
    texts = {"main.cpp": [*jit.texts_of(cpp_sources), *_module(functions)], "cuda.cu": jit.texts_of(cuda_sources or ())}
    files = {
        name: "\n".join([*([] if no_implicit_headers else INCLUDES[name]), *parts, ""])
        for name, parts in texts.items()
        if parts or name == "main.cpp"
    }

    def write(folder):
        for name, text in files.items():
            ninja.write_if_changed(folder / name, text)
        return [folder / name for name in files]

    options = _options(extra_cflags, extra_cuda_cflags, extra_ldflags, extra_include_paths, with_cuda, verbose)
    return _load(name, build_directory, is_python_module, keep_intermediates, options, write)


def _module(functions):
    """The lines that make a module of functions; none where none are named."""
    if functions is None:
        return []
    try:
        docs = {each: doc or each for each, doc in jit.docs_of(functions).items()}
    except TypeError as error:
        raise ValueError(str(error)) from None  # as PyTorch's load_inline
    return [
        "PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) {",
        *(f"m.def({_literal(each)}, {each}, {_literal(doc)});" for each, doc in docs.items()),
        "}",
    ]


def _literal(text):
    """A text as a string literal of C++."""
    escaped = "".join(
        char if 32 <= ord(char) < 127 and char not in '"\\?' else "".join(f"\\{byte:03o}" for byte in char.encode())
        for char in text
    )
    return f'"{escaped}"'


def _options(cflags, cuda_cflags, ldflags, include_paths, with_cuda, verbose):
    """What load and load_inline give to build.options() both."""
    lists = {
        "extra_cflags": cflags, "extra_cuda_cflags": cuda_cflags, "extra_ldflags": ldflags,
        "extra_include_paths": include_paths,
    }  # fmt: skip
    for argument, value in lists.items():
        if isinstance(value, (str, bytes)):
            raise TypeError(f"{argument}: expected a list, got {value!r}")
    return {
        "include_dirs": [os.fspath(path).strip() for path in include_paths or ()],
        "extra_compile_args": {"cxx": _words(cflags), "nvcc": _words(cuda_cflags)},
        "extra_link_args": _words(ldflags), "verbose": verbose, "with_cuda": bool(with_cuda),
    }  # fmt: skip


def _words(flags):
    """The words of flags, which PyTorch gives to a shell: one text may have several."""
    return [word for flag in flags or () for word in shlex.split(flag)]


def _load(name, build_directory, is_python_module, keep_intermediates, options, sources):
    """Builds what is not built yet and loads what is not loaded yet. ``sources(folder)``: the files."""
    if not isinstance(name, str) or not name.isidentifier():
        raise ValueError(f"name: expected an identifier, got {name!r}")
    folder, root = jit.build_folder(os.path.join("portable", name), build_directory)
    with cache.locked(folder, root, BuildError):
        options = build.options(sources(folder), **options)
        known, version = _loaded.get(name), 0
        if known:
            version, where, made_of, result = known
            made = build.Portable(_versioned(name, version), folder, **options)
            if where == (folder, is_python_module) and made_of.holds(made.facts(), made.compilers()):
                return result
            version += 1
        made = build.Portable(_versioned(name, version), folder, **options)
        made_of = made.make(keep_intermediates)
        result = made.load(is_python_module)
        _loaded[name] = version, (folder, is_python_module), made_of, result
        return result


def _versioned(name, version):
    return f"{name}_v{version}" if version else name
