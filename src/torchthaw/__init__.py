"""torchthaw: C extensions for PyTorch from plain C headers, and a plain-C ABI of operators.

``create_extension`` turns C headers into a Python module; ``load`` and ``load_inline`` do so while a program runs.
Importing this package imports neither PyTorch nor a compiler's tools. Its only effect is that ``torch.utils.ffi`` can be
imported.
"""

import sys

__all__ = ["BuildExtension", "FFIExtension", "__version__", "create_extension", "load", "load_inline"]

if "t" in getattr(sys, "abiflags", ""):
    raise ImportError(
        "torchthaw needs CPython 3.10 or newer with the GIL: this free-threaded build "
        f"({sys.version.split()[0]}t) has no limited API, for which torchthaw builds extensions"
    )

# name -> the module that has it, imported at the first use
_LAZY = {name: ".build" for name in ("create_extension", "load", "load_inline")}
_LAZY["__version__"] = ".config"
_LAZY |= {name: ".build.build_ext" for name in ("BuildExtension", "FFIExtension")}

TYPE_CHECKING = False
if TYPE_CHECKING:  # for tools that read this file without running it
    from . import legacy
    from .build import create_extension, load, load_inline
    from .build.build_ext import BuildExtension, FFIExtension
    from .config import __version__
else:  # by this function they would believe in every name

    def __getattr__(name):
        if name not in _LAZY and name != "legacy":
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        from importlib import import_module  # not needed by "import torchthaw", which asks for its submodules here

        if name == "legacy":
            return import_module(".legacy", __name__)
        return getattr(import_module(_LAZY[name], __name__), name)


from .finder import register as _register  # noqa: E402

_register()  # last: patches of modules that are imported already import this package's modules
