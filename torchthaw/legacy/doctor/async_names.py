"""torchthaw/legacy/doctor/async_names.py: `async` as a name, which is a keyword since Python 3.7."""

import re

from .findings import Edit
from .matching import Hit
from .rules import EDIT
from .source import PYTHON_TOKENS, blank

ASYNC = re.compile(r"\basync\b(?!\s+(?:def|for|with)\b)")
MESSAGE = "`async` is a keyword since Python 3.7"
# What PyTorch gave this argument.
OF_PYTORCH = {"cuda", "cpu", "to", "type", "copy_"}


def hits(text, project):
    """A Hit for each line with ``async`` as a name: non_blocking, as PyTorch calls it, for all of them.

    Certain for what PyTorch takes or the project defines; another function may have chosen another name.
    """
    code = blank(text, PYTHON_TOKENS, ("comment", "string"))
    found = list(ASYNC.finditer(code))
    free = not re.search(r"\bnon_blocking\b", code)
    defined = re.search(r"^[ \t]*async\s*=(?!=)|\b(?:for|as)\s+async\b", code, re.MULTILINE)
    for match in found:
        callee = _callee(code, match.start())
        if code[match.end() :].lstrip()[:1] == "=" and callee:
            known = callee.startswith("def ") or callee in OF_PYTORCH | project.takes_async
        else:
            # a parameter, or one that is used
            known = bool(callee and callee.startswith("def ")) or bool(defined) or bool(_parameters(code))
        known &= code[: match.start()].rstrip()[-1:] != "." and not re.search(
            r"\bimport\b[^\n]*$", code[: match.start()]
        )
        edit = Edit(*match.span(), "non_blocking")
        yield Hit(match.start(), EDIT, "async-keyword", MESSAGE, (edit,), known and (free or callee in OF_PYTORCH))


def _parameters(code):
    """Whether a function or lambda here has a parameter ``async``."""
    return re.search(r"\bdef\s+\w+\s*\((?:[^()]|\([^()]*\))*\basync\b|\blambda\b[^:\n]*\basync\b", code)


def _callee(code, position):
    """The name before the parenthesis that encloses ``position``, ``def name`` for a definition; None without one."""
    depth = 0
    for index in range(position - 1, -1, -1):
        depth += {")": 1, "]": 1, "}": 1, "(": -1, "[": -1, "{": -1}.get(code[index], 0)
        if depth < 0:
            name = re.search(r"(?:\bdef\s+)?\w+\s*$", code[max(0, index - 200) : index])
            return " ".join(name[0].split()) if name and code[index] == "(" else None
    return None
