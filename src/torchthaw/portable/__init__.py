"""torchthaw/portable: unmodified C++ and CUDA extensions against torchthaw's own headers: one file for every PyTorch and CPython.

``BuildExtension``, ``CppExtension`` and ``CUDAExtension`` are for setup.py, ``load`` and ``load_inline`` for a program, ``include_paths`` for
other build systems. They take the arguments of their namesakes in ``torch.utils.cpp_extension``. What they build needs
PyTorch >= 2.4 and CPython >= 3.10, and no torchthaw.
"""

__all__ = ["BuildExtension", "CUDAExtension", "CppExtension", "include_paths", "load", "load_inline"]

# name -> the module that has it, imported at the first use
_LAZY = {
    "BuildExtension": ".setuptools", "CUDAExtension": ".setuptools", "CppExtension": ".setuptools",
    "include_paths": ".build", "load": ".jit", "load_inline": ".jit",
}  # fmt: skip

TYPE_CHECKING = False
if TYPE_CHECKING:  # for tools that read this file without running it
    from .build import include_paths
    from .jit import load, load_inline
    from .setuptools import BuildExtension, CppExtension, CUDAExtension
else:  # by this function they would believe in every name

    def __getattr__(name):
        if name not in _LAZY:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        from importlib import import_module  # this package is also imported where nothing of it is built

        return getattr(import_module(_LAZY[name], __name__), name)
