"""torchthaw/finder.py: makes torch.utils.ffi, and torch._six on request, importable; PyTorch no longer has them.

It also changes modules of PyTorch when they are imported: torch.utils.cpp_extension, which then compiles old sources;
torch.cuda if TORCHTHAW_BUILD_CUDA is set; and torch itself under ``python -m torchthaw run``, where old autograd
Functions work without an import of torch.utils.ffi.
"""

import os
import sys

from . import availability

FFI, SIX = "torch.utils.ffi", "torch._six"
CPP_EXTENSION = "torch.utils.cpp_extension"
CHANGED = {CPP_EXTENSION, availability.NAME, "torch"}
FILES = {FFI: "torch_utils_ffi.py", SIX: os.path.join("semantics", "torch_six.py")}
LEGACY = os.path.join(os.path.dirname(os.path.abspath(__file__)), "legacy")
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
        if name == FFI or (name == SIX and _is_enabled("torch_six")):
            return spec(name)
        return _changed(name, path, target) if name in _after or _change(name) else None


_after = {}  # module -> functions to call when it was imported


def after_import(name, function):
    """Calls ``function()`` as soon as the module ``name`` is imported: now, if it is."""
    if name in sys.modules:
        function()
    else:
        _after.setdefault(name, []).append(function)


def _change(name):
    """What changes this module of PyTorch when it is imported; None if nothing does."""
    if name == CPP_EXTENSION:
        return _patch_cpp_extension
    if name == availability.NAME and availability.wanted():
        return availability.install
    return _patch if name == "torch" and is_run() else None


def _changed(name, path, target):
    """The import system's description of a module, from the other finders; after it was executed, the module is changed
    and what waits for it is called."""
    others = [each for each in sys.meta_path if each is not Finder and hasattr(each, "find_spec")]
    result = next(filter(None, (each.find_spec(name, path, target) for each in others)), None)
    if result is not None and hasattr(result.loader, "exec_module"):
        execute = result.loader.exec_module

        def exec_module(module):
            execute(module)
            change = _change(name)
            if change is not None:
                change(module)
            for function in _after.pop(name, ()):
                function()

        result.loader.exec_module = exec_module
    return result


def _patch_cpp_extension(module):
    from .legacy import patches

    patches.install_for(CPP_EXTENSION)


def _patch(module):
    from .legacy import patches

    patches.install()


def _is_enabled(item):
    from .legacy.semantics import asked_for

    return item in asked_for()


def register():
    """Makes ``import torch.utils.ffi`` work; a second call changes nothing."""
    known = [(getattr(finder, "__module__", None), getattr(finder, "__name__", None)) for finder in sys.meta_path]
    if (__name__, Finder.__name__) not in known:
        sys.meta_path.insert(0, Finder)
    for name in CHANGED & {*sys.modules}:
        change = _change(name)
        if change is not None:
            change(sys.modules[name])
