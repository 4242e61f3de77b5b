"""torchthaw/extension: from C headers and sources to an importable extension module."""

from ..base.errors import BuildError
from .build import Extension
from .create import create_extension
from .jit import load, load_inline

__all__ = ["BuildError", "Extension", "create_extension", "load", "load_inline"]
