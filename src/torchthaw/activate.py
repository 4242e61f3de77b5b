"""torchthaw/activate.py: run when an interpreter starts, to make torch.utils.ffi importable wherever torchthaw is.

A ``.pth`` file runs it (``python -m torchthaw enable``), or it runs in the children of ``python -m torchthaw run``. It is
executed as text, with ``__file__`` set, and adds no folder to sys.path: a checkout has other packages beside torchthaw.
"""

import os
import sys


def activate(package):
    try:
        from torchthaw.legacy.run import finder
    except ImportError:
        from importlib.util import module_from_spec, spec_from_file_location

        spec = spec_from_file_location(
            "torchthaw", os.path.join(package, "__init__.py"), submodule_search_locations=[package]
        )
        sys.modules["torchthaw"] = module = module_from_spec(spec)
        spec.loader.exec_module(module)
        from torchthaw.legacy.run import finder
    finder.register()


activate(os.path.dirname(os.path.abspath(__file__)))
