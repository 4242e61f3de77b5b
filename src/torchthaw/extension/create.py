"""torchthaw/extension/create.py: create_extension, which makes a Python module of C headers and sources."""

import os
from collections.abc import Iterable
from pathlib import Path

from . import cuda
from .arguments import AnyPath, CompileArgs, Macros, Paths
from .build import Extension
from .flags import LIMITED_API
from .inputs import is_cuda

__all__ = ["LIMITED_API", "Extension", "check", "create_extension", "paths"]


# Namespaces of torch.ops in which a name is PyTorch's, now or with its next version: those of its functions of tensors.
# prim is closed to others. The second line are attributes of torch.ops that hold no operators. In PyTorch's other
# namespaces, such as sparse, only an operator of the same name is in the way: see operators/namespace.py.
OF_PYTORCH = frozenset({
    "aten", "prim", "prims", "torch", "torchthaw",
    "higher_order", "import_module", "load_library", "loaded_libraries", "_dir",
})  # fmt: skip
# Those of the repository's own operators besides: other C functions of these names would be other overloads of them.
OF_REPOSITORY = OF_PYTORCH | {"my_lib"}


def create_extension(
    name: str, headers: Paths, sources: Paths = (), relative_to: AnyPath = ".", *, verbose: bool = False,
    with_cuda: bool = False, th: bool = False, define_macros: Macros = (), include_dirs: Iterable[AnyPath] = (),
    libraries: Iterable[str] = (), library_dirs: Iterable[AnyPath] = (), runtime_library_dirs: Iterable[str] = (),
    extra_objects: Iterable[AnyPath] = (), extra_compile_args: CompileArgs = (), extra_link_args: Iterable[str] = (),
    dlink: bool = False, dlink_libraries: Iterable[str] = (), ops: str | None = None,
) -> Extension:  # fmt: skip
    """An :class:`Extension` whose ``build()`` makes the package ``name`` of what C ``headers`` declare.

    name: dotted, such as ``"_ext.my_lib"``, which gives ``_ext/my_lib/{__init__.py,_my_lib.so}`` in the folder of
        the file ``relative_to`` (usually ``__file__``). Relative paths of all other arguments start there as well.
    headers: a path or several; what they declare is what the module offers (see ``torchthaw.header.cdef.parse``).
    sources: C (``.c``), C++ (``.cc .cpp .cxx .C``) and CUDA (``.cu``) files; none where a library has the functions.
    define_macros: pairs (name, value or None).
    libraries, library_dirs: what to link, by name and where to find it.
    runtime_library_dirs: where the loader finds libraries. A relative folder is stored relative to the extension, so
        that a moved project still works.
    extra_compile_args: for C and C++; or a dict with any of ``"cxx"``, ``"nvcc"`` and ``"nvcc_dlink"``.
    extra_link_args, extra_objects, include_dirs: as in setuptools.
    verbose: shows the commands; the compilers' output is shown, as they print it, only when they fail otherwise.
    with_cuda: CUDA's headers and runtime; ``.cu`` sources ask for them too. ``TORCH_CUDA_ARCH_LIST`` says what to
        build for, as in PyTorch; by default the cards of this machine.
    th: headers may name the tensors and storages of ``TH/TH.h``, such as ``THFloatTensor *``, and with ``with_cuda``
        those of ``THC/THC.h``; libth and libthc are linked. Torch tensors and storages are passed for them and come
        back as results, and what C calls THError for is raised as ``torch.FatalError``. Functions with such a type take
        positional arguments only, and all other pointers as cffi has them; functions without one are as always.
    ops: the namespace of the operators that PyTorch gets: ``torch.ops.<ops>.<function>``; by default ``name`` with ``_``
        for each dot. Extensions of one library, such as that for GPUs, name the same one.
    dlink, dlink_libraries: links device code, with these libraries of it (``-rdc=true`` among the flags of nvcc).

    A tensor, or an array of NumPy or another library, may be passed wherever a function takes a pointer to numbers or
    ``void *``: see ``torchthaw.bridge``.
    """
    base = Path(os.path.abspath(os.path.dirname(relative_to)))
    headers, sources = [base / header for header in paths(headers)], [base / source for source in paths(sources)]
    check(name, headers, sources)
    check_ops(ops, name)
    return Extension(
        name, base,
        headers=headers,
        sources=sources,
        verbose=verbose,
        define_macros=list(define_macros),
        include_dirs=[base / folder for folder in include_dirs],
        libraries=list(libraries),
        library_dirs=[base / folder for folder in library_dirs],
        runtime_library_dirs=list(runtime_library_dirs),
        extra_objects=[base / path for path in extra_objects],
        extra_compile_args=cuda.compile_args(extra_compile_args),
        extra_link_args=list(extra_link_args),
        with_cuda=with_cuda or any(map(is_cuda, sources)),
        th=th,
        dlink=dlink,
        dlink_libraries=list(dlink_libraries),
        ops=ops,
    )  # fmt: skip


def paths(given):
    return [given] if isinstance(given, (str, os.PathLike)) else list(given)


def check_ops(ops, name, taken=OF_PYTORCH):
    """Raises ValueError for what can be no namespace of torch.ops: ``ops``, or ``name`` where that is None."""
    if ops is not None and not (isinstance(ops, str) and ops.isidentifier()):
        raise ValueError(f"ops: expected an identifier, got {ops!r}")
    argument, given = ("name", name) if ops is None else ("ops", ops)
    if given in taken:
        owner = "PyTorch" if given in OF_PYTORCH else "torchthaw's repository"
        raise ValueError(
            f"{argument}: expected a namespace of torch.ops that {owner} does not use, got {given!r}; "
            "give another one by ops"
        )


def check(name, headers, sources):
    """Raises ValueError for what is no module name, FileNotFoundError for what is no file."""
    if not all(part.isidentifier() for part in name.split(".")):
        raise ValueError(f"name: expected a dotted module name, got {name!r}")
    for argument, files in (("headers", headers), ("sources", sources)):
        for file in files:
            if not file.is_file():
                raise FileNotFoundError(f"{argument}: expected a file, got {str(file)!r}")
