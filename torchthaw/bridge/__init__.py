"""torchthaw/bridge: how Python values, tensors above all, become arguments of a C function."""

from .. import config, operators

if config.checkout():
    __path__.append(str(config.libdir()))

from . import _bridge  # noqa: E402


def bind(namespace, extension):
    """Fills the namespace of an extension's package with what its C headers declare; returns the names."""
    names = {name: getattr(extension.lib, name) for name in dir(extension.lib) if not name.startswith("_cffi")}
    functions = extension.bind(namespace["__name__"])
    operators.bind(extension, functions)
    names.update(functions)
    namespace.update(names)
    return sorted(names)
