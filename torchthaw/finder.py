"""torchthaw/finder.py: finds torch.utils.ffi, and torch._six where asked for, here; PyTorch no longer has them."""

import os
import sys

from . import availability

FFI, SIX = "torch.utils.ffi", "torch._six"
FILES = {FFI: "torch_utils_ffi.py", SIX: os.path.join("semantics", "torch_six.py")}
LEGACY = os.path.join(os.path.dirname(os.path.abspath(__file__)), "legacy")


def spec(name):
    """The import system's description of one of FILES."""
    from importlib.util import spec_from_file_location

    return spec_from_file_location(name, os.path.join(LEGACY, FILES[name]))


class Finder:
    """An entry of sys.meta_path that knows these modules; it comes first, as PyTorch 1 has one that only raises."""

    @staticmethod
    def find_spec(name, path=None, target=None):
        if name == FFI or (name == SIX and _is_asked_for("torch_six")):
            return spec(name)
        if name == availability.NAME and availability.wanted():
            return availability.spec(path, [finder for finder in sys.meta_path if finder is not Finder])
        return None


def _is_asked_for(item):
    from .legacy.semantics import asked_for

    return item in asked_for()


def register():
    """Makes ``import torch.utils.ffi`` work; a second call changes nothing."""
    known = [(getattr(finder, "__module__", None), getattr(finder, "__name__", None)) for finder in sys.meta_path]
    if (__name__, Finder.__name__) not in known:
        sys.meta_path.insert(0, Finder)
    if availability.NAME in sys.modules and availability.wanted():
        availability.install(sys.modules[availability.NAME])
