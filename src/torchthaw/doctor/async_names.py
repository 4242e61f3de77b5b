"""torchthaw/doctor/async_names.py: `async` as a name, which is a keyword since Python 3.7."""

import re

from .findings import Edit
from .matching import Hit
from .reading.source import PYTHON_TOKENS, blank
from .rules import EDIT

ASYNC = re.compile(r"\basync\b(?!\s+(?:def|for|with)\b)")
MESSAGE = "`async` is a keyword since Python 3.7"
MOST = 20_000  # characters of arguments before it
# What PyTorch gave this argument.
OF_PYTORCH = {"cuda", "cpu", "to", "type", "copy_"}


def hits(text, project):
    """A Hit for each line with ``async`` as a name: non_blocking, as PyTorch calls it, for all of them.

    Certain for what PyTorch takes or the project defines; another function may have chosen another name.
    """
    code = blank(text, PYTHON_TOKENS, ("comment", "string"))
    found = list(ASYNC.finditer(code))
    free = not re.search(r"\bnon_blocking\b", code)
    for match in found:
        callee = _callee(code, match.start())
        # The file's own names are all renamed; a keyword belongs to what is called.
        is_keyword = callee and not callee.startswith("def ") and code[match.end() :].lstrip()[:1] == "="
        known = not is_keyword or callee in OF_PYTORCH | project.takes_async
        before = code[code.rfind("\n", 0, match.start()) + 1 : match.start()]
        known &= not before.rstrip().endswith(".") and not re.search(r"\bimport\b", before)
        edit = Edit(*match.span(), "non_blocking")
        yield Hit(match.start(), EDIT, "async-keyword", MESSAGE, (edit,), known and (free or callee in OF_PYTORCH))


def _callee(code, position):
    """The name before the parenthesis that encloses ``position``, ``def name`` for a definition; None without one."""
    depth = 0
    for index in range(position - 1, max(position - MOST, -1), -1):
        depth += {")": 1, "]": 1, "}": 1, "(": -1, "[": -1, "{": -1}.get(code[index], 0)
        if depth < 0:
            name = re.search(r"(?:\bdef\s+)?\w+\s*$", code[max(0, index - 200) : index])
            return " ".join(name[0].split()) if name and code[index] == "(" else None
    return None
