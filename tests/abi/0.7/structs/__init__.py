"""structs: made by torch.utils.ffi.create_extension."""

from torch.utils.ffi import _wrap_function

try:
    from ._structs import ffi as _ffi, lib as _lib
except ModuleNotFoundError as _error:
    if not str(_error.name).endswith("._structs"):
        raise
    _message = "structs: expected its library _structs beside this file; run the project's build file, which makes it"
    raise ModuleNotFoundError(_message, name=_error.name) from None

__all__ = []


def _fill(namespace):
    for name in dir(_lib):
        value = getattr(_lib, name)
        namespace[name] = _wrap_function(value, _ffi) if callable(value) else value
        __all__.append(name)


_fill(globals())
