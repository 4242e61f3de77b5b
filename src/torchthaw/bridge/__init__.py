"""torchthaw/bridge: how Python values, tensors above all, become arguments of a C function."""

from ..base import config

if config.checkout():
    __path__.append(str(config.libdir()))

try:
    from . import _bridge  # noqa: F401
except ImportError:
    if reason := config.not_built():
        raise ImportError(reason) from None
    raise
