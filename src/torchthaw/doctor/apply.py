"""torchthaw/doctor/apply.py: the certain edits, as a diff and written to the files."""

import ast
import difflib
import re
import warnings
from typing import NamedTuple

from ..base.printing import diff_name
from .project import kind
from .reading.textfile import opcodes, remove_left_over
from .rules import PYTHON


class Written(NamedTuple):
    """changed: {path: how many lines}. failed: {path: why it was not written}. linked: {path: how many other names the
    file had, which keep the old text}. removed: files that an earlier run left when it was killed.
    """

    changed: dict
    failed: dict
    linked: dict
    removed: list


def diff(examination):
    """A unified diff, in bytes, of what ``write`` writes; its paths begin with a/ and b/, as git's do."""
    parts = []
    for report, source in _edited(examination):
        old, new = source.data, source.encoded(report.edited)
        names = [diff_name(f"{side}/{report.path}") for side in "ab"]
        for line in difflib.diff_bytes(difflib.unified_diff, _lines(old), _lines(new), *names):
            parts.append(line if line.endswith(b"\n") else line + b"\n\\ No newline at end of file\n")
    return b"".join(parts)


def _lines(data):
    """Lines as diffs have them: ended by \\n alone, with a \\r as a part of them."""
    return re.findall(rb"[^\n]*\n|[^\n]+", data)


def write(examination):
    """Makes the certain edits; what was Written. Each file is replaced in one step.

    Only regular files below the examined path are written: a symbolic link is left alone, and what it leads to is
    written where that lies there too.
    """
    changed, failed, linked = {}, {}, {}
    removed = [path for path in examination.project.left_over if remove_left_over(path)]
    root = examination.project.root.resolve()
    for report, source in _edited(examination):
        try:
            if source.path.is_symlink() or not source.path.resolve().is_relative_to(root):
                raise RuntimeError("it is a symbolic link")
            if kind(source.path) == PYTHON:
                _parse(source.encoded(report.edited))
            others = source.write(report.edited)
        except (OSError, RuntimeError, UnicodeError, SyntaxError) as error:
            failed[report.path] = getattr(error, "strerror", None) or str(error)
        else:
            old, new = report.text.split("\n"), report.edited.split("\n")
            linked.update({report.path: others} if others else {})
            changed[report.path] = sum(
                max(last - first, new_last - new_first)
                for what, first, last, new_first, new_last in opcodes(old, new) if what != "equal"
            )  # fmt: skip
    return Written(changed, failed, linked, removed)


def _edited(examination):
    """[(report, TextFile)] of the files that certain edits change."""
    sources = {source.path.relative_to(examination.project.root).as_posix(): source
               for source in examination.project.sources.values()}  # fmt: skip
    return [(report, sources[report.path]) for report in examination.reports if report.edited != report.text]


def _parse(data):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        ast.parse(data)
