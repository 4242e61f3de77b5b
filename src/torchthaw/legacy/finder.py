"""torchthaw/legacy/finder.py: makes torch.utils.ffi, and torch._six on request, importable; PyTorch no longer has them.

``register()`` is what ``enable`` runs at each start of Python, and ``run`` in each process that it starts; nothing else
calls it but ``torchthaw.legacy.install()``. From then on modules of PyTorch are changed when they are imported:
torch.utils.cpp_extension, which then compiles old sources; torch.cuda if TORCHTHAW_BUILD_CUDA is set; and torch itself
under ``run``, where old autograd Functions work without an import of torch.utils.ffi.
"""

import os
import sys

from ..base import import_hook

FFI, SIX = "torch.utils.ffi", "torch._six"
FILES = {FFI: "torch_utils_ffi.py", SIX: os.path.join("semantics", "torch_six.py")}
LEGACY = os.path.dirname(os.path.abspath(__file__))
# In PYTHONPATH, this folder makes torch.utils.ffi importable.
CHILDREN = os.path.join(LEGACY, "children")


def spec(name):
    """The import system's description of one of FILES."""
    from importlib.util import spec_from_file_location

    return spec_from_file_location(name, os.path.join(LEGACY, FILES[name]))


def is_run():
    """Whether ``python -m torchthaw run`` started this process, or one that started it."""
    return CHILDREN in os.environ.get("PYTHONPATH", "").split(os.pathsep)


class Finder:
    """An entry of sys.meta_path for these modules; it comes first, because PyTorch 1 has one that only raises."""

    @staticmethod
    def find_spec(name, path=None, target=None):
        return spec(name) if name == FFI or (name == SIX and _is_enabled("torch_six")) else None


def is_registered():
    """Whether somebody asked for PyTorch 0.4: by run, enable or install()."""
    return any(getattr(each, "__module__", None) == __name__ for each in sys.meta_path)


def register():
    """Makes ``import torch.utils.ffi`` work; a second call changes nothing."""
    import_hook.put_first(Finder)
    for name, change in CHANGES.items():
        import_hook.at_each_import(name, change)


def _patch_cpp_extension(module):
    from . import patches

    patches.install_for(module.__name__)


def _build_for_gpus(module):
    from . import availability

    if availability.wanted():
        availability.install(module)


def _patch(module):
    if is_run():
        from . import patches

        patches.install()


CHANGES = {"torch.utils.cpp_extension": _patch_cpp_extension, "torch.cuda": _build_for_gpus, "torch": _patch}


def _is_enabled(item):
    from .semantics import asked_for

    return item in asked_for()
