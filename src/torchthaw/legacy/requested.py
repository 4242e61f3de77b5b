"""torchthaw/legacy/requested.py: who asked for PyTorch 0.4 in this process: run, enable or install()."""

import os
import sys

# In PYTHONPATH, this folder makes torch.utils.ffi importable.
CHILDREN = os.path.join(os.path.dirname(os.path.abspath(__file__)), "run", "children")
FINDER = f"{__package__}.run.finder"  # the module of what is in sys.meta_path then


def is_run():
    """Whether ``python -m torchthaw run`` started this process, or one that started it."""
    return CHILDREN in os.environ.get("PYTHONPATH", "").split(os.pathsep)


def is_registered():
    """Whether somebody asked for PyTorch 0.4: by run, enable or install()."""
    return any(getattr(each, "__module__", None) == FINDER for each in sys.meta_path)
