"""torchthaw/legacy/run/torch_first.py: an extension that needs PyTorch's libraries loads without an ``import torch`` before.

PyTorch's wheels put their libraries where the loader finds them only after torch was imported.
"""

import re
import sys
from functools import wraps
from importlib.machinery import ExtensionFileLoader

KEY = "extension modules"  # in patches.OF_MODULE
MISSING = re.compile(r"^lib(?:c10|torch|shm|caffe2)\w*\.so\b.*cannot open shared object file")


class TorchFirst:
    """wanted: by the patch torch_first."""

    wanted = False


def torch_first():
    """The changes of the patch."""
    from ..patching import Change

    yield Change(TorchFirst, "wanted", True)


def replace(patch_for):
    """Has the loader of extension modules import torch, and try again, where one of its libraries was not found.

    patch_for: makes the patch of KEY, if it is not switched off.
    """
    create = ExtensionFileLoader.create_module
    if getattr(create, "of_torchthaw", False):
        return

    @wraps(create)
    def create_module(self, spec):
        try:
            return create(self, spec)
        except ImportError as error:
            if "torch" in sys.modules or not MISSING.search(str(error)) or not _is_wanted(patch_for):
                raise
        import torch  # noqa: F401

        return create(self, spec)

    create_module.of_torchthaw = True
    ExtensionFileLoader.create_module = create_module


def _is_wanted(patch_for):
    patch_for(KEY)
    return TorchFirst.wanted
