"""torchthaw/doctor/reading/search_paths.py: the folders that a Python file adds to sys.path, as far as it says."""

import ast
import re
from pathlib import PurePosixPath

from .tree import TooDeep, Tree

READS = {"remove", "pop", "index", "count", "copy"}  # methods that add no folder
CALLS = {"print", "len", "list", "tuple", "set", "sorted", "enumerate", "str", "repr", "iter", "pprint"}
FROM = re.compile(r"^\s*from sys import\b.*\bpath\b", re.MULTILINE)


def may_add(text, code, folder):
    """Whether a file may add ``folder`` to sys.path; ``code`` is its text without comments and strings.

    A folder that is computed may be any.
    """
    if FROM.search(code):
        return True
    if "sys.path" not in code:
        return False
    try:
        tree = Tree(text)
    except (SyntaxError, TooDeep):
        return True
    return any(
        _may_be(each, folder) for node in tree.all(ast.Attribute) if tree.dotted(node) == "sys.path"
        for each in _added(tree, node)
    )  # fmt: skip


def _added(tree, node):
    """The expressions of the folders that a use of sys.path adds; None for one that is not known."""
    parent = tree.parents[node]
    call = tree.parents.get(parent)
    if isinstance(parent, ast.Attribute) and isinstance(call, ast.Call) and call.func is parent:
        if parent.attr in READS:
            return []
        return {"append": call.args[:1], "insert": call.args[1:2], "extend": _elements(call.args[:1])}.get(
            parent.attr, [None]
        )
    if isinstance(parent, ast.Subscript) and parent.value is node:
        return [] if isinstance(parent.ctx, (ast.Load, ast.Del)) else _assigned(tree, parent)
    if not isinstance(node.ctx, ast.Load):
        return _assigned(tree, node)
    is_read = isinstance(parent, (ast.Compare, ast.For, ast.comprehension, ast.Assert))
    if is_read or isinstance(parent, ast.Call) and node in parent.args and tree.dotted(parent.func) in CALLS:
        return []
    return [None]


def _assigned(tree, target):
    statement = tree.parents[target]
    return _elements([getattr(statement, "value", None)])


def _elements(values):
    """The elements of a list that is written out; None for any other."""
    (value,) = values or [None]
    return value.elts if isinstance(value, (ast.List, ast.Tuple)) else [value]


def _may_be(node, folder):
    """Whether an expression may be a folder: by the end of its path where it is relative."""
    if not (isinstance(node, ast.Constant) and isinstance(node.value, str)):
        return True
    path = PurePosixPath(node.value)
    if path.is_absolute():
        return path == PurePosixPath(folder.resolve())
    parts = [part for part in path.parts if part != ".."]
    return tuple(parts) == folder.resolve().parts[-len(parts) :] if parts else True
