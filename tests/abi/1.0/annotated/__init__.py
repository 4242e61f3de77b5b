"""annotated: made by torchthaw.create_extension; help() of a function shows its C declaration."""

from torchthaw.library import bind as _bind

try:
    from . import _annotated as _extension
except ImportError as _error:
    if _error.name != __name__:
        raise
    _message = "annotated: expected its library _annotated beside this file; run the project's build file, which makes it"
    raise ModuleNotFoundError(_message, name=f"{__name__}._annotated") from None

__all__ = _bind(globals(), _extension)
