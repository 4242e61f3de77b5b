"""torchthaw/doctor/age.py: how old the code of a project can be, and which rules are off for newer code.

A finding to ``edit`` names what fails today, whoever wrote it, and stays. One to ``check`` or of a ``mode`` asks whether
the code was written for another Python or PyTorch; where it cannot have been, it is left out.
"""

import ast
import re
from typing import NamedTuple

from .reading.source import PYTHON_TOKENS, blank
from .rules import CHECK, MODE

PYTHON2 = {"implicit-import", "integer-quotient", "python2-name", "python2-command"}
# {rule: the first PyTorch whose code means what today's does}. The error of torch.load names its own cure.
PYTORCH = {
    "keepdim": (0, 2), "tensor-index": (0, 2),
    **dict.fromkeys(
        ("arange", "data-index-maybe", "dropout", "empty-tensor", "integer-gradient", "process-exit", "torch-load"),
        (1, 0),
    ),
    "mask-arithmetic": (1, 2), "align-corners": (1, 3), "integer-division": (1, 5),
}  # fmt: skip

# Syntax of Python 3 and its minor version, in code without strings; newest first.
NEWER = [
    ("match", 10, re.compile(r"^[ \t]*match\b[^\n=]*:[ \t]*\n\s+case\b", re.MULTILINE)),
    (":=", 8, re.compile(r"\w\s*:=")),
]
# The rest, by nodes of the tree, and where any of it may be, without a tree.
NODES = {
    ast.JoinedStr: "an f-string", ast.AnnAssign: "a type hint", ast.Nonlocal: "nonlocal", ast.YieldFrom: "yield from",
    ast.AsyncFunctionDef: "async def", ast.MatMult: "@ as an operator",
}  # fmt: skip
SYNTAX = re.compile(
    r"\b(?:[fF][rR]?|[rR][fF])['\"]|\bnonlocal\b|\byield from\b|\basync def\b|->|\w\s*:\s*\w| @ ", re.MULTILINE
)
ASKED = re.compile(r"\b(?:python_requires|requires-python)\s*=\s*['\"]\s*(?:>=|==|~=|>)\s*3(?:\.(\d+))?")
TORCH_ASKED = re.compile(r"\btorch\s*(?:>=|==|~=)\s*(\d+)\.(\d+)")
SETTINGS = ("pyproject.toml", "setup.cfg", "requirements.txt")
# The first PyTorch that has a wheel for a Python 3.
FIRST_TORCH = {7: (0, 4), 8: (1, 4), 9: (1, 8), 10: (1, 11), 11: (1, 13), 12: (2, 2), 13: (2, 5), 14: (2, 9)}

# Names of Python and C++, by the PyTorch that brought them; newest first.
NAMES = [
    (version, re.compile(pattern)) for version, pattern in (
        ((2, 4), r"\btorch\.amp\.custom_(?:fwd|bwd)\b|\btorch\.library\.custom_op\b"),
        ((2, 0), r"\btorch\.compile\(|\bscaled_dot_product_attention\b|\btorch\.func\b"),
        ((1, 9), r"\btorch\.inference_mode\b"),
        ((1, 8), r"\btorch\.(?:fft|linalg)\.\w+\(|\bTORCH_LIBRARY\b"),
        ((1, 6), r"\btorch\.cuda\.amp\b"),
        ((1, 3), r"\bpacked_accessor(?:32|64)\b|\.data_ptr<"),
        ((1, 2), r"\bTORCH_CHECK\b"),
        ((1, 0), r"torch/extension\.h|\btorch\.distributed\.launch\b|\btorch\.hub\b"),
    )
]  # fmt: skip
OF_OLD = re.compile(r"\btorch\.utils\.ffi\b|\bcreate_extension\(")


class Evidence(NamedTuple):
    """A version that the code needs, where that is seen, and by what: ``a.py:3 has an f-string``."""

    version: tuple
    text: str


class Age(NamedTuple):
    """python, torch: the Evidence of Python 3, and of the newest PyTorch; None where there is none."""

    python: Evidence | None = None
    torch: Evidence | None = None

    def leaves_out(self, finding):
        if finding.effect not in (CHECK, MODE):
            return False
        since = PYTORCH.get(finding.rule)
        return bool(self.python and finding.rule in PYTHON2 or self.torch and since and self.torch.version >= since)

    def line(self, count):
        """What is off, why, and how many notes that leaves out; None where it leaves out none."""
        old = ["Python 2"] if self.python else []
        off = [since for since in PYTORCH.values() if self.torch and self.torch.version >= since]
        old += [f"PyTorch before {'.'.join(map(str, max(off)))}"] if off else []
        why = dict.fromkeys(each.text for each in self if each)
        notes = f"{count} note{'' if count == 1 else 's'} left out"
        return f"rules for {' and '.join(old)} are off, {notes}: {', '.join(why)}" if old and count else None


def of(project):
    """The Age of a project; one with torch.utils.ffi may be any."""
    if any(OF_OLD.search(code) for code in project.python.values()):
        return Age()
    python = max(_python(project), default=None, key=lambda each: each.version)
    torch = list(_torch(project))
    if python and python.version[1] in FIRST_TORCH:
        torch.append(Evidence(FIRST_TORCH[python.version[1]], python.text))
    return Age(python, max(torch, key=lambda each: each.version, default=None))


def _place(project, file, text, position):
    return f"{file.relative_to(project.root).as_posix()}:{text.count(chr(10), 0, position) + 1}"


def _settings(project):
    """(file, text) of what may ask for a Python and a PyTorch."""
    for file in project.python:
        text = project.texts[file]
        if ASKED.search(text) or TORCH_ASKED.search(text):
            yield file, blank(text, PYTHON_TOKENS, ("comment",))
    for name in SETTINGS:
        text = project.settings(name)
        if text is not None:
            yield project.root / name, text


def _python(project):
    for file, text in _settings(project):
        for match in ASKED.finditer(text):
            asked = f"{_place(project, file, text, match.start())} asks for Python 3{'.' if match[1] else ''}"
            yield Evidence((3, int(match[1] or 0)), asked + (match[1] or ""))
    for name, minor, pattern in NEWER:
        for file, code in project.python.items():
            match = pattern.search(code)
            if match:
                yield Evidence((3, minor), f"{_place(project, file, code, match.start())} has {name}")
                return
    for file in project.python:
        found = _syntax(project.tree(file)) if SYNTAX.search(project.texts[file]) else None
        if found:
            yield Evidence((3, 6), f"{file.relative_to(project.root).as_posix()}:{found[1]} has {found[0]}")
            return


def _syntax(tree):
    """(name, line) of syntax that only Python 3 has; None without it."""
    for kind, name in NODES.items() if tree else ():
        for node in tree.all(kind)[:1]:
            return name, getattr(node, "lineno", None) or tree.parents[node].lineno  # an operator has none
    for node in tree.all(ast.FunctionDef) if tree else ():
        every = [*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs]
        if node.returns or any(each.annotation for each in every):
            return "a type hint", node.lineno
    return None


def _torch(project):
    for file, text in _settings(project):
        for match in TORCH_ASKED.finditer(text):
            yield Evidence(
                (int(match[1]), int(match[2])), f"{_place(project, file, text, match.start())} has {match[0]}"
            )
    for version, pattern in NAMES:
        for file, code in (*project.python.items(), *project.code.items()):
            match = pattern.search(code)
            if match:
                yield Evidence(version, f"{_place(project, file, code, match.start())} has {match[0].rstrip('(<')}")
                return
