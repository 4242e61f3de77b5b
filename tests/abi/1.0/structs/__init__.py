"""structs: made by torch.utils.ffi.create_extension; help() of a function shows its C declaration."""

from torchthaw.legacy.loading import bind as _bind, prepare as _prepare

_prepare()

try:
    from . import _structs as _extension
except ImportError as _error:
    if _error.name != __name__:
        raise
    _message = "structs: expected its library _structs beside this file; run the project's build file, which makes it"
    raise ModuleNotFoundError(_message, name=f"{__name__}._structs") from None

__all__ = _bind(globals(), _extension)
