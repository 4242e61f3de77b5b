"""torchthaw/finder.py: finds torch.utils.ffi, which PyTorch no longer has, here."""

import os
import sys

NAME = "torch.utils.ffi"
FILE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "legacy", "torch_utils_ffi.py")


class Finder:
    """An entry of sys.meta_path that knows one module; it comes first, as PyTorch 1 has one that only raises."""

    @staticmethod
    def find_spec(name, path=None, target=None):
        if name != NAME:
            return None
        from importlib.util import spec_from_file_location

        return spec_from_file_location(name, FILE)


def register():
    """Makes ``import torch.utils.ffi`` work; a second call changes nothing."""
    known = [(getattr(finder, "__module__", None), getattr(finder, "__name__", None)) for finder in sys.meta_path]
    if (__name__, Finder.__name__) not in known:
        sys.meta_path.insert(0, Finder)
