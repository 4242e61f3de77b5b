"""torchthaw/legacy/loading.py: what an extension of the old kind needs when it is imported."""

import os

from .. import config
from . import debug, patches

_functions = {}  # lib of an extension -> its functions by name


def prepare():
    """Makes the patches of PyTorch, opens libth for the extensions, and tells child processes where the headers are."""
    import torch  # noqa: F401

    patches.install()
    try:
        path = config.library("th")
    except FileNotFoundError:
        path = None  # an extension without TH functions builds and loads all the same
    if path is not None:
        from ..bridge import _bridge

        _bridge.open_th(os.fspath(path))
    point_compilers_at_headers()


def point_compilers_at_headers():
    """Compilers that a project runs itself look into PyTorch's folders for TH: CPATH names ours as well.

    Not CPLUS_INCLUDE_PATH: what that names comes last even if it is also given by -I, behind the project's own folders.
    """
    include = os.fspath(config.includes())
    folders = [folder for folder in os.environ.get("CPATH", "").split(os.pathsep) if folder]
    for folder in (include, os.path.join(include, "TH")):
        if folder not in folders:
            folders.append(folder)
    os.environ["CPATH"] = os.pathsep.join(folders)


def _wrap_function(function, ffi):
    """The function of an extension's ``lib`` for Python: it takes torch tensors where C takes TH tensors.

    Errors that C raises are torch.FatalError. Other arguments and results are as cffi has them. With TORCHTHAW_DEBUG=1
    a tensor that is not contiguous is named in a warning.
    """
    lib = function.__self__
    if lib not in _functions:
        _functions[lib] = _bind_of(lib)(function.__module__)
    wrapped = _functions[lib][function.__name__]
    return debug.watch(wrapped) if debug.enabled() else wrapped


def _bind_of(lib):
    from ..bridge import _bridge

    try:
        return _bridge.extensions[lib]
    except KeyError:
        raise ImportError(
            f"{lib!r} was not built by this torch.utils.ffi; remove the stale file and run the project's build file"
        ) from None
