"""torchthaw/legacy/run/children/sitecustomize.py: the Python processes that a build file starts find torch.utils.ffi too."""

import os
import runpy
import sys
from importlib.machinery import PathFinder

_here = os.path.dirname(os.path.abspath(__file__))
runpy.run_path(os.path.join(_here, "..", "..", "..", "activate.py"))

# The environment's own sitecustomize, which this one stands before.
_other = PathFinder.find_spec("sitecustomize", [folder for folder in sys.path if os.path.abspath(folder) != _here])
if _other is not None and _other.origin:
    runpy.run_path(_other.origin)
