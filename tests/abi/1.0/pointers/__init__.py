"""pointers: made by torchthaw.create_extension; help() of a function shows its C declaration."""

from torchthaw.library import bind as _bind

try:
    from . import _pointers as _extension
except ImportError as _error:
    if _error.name != __name__:
        raise
    _message = "pointers: expected its library _pointers beside this file; run the project's build file, which makes it"
    raise ModuleNotFoundError(_message, name=f"{__name__}._pointers") from None

__all__ = _bind(globals(), _extension)
