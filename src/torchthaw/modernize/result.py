"""torchthaw/modernize/result.py: the modernized project, for what comes after it was written."""

from pathlib import Path
from typing import NamedTuple


class Result(NamedTuple):
    """project, folder: the old project and the new one. package: the import name of the new package.

    extensions, old_extensions: dotted module names, such as ``"my_lib._ext.my_lib"`` and ``"_ext.my_lib"``, in one
    order. build_files: those of the old project that call create_extension, relative to it.
    modules: {dotted name in the old project: in the new one}, with those that kept their name.
    functions: FunctionClass of each autograd Function. remarks: Remark of each thing that was done or is left.
    gpu_functions: names of the C functions that take tensors of GPUs. roots: the folders of the new project that its
    packages start in, relative to it.
    """

    project: Path
    folder: Path
    package: str
    extensions: tuple
    old_extensions: tuple
    build_files: tuple
    modules: dict
    functions: list
    remarks: list
    gpu_functions: frozenset = frozenset()
    roots: tuple = (".",)
