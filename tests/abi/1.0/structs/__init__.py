"""structs: made by torch.utils.ffi.create_extension."""

import sys as _sys

from torchthaw.legacy.loading import wrap_function as _wrap_function
from torchthaw.legacy.loading import prepare as _prepare

_prepare()

try:
    from ._structs import ffi as _ffi
    from ._structs import lib as _lib
except ModuleNotFoundError as _error:
    if not str(_error.name).endswith("._structs"):
        raise
    _message = "structs: expected its library _structs beside this file; run the project's build file, which makes it"
    raise ModuleNotFoundError(_message, name=_error.name) from None

from torchthaw.bridge import variables as _variables

# The names of C functions may be those of Python's own: nothing of Python's is used after the last line.
_variables.expose(_sys.modules[__name__], _sys.modules[__name__ + "._structs"])
_found = [(name, getattr(_lib, name)) for name in dir(_lib)]
__all__ = dir(_lib)
globals().update([(name, _wrap_function(value, _ffi) if callable(value) else value) for name, value in _found])
