"""torchthaw/modernize/python/supers.py: ``super()`` that a method keeps in a variable is written out."""

import ast

from ...doctor.findings import Edit, edited
from .classes import find_definitions


def change(project):
    """``parent = super(F, self)`` goes, and ``parent.forward(x)`` is ``super(F, self).forward(x)``."""
    found = {}
    for definition in find_definitions(project).values():
        for method in definition.own.values() if definition.is_instance_style else ():
            found.setdefault(definition.file, []).extend(_edits(definition.tree, method))
    for file, edits in found.items():
        file.update(edited(file.text, edits))


def _edits(tree, method):
    names = [each for each in ast.walk(method) if isinstance(each, ast.Name)]
    for statement in (each for each in method.body if isinstance(each, ast.Assign)):
        target, value = statement.targets[0], statement.value
        is_super = isinstance(value, ast.Call) and tree.dotted(value.func) == "super"
        if not (is_super and isinstance(target, ast.Name) and len(statement.targets) == 1):
            continue
        uses = [each for each in names if each.id == target.id and each is not target]
        if all(isinstance(each.ctx, ast.Load) and isinstance(tree.parents[each], ast.Attribute) for each in uses):
            yield without(tree, statement) if len(method.body) > 1 else Edit(*_span(tree, statement), "pass")
            yield from (Edit(*_span(tree, each), tree.source(value)) for each in uses)


def _span(tree, node):
    return tree.start(node), tree.end(node)


def without(tree, statement):
    """The Edit that takes a statement out; where others stand on its lines, it becomes ``pass``."""
    text, (start, end) = tree.text, _span(tree, statement)
    first = text.rfind("\n", 0, start) + 1
    after = text.find("\n", end)
    is_alone = not text[first:start].strip() and not text[end:after].strip()
    return Edit(first, after + 1, "") if is_alone else Edit(start, end, "pass")
