"""torchthaw/activate.py: run at an interpreter's start to make torch.utils.ffi importable, wherever torchthaw is.

By a ``.pth`` file (``python -m torchthaw enable``), or for the children of ``python -m torchthaw run``. It is executed
as text, with ``__file__`` set, and puts no folder on sys.path: a checkout has packages of its own beside torchthaw.
"""

import os
import sys


def activate(package):
    try:
        import torchthaw  # noqa: F401
    except ImportError:
        from importlib.util import module_from_spec, spec_from_file_location

        spec = spec_from_file_location(
            "torchthaw", os.path.join(package, "__init__.py"), submodule_search_locations=[package]
        )
        sys.modules["torchthaw"] = module = module_from_spec(spec)
        spec.loader.exec_module(module)


activate(os.path.dirname(os.path.abspath(__file__)))
