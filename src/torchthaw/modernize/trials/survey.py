"""torchthaw/modernize/trials/survey.py: what was found about a new project's Functions, computed once."""

import atexit
import os
from typing import NamedTuple

from . import projects, target

# What new memory is filled with: two calls give the same where they read what nobody set, which the comparison tells.
FILL = 85


class Survey(NamedTuple):
    """rows: {Target: see ``target.new_row``; None where ``error`` says why nothing is known}."""

    rows: dict
    error: str


_copies, _surveys = {}, {}  # the new project's folder -> Copies, Survey


def copies(result):
    """The Copies of a Result's projects; they go when this process ends."""
    key = os.fspath(result.folder)
    if key not in _copies:
        _copies[key] = made = projects.Copies(result)
        atexit.register(made.close)
    return _copies[key]


def survey(result):
    """The Survey of a Result: arguments that its Functions work with, and which checks they pass."""
    key = os.fspath(result.folder)
    if key not in _surveys:
        _surveys[key] = _survey(result)
    return _surveys[key]


def _survey(result):
    targets = target.of_result(result)
    rows = {each: target.new_row(each, _needs_gpu(each)) if each.gpu_calls else None for each in targets}
    targets = [each for each in targets if not each.gpu_calls]
    if rows and not targets:
        return Survey(rows, "")
    built = copies(result).new()
    if built.error:
        return Survey(rows, f"the new project cannot be built: {built.error}")
    job = {
        "kind": "find",
        "targets": [list(each) for each in targets],
        "extensions": dict(zip(result.extensions, result.old_extensions)),
        "scripts": [os.fspath(path) for path in sorted(built.folder.glob("tests/**/*.py"))],
    }
    try:
        answer = projects.ask(built, job, FILL)
    except RuntimeError as error:
        return Survey(rows, f"{error}")
    return Survey(rows | {target.Target(*words): row for words, row in answer}, "")


def _needs_gpu(each):
    return f"needs a GPU: of C it calls {', '.join(each.gpu_calls)} alone, and inputs are tried on the CPU"


def why_no_cases(each, row):
    """Why there are no arguments for a Target."""
    return row["reason"] if each.gpu_calls else f"no arguments were found that it works with ({row['reason']})"
