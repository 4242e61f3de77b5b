"""annotated: made by torchthaw.create_extension; help() of a function shows its C declaration."""

from torchthaw.library import bind as _bind

from . import _annotated as _extension

__all__ = _bind(globals(), _extension)
