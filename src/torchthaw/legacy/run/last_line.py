"""torchthaw/legacy/run/last_line.py: a line below a traceback of a script whose reason the traceback does not say."""

import re
import sys
from functools import wraps

from ...base.printing import one_line, shell_word

UNDEFINED = re.compile(r"(/.*): undefined symbol: ")
LOCAL = re.compile(r"invalid literal for int\(\) with base 10: '\d+\+\w+'")


def replace():
    """Has sys.excepthook print it."""
    if getattr(sys.excepthook, "of_torchthaw", False):
        return
    show = sys.excepthook

    @wraps(show)
    def excepthook(kind, error, traceback):
        show(kind, error, traceback)
        line = found(error)
        if line:
            print(f"torchthaw: {one_line(line)}", file=sys.stderr)

    excepthook.of_torchthaw = True
    sys.excepthook = excepthook


def found(error):
    """The line, or ""."""
    version = getattr(sys.modules.get("torch"), "__version__", "")
    if isinstance(error, ValueError) and LOCAL.search(str(error)) and "+" in version:
        return f"torch.__version__ is {version}: a part of it is no number; compare torch.torch_version.TorchVersion, or two parts"
    undefined = UNDEFINED.match(str(error)) if isinstance(error, ImportError | OSError) else None
    if undefined:
        return f"python -m torchthaw doctor --so {shell_word(undefined[1])} says which PyTorch has its names"
    return ""
