"""torchthaw/modernize/python/gradients.py: backward of an instance Function as a static method."""

import ast

import libcst as cst
import libcst.matchers as m

from .editing import statement
from .methods import as_helper, behind_docstring
from .project import defined

NONE = cst.Element(cst.Name("None"))
ONCE = cst.Decorator(cst.Name("once_differentiable"))


def as_backward(definition, method, is_sequence):
    """backward: once differentiable, gradients contiguous for C, None for each constant.

    PyTorch drops a None at the end that has no input.
    """
    node = definition.own[method.name.value]
    changed = as_helper(definition, method)
    names = {each.decorator.value for each in changed.decorators if isinstance(each.decorator, cst.Name)}
    if "once_differentiable" not in names:
        changed = changed.with_changes(decorators=[*changed.decorators, ONCE])
    if definition.most_constants:
        changed = changed.with_changes(body=changed.body.visit(Returns(definition, is_sequence)))
        if not ends(node.body):
            count = len(definition.tensors) + definition.most_constants
            last = statement(f"return {', '.join(['None'] * count)}\n")
            body = [each for each in changed.body.body if not m.matches(each, m.SimpleStatementLine([m.Pass()]))]
            changed = changed.with_changes(body=changed.body.with_changes(body=[*body, last]))
    if definition.touches_c:
        lines = [statement(f"{name} = {name}.contiguous()\n") for name in raw_gradients(node)]
        changed = changed.with_changes(body=behind_docstring(changed.body, lines))
    return changed


def raw_gradients(function):
    """The arguments of a backward that it uses otherwise than by ``.contiguous()``, whose memory C may read."""
    names = [each.arg for each in function.args.args[1:]]
    found = {}
    made = {id(each.value) for each in ast.walk(function) if isinstance(each, ast.Attribute)
            and each.attr in ("contiguous", "size", "shape", "dim", "is_cuda", "new")}  # fmt: skip
    for node in ast.walk(function):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load) and id(node) not in made:
            found[node.id] = True
    return [name for name in names if name in found and not is_made_contiguous(function.body, name)]


def is_made_contiguous(body, name):
    """Whether ``name = name.contiguous()`` comes before any other statement that has the name."""
    first = next((each for each in body if any(getattr(part, "id", None) == name for part in ast.walk(each))), None)
    return first is not None and ast.unparse(first) == f"{name} = {name}.contiguous()"


def ends(body):
    """Whether a list of statements ends by return or raise on every way."""
    last = body[-1]
    if isinstance(last, ast.If):
        return bool(last.orelse) and ends(last.body) and ends(last.orelse)
    if isinstance(last, (ast.With, ast.Try)):
        return ends(last.body)
    return isinstance(last, (ast.Return, ast.Raise))


class Returns(cst.CSTTransformer):
    """Adds None for each constant to what backward returns. is_sequence: whether an expression is a tuple or list."""

    def __init__(self, definition, is_sequence):
        super().__init__()
        self.tensors = None if definition.takes_any else len(definition.tensors)
        self.needed = sum(each.default is None for each in definition.tensors)
        self.constants, self.is_sequence = definition.most_constants, is_sequence

    def visit_FunctionDef(self, node):
        return False

    def visit_Lambda(self, node):
        return False

    def leave_Return(self, original, updated):
        value, more = updated.value, [NONE] * self.constants
        if m.matches(value, m.Call(func=m.Attribute(attr=m.Name("backward")))):
            return updated  # that of the base has them
        if value is None or m.matches(value, m.Name("None")):
            return self._returning(updated, [NONE] * (self.tensors or 1) + more)
        if isinstance(value, cst.Tuple) and not any(isinstance(each, cst.StarredElement) for each in value.elements):
            elements = list(value.elements)
            while self.tensors and len(elements) > self.tensors and m.matches(elements[-1].value, m.Name("None")):
                elements.pop()
            elements += [NONE] * ((self.tensors or 0) - len(elements))
            last = elements[-1].with_changes(comma=cst.MaybeSentinel.DEFAULT)
            return updated.with_changes(value=value.with_changes(elements=[*elements[:-1], last, *more]))
        if self.tensors and self.needed == 1 and not self.is_sequence(value):
            return self._returning(updated, [cst.Element(value), *[NONE] * (self.tensors - 1), *more])
        starred = [cst.StarredElement(value), *more]
        return updated.with_changes(value=cst.Tuple(starred))

    def _returning(self, node, elements):
        return node.with_changes(
            value=cst.Tuple(elements, lpar=[], rpar=[]), whitespace_after_return=cst.SimpleWhitespace(" ")
        )


def sequence_test(definition):
    """Whether an expression that backward returns is surely a tuple or a list: a function for ``Returns``."""
    node = definition.own.get("backward")
    values = {}
    for each in ast.walk(node) if node else ():
        if isinstance(each, ast.Assign) and isinstance(each.targets[0], ast.Name):
            values.setdefault(each.targets[0].id, []).append(each.value)

    def is_sequence(text, seen=()):
        parsed = text if isinstance(text, ast.AST) else ast.parse(cst.Module([]).code_for_node(text), mode="eval").body
        if isinstance(parsed, (ast.Tuple, ast.List, ast.ListComp)):
            return True
        if isinstance(parsed, ast.Name) and parsed.id in values and parsed.id not in seen:
            return any(is_sequence(each, (*seen, parsed.id)) for each in values[parsed.id])
        if isinstance(parsed, ast.Call):
            called = definition.tree.dotted(parsed.func)
            if called in ("tuple", "list"):
                return True
            found = definition.project.find(definition.file, called)
            function = found and defined(found[0].tree)[found[1]]
            returned = [each.value for each in ast.walk(function) if isinstance(each, ast.Return)] if function else []
            return bool(returned) and all(isinstance(each, ast.Tuple) for each in returned)
        return False

    return is_sequence
