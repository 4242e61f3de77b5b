"""torchthaw/modernize/python/values.py: divisions of integers, and reductions that kept their dimension."""

import ast
import itertools

from ...doctor import kinds
from ...doctor.findings import Edit, edited
from ...doctor.rules.find_values import Reduced, kept_dimension, quotient
from ...doctor.rules.rule import is_constant, keyword

TRUNCATED = ', rounding_mode="trunc")'


def change(file):
    """Changes what the doctor's inference is sure of."""
    found = {(position, *edits): (rule, message) for position, rule, message, edits in _found(file)}
    for (position, *_), (rule, message) in found.items():
        file.remark(file.text.count("\n", 0, position) + 1, rule, message, "done")
    # What is put in at one place stands one after the other: quotients of quotients begin there.
    changes = sorted(edit for _, *edits in found for edit in edits)
    merged = [
        Edit(start, end, "".join(edit.new for edit in same))
        for (start, end), same in itertools.groupby(changes, key=lambda edit: (edit.start, edit.end))
    ]
    file.update(edited(file.text, merged))


def _found(file):
    """(position, rule, message, edits) of each thing to change."""
    yield from _divisions(file.tree)
    yield from _kept(file.tree)
    if file.is_python2:
        for each in quotient(file.tree, None):
            yield each.node, "integer-quotient", "integers divided by integers gave integers in Python 2", each.edits


def _divisions(tree):
    """Tensors of integers divided by integers, which cut the fraction."""
    kind, message = kinds.of(tree), "tensors of integers cut the fraction of a quotient; now it is asked for"
    for node in tree.all(ast.BinOp, ast.AugAssign):
        left = node.left if isinstance(node, ast.BinOp) else node.target
        right = node.right if isinstance(node, ast.BinOp) else node.value
        if not isinstance(node.op, ast.Div) or kind(left) != "whole" or kind(right) not in ("whole", "int"):
            continue
        start, end = tree.start(node), tree.end(node)
        first, last = _between(tree, left, right, "/" if isinstance(node, ast.BinOp) else "/=")
        if isinstance(node, ast.BinOp):
            edits = Edit(start, start, "torch.div("), Edit(first, last, ", "), Edit(end, end, TRUNCATED)
            if _torch(tree):
                yield start, "integer-division", message, edits
        else:
            yield start, "integer-division", message, (Edit(first, last, ".div_("), Edit(end, end, TRUNCATED))
    for node in tree.all(ast.Call):
        if isinstance(node.func, ast.Attribute) and node.func.attr in ("div", "div_") and len(node.args) == 1:
            of_library = tree.origin(node.func.value) in ("torch", "numpy")
            if (
                of_library
                or node.keywords
                or kind(node.func.value) != "whole"
                or kind(node.args[0]) not in ("whole", "int")
            ):
                continue
            end = tree.end(node)
            yield tree.start(node), "integer-division", message, (Edit(end - 1, end, TRUNCATED),)


def _torch(tree):
    """Whether the name ``torch`` is PyTorch in this file."""
    return tree.imports.get("torch") == {"torch"}


def _between(tree, left, right, operator):
    """Where an operator and the spaces around it stand."""
    start = tree.code.index(operator, tree.end(left))
    end = start + len(operator)
    while start > tree.end(left) and tree.text[start - 1] in " \t":
        start -= 1
    while tree.text[end] in " \t":
        end += 1
    return start, end


def _kept(tree):
    """Reductions whose result is used as if it still had the dimension, as 0.1 left it."""
    reduced = Reduced(tree)
    for found in kept_dimension(tree, None):
        call = next((each for each in tree.all(ast.Call) if tree.end(each.func) - 1 == found.node), None)
        if call is None or not isinstance(call.func, ast.Attribute):
            continue
        dimension = reduced.used(call)
        owner = next((each for each in tree.ancestors(dimension) if isinstance(each, ast.Call)), None)
        if owner is None or keyword(owner, "keepdim") or is_constant(dimension, None):
            continue
        end = tree.end(owner) - 1
        before = tree.text[:end].rstrip()
        new = "keepdim=True" if before.endswith(",") else ", keepdim=True"
        message = "reductions kept the dimension before 0.2, which this code needs"
        yield tree.start(owner), "keepdim", message, (Edit(len(before), len(before), new),)
