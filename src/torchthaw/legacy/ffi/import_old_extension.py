"""torchthaw/legacy/ffi/import_old_extension.py: what an extension of the old kind needs when it is imported."""

import sys
import types

from ... import library
from ...bridge import variables
from . import debug

_functions = {}  # ffi of an extension -> {function of its lib: the one for Python}


def bind(namespace, extension):
    """Fills the namespace of an extension's package with what its C headers declare; returns the names.

    ``_lib`` and ``_ffi`` are there, too, as in packages that PyTorch 0.4 generated.
    """
    ffi, lib = extension.ffi, extension.lib
    variables.expose(sys.modules[namespace["__name__"]], extension)
    found = {name: getattr(lib, name) for name in dir(lib)}
    wrapped = {name: wrap_function(value, ffi) if callable(value) else value for name, value in found.items()}
    namespace.update({"_lib": lib, "_ffi": ffi, **wrapped})
    return [*found]


def wrap_function(function, ffi):
    """The function of an extension's ``lib`` for Python: it takes torch tensors where C takes TH tensors.

    Errors that C raises are torch.FatalError. Other arguments and results are as cffi has them. With TORCHTHAW_DEBUG=1
    a tensor that is not contiguous is named in a warning. What else ``lib`` holds, such as a number, is returned as it
    is: wrappers from before PyTorch 0.3 ask for everything.
    """
    if ffi not in _functions:
        _functions[ffi] = _functions_of(ffi, getattr(function, "__self__", ffi))
    wrapped = _functions[ffi].get(function)
    if wrapped is None:
        return function
    return debug.watch(wrapped) if debug.enabled() else wrapped


def _functions_of(ffi, owner):
    """{function of the lib that belongs to ``ffi``: the one for Python}; ``owner`` is named where there is none."""
    from ...bridge import _bridge

    for lib, extension in _bridge.extensions.items():
        if extension.ffi is ffi:
            symbols = [getattr(lib, name) for name in dir(lib)]
            modules = [symbol.__module__ for symbol in symbols if isinstance(symbol, types.BuiltinFunctionType)]
            functions = extension.bind(modules[0] if modules else extension.__name__)
            library.note(extension, functions)
            return {getattr(lib, name): function for name, function in functions.items()}
    raise ImportError(
        f"{owner!r} was not built by this torch.utils.ffi; remove the stale file and run the project's build file"
    )
