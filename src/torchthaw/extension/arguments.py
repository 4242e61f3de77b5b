"""torchthaw/extension/arguments.py: the types of arguments that several public functions have in common."""

import os
from collections.abc import Iterable, Mapping
from typing import TypedDict

AnyPath = str | os.PathLike[str]
Paths = AnyPath | Iterable[AnyPath]  # one or several
Texts = str | Iterable[str]
Macros = Iterable[tuple[str, str | None]]
CompileArgs = Iterable[str] | Mapping[str, Iterable[str]]


class ExtensionOptions(TypedDict, total=False):
    """The keyword arguments of create_extension, which say what they are there."""

    relative_to: AnyPath
    verbose: bool
    with_cuda: bool
    th: bool
    define_macros: Macros
    include_dirs: Iterable[AnyPath]
    libraries: Iterable[str]
    library_dirs: Iterable[AnyPath]
    runtime_library_dirs: Iterable[str]
    extra_objects: Iterable[AnyPath]
    extra_compile_args: CompileArgs
    extra_link_args: Iterable[str]
    dlink: bool
    dlink_libraries: Iterable[str]
    ops: str | None
