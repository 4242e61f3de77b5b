"""torchthaw/legacy/served_modules.py: modules that PyTorch, setuptools and NumPy no longer have, and the file that is each one."""

import os

FFI, SIX = "torch.utils.ffi", "torch._six"
NUMPY = "numpy.distutils"
STAND_INS = {
    "pkg_resources": "run/stand_ins/pkg_resources.py",
    **dict.fromkeys([NUMPY, f"{NUMPY}.system_info", f"{NUMPY}.misc_util"], "run/stand_ins/numpy_distutils.py"),
}
FILES = {FFI: "run/torch_utils_ffi.py", SIX: "ffi/semantics/torch_six.py", **STAND_INS}
HERE = os.path.dirname(os.path.abspath(__file__))


class Served:
    """modules: STAND_INS, by the patch build_modules."""

    modules = {}


def spec(name):
    """The import system's description of one of FILES."""
    from importlib.util import spec_from_file_location

    folders = [] if name == NUMPY else None  # a package
    return spec_from_file_location(name, os.path.join(HERE, FILES[name]), submodule_search_locations=folders)


def build_modules():
    """The changes of the patch."""
    from .patching import Change  # what runs when an interpreter starts does not need it

    yield Change(Served, "modules", STAND_INS)
