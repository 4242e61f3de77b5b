"""torchthaw/bridge: how Python values, tensors above all, become arguments of a C function."""

import sys

from .. import config, operators

if config.checkout():
    __path__.append(str(config.libdir()))

try:
    from . import _bridge
except ImportError:
    if reason := config.not_built():
        raise ImportError(reason) from None
    raise

from . import variables  # noqa: E402


def bind(namespace, extension, module=None):
    """Fills the namespace of an extension's package with what its C headers declare; returns the names.

    Global variables become attributes of ``module``, by default that of the namespace in sys.modules.
    """
    functions = extension.bind(namespace["__name__"])
    operators.bind(extension, functions)
    live = variables.expose(module or sys.modules[namespace["__name__"]], extension)
    found = [name for name in dir(extension.lib) if not name.startswith("_cffi")]
    names = {name: getattr(extension.lib, name) for name in found if name not in live}
    names.update(functions)
    namespace.update(names)
    return sorted([*names, *live])
