"""torchthaw/legacy/ffi/create.py: create_extension as torch.utils.ffi had it."""

import contextlib
import os
from pathlib import Path

from ...extension import cuda, stubs
from ...extension.create import paths
from ...header import cffi_names
from . import create_extension_options, th_types as th
from .legacy_extension import LegacyExtension


def create_extension(name, headers, sources, verbose=True, with_cuda=False, package=False, relative_to=".", **kwargs):
    """A cffi.FFI whose ``build()`` makes the package ``name`` of what C ``headers`` declare.

    name: dotted, such as ``"_ext.my_lib"``: the folders of the package, below that of the file ``relative_to``.
    headers: a path or several, relative to that folder; may name TH tensors and storages.
    sources: C, C++ and CUDA files, relative to that folder.
    verbose: shows the commands.
    package: the module is ``name._my_lib``, for setup.py with ``cffi_modules``; else ``_my_lib``. ``build()`` puts it
        in the package either way.
    with_cuda: THC's headers, libthc and CUDA's runtime. An object of CUDA code among ``extra_objects`` that is missing,
        or does not suit this toolkit and these cards, is made from the ``.cu`` file beside it.
    kwargs: arguments of setuptools.Extension and ``source_extension``. Relative ``include_dirs``, ``library_dirs`` and
        ``extra_objects`` start in the current folder, else in that of ``relative_to``. ``extra_compile_args`` may be a
        dict with ``"cxx"``, ``"nvcc"`` and ``"nvcc_dlink"``; ``dlink`` and ``dlink_libraries`` link device code.

    The package's folder and its ``__init__.py`` are made at once. Where ``build()`` fails and there is no earlier
    module, it takes back what was made of the package.
    """
    base = Path(os.path.abspath(os.path.dirname(relative_to)))
    given, others = create_extension_options.divided(kwargs, base)
    extension = LegacyExtension(
        name, base, others, headers=[base / header for header in paths(headers)],
        sources=[base / source for source in sources], verbose=verbose, with_cuda=with_cuda, th=True, **given,
    )  # fmt: skip
    if not package:
        extension.module_name = extension.module
    elif "." not in name:
        extension.module_name = f".{extension.module_name}"
    extension.ffi, preamble, described = extension.interface()
    extension.stub = stubs.text(name, described, cffi_names.constants(extension.ffi))
    extension.ffi.set_source(extension.module_name, preamble, given["suffix"], **extension.for_setuptools())
    extension.wrapper.make()
    extension.ffi.build = extension.build
    return extension.ffi


def _setup_wrapper(with_cuda):
    """(text, folders): what generated C begins with, and where its headers are, for build files that call cffi's own
    ``set_source``. ``with_cuda`` adds THC, and CUDA's headers where there is a toolkit.
    """
    folders = th.include_dirs(with_cuda)
    if with_cuda:
        with contextlib.suppress(FileNotFoundError):
            folders.append(cuda.toolkit().include)
    return th.prologue(with_cuda), [os.fspath(folder) for folder in folders]
