"""torchthaw/legacy/run/finder.py: makes torch.utils.ffi, and torch._six on request, importable; PyTorch no longer has them.

``register()`` is what ``enable`` runs at each start of Python, and ``run`` in each process that it starts; nothing else
calls it but ``torchthaw.legacy.install()``. From then on modules of PyTorch are changed when they are imported:
torch.utils.cpp_extension, which then compiles old sources; torch.cuda if TORCHTHAW_BUILD_CUDA is set; and torch itself
under ``run``, where old autograd Functions work without an import of torch.utils.ffi. There build scripts also find
pkg_resources and numpy.distutils where they are not installed or do not work, and SO in distutils.sysconfig.
"""

import importlib.metadata
import os
import sys

from ...base import import_hook
from ..requested import is_run
from ..served_modules import FFI, NUMPY, SIX, STAND_INS, Served, spec


class Finder:
    """An entry of sys.meta_path for these modules; it comes first, because PyTorch 1 has one that only raises."""

    @staticmethod
    def find_spec(name, path=None, target=None):
        if name.startswith(NUMPY) and name in STAND_INS and _numpy_fails() and _is_served(name):
            return spec(name)
        return spec(name) if name == FFI or (name == SIX and _is_enabled("torch_six")) else None


class LastFinder:
    """An entry of sys.meta_path for STAND_INS; it comes last, so that an installed module is taken."""

    @staticmethod
    def find_spec(name, path=None, target=None):
        return spec(name) if name in STAND_INS and _is_served(name) else None


def _is_served(name):
    """Whether this is a build script, setup.py or build.py or what imported setuptools, and the patch is not off."""
    if "setuptools" in sys.modules or os.path.basename(sys.argv[0]) in ("setup.py", "build.py"):
        _patch_for(name)
    return name in Served.modules


def register():
    """Makes ``import torch.utils.ffi`` work; a second call changes nothing."""
    import_hook.put_first(Finder)
    if is_run() and os.environ.get("TORCHTHAW_CUDA"):
        from ... import cuda_on_cpu

        cuda_on_cpu.start()
    if is_run():
        _change_python()
    for name, change in CHANGES.items():
        import_hook.at_each_import(name, change)


def _change_python():
    """What `run` changes of Python itself, for build scripts and for extensions that they made."""
    from . import last_line, torch_first

    torch_first.replace(_patch_for)
    last_line.replace()
    if sys.version_info >= (3, 13):
        from . import executed_names

        executed_names.replace()
    if LastFinder not in sys.meta_path:
        sys.meta_path.append(LastFinder)


def _patch_for(name):
    from . import patches

    patches.install_for(name)


def _patch_module(module):
    _patch_for(module.__name__)


def _patch_cpp_extension(module):
    _patch_module(module)
    from . import portable_builds

    if portable_builds.mode():
        _patch_for(portable_builds.KEY)


def _patch_build_ext(module):
    if is_run():
        _patch_module(module)


def _build_for_gpus(module):
    from . import pretend_cuda

    if pretend_cuda.wanted():
        pretend_cuda.install(module)


def _patch(module):
    if is_run():
        from . import patches

        patches.install()


def _numpy_fails():
    """Whether NumPy has it, on Python < 3.12, and starts a compiler with arguments that setuptools 81 no longer takes."""
    try:
        return sys.version_info < (3, 12) and int(importlib.metadata.version("setuptools").partition(".")[0]) >= 81
    except (importlib.metadata.PackageNotFoundError, ValueError):
        return False


def _name_extensions(module):
    """SO, the end of a module's file name: Python 3.11 has it no more, and pybind11 before 2.6 asks for it in CMake."""
    from . import patches

    if is_run() and "build_modules" not in patches.switched_off():
        known = module.get_config_vars()
        known.setdefault("SO", known["EXT_SUFFIX"])


CHANGES = {
    "torch.utils.cpp_extension": _patch_cpp_extension,
    "torch.cuda": _build_for_gpus,
    "torch": _patch,
    "distutils.sysconfig": _name_extensions,
    "distutils.command.build_ext": _patch_build_ext,
}


def _is_enabled(item):
    from ..ffi.semantics import asked_for

    return item in asked_for()
