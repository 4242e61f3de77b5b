"""torchthaw/legacy/doctor/python_files.py: what rules of one line cannot see in Python files."""

import ast
import re
import sys

from . import python2
from .rules import CHECK, EDIT

IMPORT = re.compile(r"^(\s*)(?:from (\w+)((?:\.\w+)*) import\b|import (\w+)(?=\s*(?:$|\bas\b)))")


def examine(report, project, file, text, edited, code):
    """``edited``: ``text`` with the edits of rules; ``code``: without comments and strings."""
    readable = text if python2.parse_error(text) is None else _examine_syntax(report, text.splitlines(), edited)
    _examine_calls(report, project, readable, text.splitlines())
    _examine_imports(report, project, file, code)


def _examine_syntax(report, lines, edited):
    """Adds the edits that make it Python 3; returns the text with them made, or as it is where that is not known."""
    if python2.parse_error(edited) is None:
        return edited
    translated = python2.translate(edited)
    if translated is not None:
        for first, last, after in python2.changes(edited, translated):
            before = "\n".join(lines[first:last])
            report.add(first + 1, EDIT, "python2-syntax", "Python 2 syntax", before.strip(), after.strip())
    error = python2.parse_error(translated or edited)
    if error is not None:
        message = f"Python 3 cannot parse this: {error.msg}"
        report.add(error.lineno or 0, EDIT, "syntax", message, (error.text or "").strip())
    return translated or edited


def _examine_calls(report, project, readable, lines):
    """Calls of C functions with another number of arguments than their prototypes have."""
    if not project.parameter_counts or python2.parse_error(readable) is not None:
        return
    for node in ast.walk(ast.parse(readable)):
        if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
            continue
        expected = project.parameter_counts.get(node.func.attr)
        starred = any(isinstance(argument, ast.Starred) for argument in node.args)
        if expected is not None and not starred and not node.keywords and len(node.args) != expected:
            message = f"{node.func.attr} takes {expected} arguments, and gets {len(node.args)}"
            before = lines[node.lineno - 1].strip() if node.lineno <= len(lines) else None
            report.add(node.lineno, CHECK, "argument-count", message, before)


def _examine_imports(report, project, file, code):
    """Imports in a package of what lies beside the file: Python 2 looked there first."""
    if not (file.parent / "__init__.py").exists():
        return
    outside = {path.stem if path.is_file() else path.name for path in project.root.iterdir()}
    packages = {folder.name for folder in file.parents}
    for number, line in enumerate(code.split("\n"), 1):
        match = IMPORT.match(line)
        name = match and (match[2] or match[4])
        if not name or name in sys.stdlib_module_names or name in packages:
            continue
        if name in outside and file.parent != project.root:
            continue
        if (file.parent / f"{name}.py").exists() or (file.parent / name).is_dir():
            new = f"from .{name}{match[3]} import" if match[2] else f"from . import {name}"
            message = "in a package Python 3 needs the dot; without it only scripts started in this folder find it"
            after = (match[1] + new + line[match.end() :]).strip()
            report.add(number, CHECK, "implicit-import", message, line.strip(), after)
