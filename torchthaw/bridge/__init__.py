"""torchthaw/bridge: how Python values, tensors above all, become arguments of a C function."""

from .. import config

if config.checkout():
    __path__.append(str(config.libdir()))

from . import _bridge  # noqa: E402


def bind(namespace, extension):
    """Fills the namespace of an extension's package with what its C headers declare; returns the names."""
    names = {name: getattr(extension.lib, name) for name in dir(extension.lib) if not name.startswith("_cffi")}
    names.update(extension.bind(namespace["__name__"]))
    namespace.update(names)
    return sorted(names)
