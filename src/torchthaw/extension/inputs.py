"""torchthaw/extension/inputs.py: Inputs: what an extension is made of, and the flags that follow for every compiler."""

import functools
import importlib
import os
import sys
from pathlib import Path
from typing import Any

from ..header import cdef
from . import cuda, nvidia_packages

# The options of an Extension, as create_extension names them, with what stands for those that are not given.
DEFAULTS = {
    "verbose": False, "with_cuda": False, "th": False, "define_macros": [], "undef_macros": [], "include_dirs": [],
    "libraries": [], "library_dirs": [], "runtime_library_dirs": [], "extra_objects": [],
    "extra_compile_args": cuda.compile_args(()), "extra_link_args": [], "dlink": False, "dlink_libraries": [],
    "docs": {}, "suffix": ".c", "ops": None,
}  # fmt: skip


class Inputs:
    """What create_extension was given: the attributes that build.Extension has of it."""

    targets_by_flags = False  # of cuda.Build

    def __init__(self, name: str, base: Path, **options: Any) -> None:
        self.options = {**DEFAULTS, **options}
        self.name, self.base = name, base
        self.module = "_" + name.rpartition(".")[2]
        self.module_name = f"{name}.{self.module}"

    @property
    def namespace(self):
        """Of the operators: torch.ops.<namespace>."""
        return self.options["ops"] or self.name.replace(".", "_")

    @functools.cached_property
    def types(self):
        """What headers may name besides C's own types: a module of HEADER_TYPES; None without such an option."""
        package = __package__.partition(".")[0]
        modules = sys.modules[package].HEADER_TYPES.items()
        return next((importlib.import_module(name, package) for option, name in modules if self.options[option]), None)

    def sources_of_objects(self):
        """(sources, objects): the sources that are known of extra_objects, and the objects without one."""
        return [], self.options["extra_objects"]

    def keeps_errno(self):
        """Whether any header or source speaks of it; the others need not pay for ``ffi.errno``."""
        files = [*self.options["headers"], *self.options["sources"]]
        return any(b"errno" in file.read_bytes() for file in files)

    @functools.cached_property
    def cuda(self):
        """The cuda.Build; None without CUDA. Raises FileNotFoundError where there is no toolkit."""
        args, options = self.options["extra_compile_args"], self.options
        if not options["with_cuda"]:
            return None
        return cuda.Build(
            args["nvcc"],
            options["dlink"],
            options["dlink_libraries"],
            options["library_dirs"],
            args["nvcc_dlink"],
            self.targets_by_flags,
        )

    def include_dirs(self):
        """The folders of headers, the first one first."""
        given, toolkit = self.options["include_dirs"], [self.cuda.toolkit.include] if self.cuda else []
        if self.types:
            return [*self.types.include_dirs(self.options["with_cuda"]), *toolkit, *given]
        return [*given, *toolkit]

    def late_include_flags(self):
        """The folders of headers that are searched after all others: those of CUDA's libraries that the toolkit lacks too."""
        others = self.types.late_include_flags(self.options["with_cuda"]) if self.types else []
        packages = nvidia_packages.headers(self.cuda.toolkit) if self.cuda else []
        return [
            *cdef.annotate_flags(),
            *others,
            *(word for each in packages for word in ("-idirafter", os.fspath(each))),
        ]

    def define_flags(self):
        """Macros, as flags of every compiler."""
        defined = [f"-D{key}" if value is None else f"-D{key}={value}" for key, value in self.options["define_macros"]]
        return [*defined, *(f"-U{name}" for name in self.options["undef_macros"])]


def is_cuda(source):
    return Path(source).suffix == ".cu"
