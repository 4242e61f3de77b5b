"""torchthaw/legacy/loading.py: what a built extension of the old kind imports. Built packages name this file: it stays."""

import contextlib

from . import requested
from .ffi import old_binaries, th_libraries
from .ffi.import_old_extension import bind, wrap_function
from .ffi.th_libraries import open_libraries

__all__ = ["bind", "open_libraries", "prepare", "wrap_function"]


def prepare():
    """Opens libth for extensions. Where PyTorch 0.4 was asked for, also makes the patches of PyTorch, and tells child
    processes where the headers are.
    """
    from ..bridge import pytorch

    pytorch.require()
    if requested.is_registered():
        from .run import cpath, patches

        patches.install()
        old_binaries.register()
        cpath.point_compilers_at_headers()
    # An extension without TH functions builds and loads without libth.
    with contextlib.suppress(FileNotFoundError):
        th_libraries.open_libraries()
