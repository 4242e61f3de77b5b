"""torchthaw: C extensions for PyTorch from plain C headers, and a plain-C ABI of operators.

``create_extension`` turns C headers into a Python module; ``load`` and ``load_inline`` do so while a program runs. ``differentiable`` joins a forward
and a backward of Python to an operator.
Importing this package, or any module of it, changes nothing in the process. PyTorch is patched where that is asked for: by
``python -m torchthaw run``, by the command ``enable``, or by ``torchthaw.legacy.install()``.
"""

import sys

__all__ = [
    "BuildError", "BuildExtension", "FFIExtension", "__version__", "create_extension", "differentiable", "load",
    "load_inline",
]  # fmt: skip

if "t" in getattr(sys, "abiflags", ""):
    raise ImportError(
        "torchthaw needs CPython 3.10 or newer with the GIL: this free-threaded build "
        f"({sys.version.split()[0]}t) has no limited API, for which torchthaw builds extensions"
    )

# name -> the module that has it, imported at the first use
_LAZY = {name: ".extension" for name in ("BuildError", "create_extension", "load", "load_inline")}
_LAZY["__version__"] = ".base.config"
_LAZY["differentiable"] = ".extension.differentiable"
_LAZY |= {name: ".extension.build_ext" for name in ("BuildExtension", "FFIExtension")}

# An option by which headers may name more types than C's -> the module that knows them, imported where it is given.
HEADER_TYPES = {"th": ".legacy.ffi.th_types"}

TYPE_CHECKING = False
if TYPE_CHECKING:  # for tools that read this file without running it
    from . import legacy  # noqa: F401
    from .base.config import __version__
    from .extension import BuildError, create_extension, load, load_inline
    from .extension.build_ext import BuildExtension, FFIExtension
    from .extension.differentiable import differentiable
else:  # by this function they would believe in every name

    def __getattr__(name):
        if name not in _LAZY and name != "legacy":
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        from importlib import import_module  # not needed by "import torchthaw", which asks for its submodules here

        if name == "legacy":
            return import_module(".legacy", __name__)
        return getattr(import_module(_LAZY[name], __name__), name)
