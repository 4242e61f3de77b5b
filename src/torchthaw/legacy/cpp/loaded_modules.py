"""torchthaw/legacy/cpp/loaded_modules.py: what load() built is imported by its name, where nothing else has this name.

Up to pybind11 2 a module was in sys.modules as soon as it was made; one of pybind11 3 is not, and projects import it.
"""

import importlib.util
import sys


class Finder:
    """An entry of sys.meta_path for these modules; it comes last, so that a package of this name is taken."""

    modules = {}

    @classmethod
    def find_spec(cls, name, path=None, target=None):
        module = cls.modules.get(name) if path is None else None
        return importlib.util.spec_from_loader(name, Loader(module)) if module is not None else None


class Loader:
    """Gives a module that is made already, as it is."""

    def __init__(self, module):
        self.module = module
        self.kept = {name: getattr(module, name, None) for name in ("__spec__", "__loader__")}

    def create_module(self, spec):
        return self.module

    def exec_module(self, module):
        vars(module).update(self.kept)  # the import has written its own


def keep(name, module):
    """Makes ``import name`` give ``module``, unless something else has this name."""
    Finder.modules[name] = module
    if Finder not in sys.meta_path:
        sys.meta_path.append(Finder)
