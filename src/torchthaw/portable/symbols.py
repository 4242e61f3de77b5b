"""torchthaw/portable/symbols.py: looks into a linked extension: it needs no name of PyTorch, and shows only its PyInit."""

import re
import shutil

from ..base import child
from ..base.errors import BuildError
from ..extension import symbols

# Names of C++ in PyTorch's namespaces, also of types and their tables, and its C functions.
OF_PYTORCH = re.compile(r"_Z(?:T[ISVT]|GV)?N?K?(?:2at|3c10|5torch|6caffe2)(?![a-z])|aoti_torch_|torch_|THP[A-Z]")
MOST = 5  # names in a message

NEEDED = (
    "{file}: expected no name of PyTorch that must exist when the extension is loaded, got {names}; a source or an "
    "object declares it itself, or was compiled with PyTorch's own headers"
)
SHOWN = "{file}: expected PyInit_ functions alone among the names that others see, got {names}"


def check(made):
    """Raises BuildError for a shared object that is bound to one PyTorch, or that others could be bound to.

    Weak undefined names are allowed: the loader leaves those empty that a PyTorch lacks. Nothing is checked without nm.
    """
    if not shutil.which("nm"):
        return
    needed = [name for name, kind in _listed(made, "--undefined-only") if kind == "U" and OF_PYTORCH.match(name)]
    if needed:
        raise BuildError(NEEDED.format(file=made.name, names=_some(needed)))
    shown = [name for name, _ in _listed(made, "--defined-only") if not name.startswith("PyInit_")]
    if shown:
        raise BuildError(SHOWN.format(file=made.name, names=_some(shown)))


def _listed(made, which):
    """(name, kind) of the dynamic symbols."""
    lines = child.answer(["nm", "-D", which, "--format=posix", made]).out.splitlines()
    return [(words[0].partition("@")[0], words[1]) for words in map(str.split, lines)]


def _some(names):
    names = sorted(names)
    more = f" and {len(names) - MOST} more" if len(names) > MOST else ""
    return ", ".join(symbols.readable(names[:MOST])) + more
