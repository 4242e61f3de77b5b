"""structs: made by torch.utils.ffi.create_extension."""

from torch.utils.ffi import _wrap_function

from ._structs import ffi as _ffi, lib as _lib

__all__ = []


def _fill(namespace):
    for name in dir(_lib):
        value = getattr(_lib, name)
        namespace[name] = _wrap_function(value, _ffi) if callable(value) else value
        __all__.append(name)


_fill(globals())
