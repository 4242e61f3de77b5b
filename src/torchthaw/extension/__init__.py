"""torchthaw/build: from C headers and sources to an importable extension module."""

from .core import Extension
from .extension import create_extension
from .jit import load, load_inline
from .ninja import BuildError

__all__ = ["BuildError", "Extension", "create_extension", "load", "load_inline"]
