"""torchthaw/legacy/ffi/old_binaries.py: binaries that projects committed say what they are, in place of why they do not load."""

import os
import re
from importlib.machinery import EXTENSION_SUFFIXES

from ...base import import_hook

# What create_extension of those days made: a cffi module, here with TH inside.
OLD = re.compile(rb"THC?(Cuda)?([A-Z][a-z]+)?(Tensor|Storage)_")
# In every extension of ours.
BRIDGE = b"torchthaw.bridge._bridge.api_"


class Finder:
    """An entry of sys.meta_path that finds nothing, and raises where the module of an old package is not ours."""

    @staticmethod
    def find_spec(name, path=None, target=None):
        package, _, module = name.rpartition(".")
        if path is not None and module == "_" + package.rpartition(".")[2]:
            for file in _files(path, module):
                if _is_stale(file):
                    raise ImportError(
                        f"{file} was built for PyTorch 0.4 or older; remove it and run the project's build file",
                        name=name, path=file,
                    )  # fmt: skip
                break


def _files(folders, module):
    """The files that Python would load, the first one first."""
    for folder in folders:
        for suffix in EXTENSION_SUFFIXES:
            file = os.path.join(folder, module + suffix)
            if os.path.isfile(file):
                yield file


def _is_stale(path):
    with open(path, "rb") as file:
        content = file.read()
    return BRIDGE not in content and b"_cffi_backend" in content and OLD.search(content) is not None


def register():
    import_hook.put_first(Finder)
