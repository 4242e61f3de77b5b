"""torchthaw/modernize/python/kept.py: the outputs that a forward keeps on its instance, in whatever way."""

import ast
from typing import NamedTuple

from .problems import first_parameter

# Methods that give a view, which keeps its tensor.
VIEWS = set("view view_as expand expand_as squeeze unsqueeze t transpose permute narrow select detach".split())
# Those that give the tensor itself, or several views.
SAME = {"contiguous", "reshape", "chunk", "split", "unbind", "unfold"}
CONTAINERS = {"tuple", "list", "dict", "set", "OrderedDict", "collections.OrderedDict"}
ADDS = {"append", "extend", "insert", "add", "update", "setdefault", "__setitem__", "appendleft"}


HOLDS = "it holds an output or a view of one"
OTHERWISE = "it is kept in another way than by an assignment of its own"


class Kept(NamedTuple):
    """node: the statement or call of forward. why: why it cannot be saved instead; None for an output itself."""

    name: str
    node: ast.AST
    why: str | None


def find(definition):
    """[Kept] of the forward of a Definition."""
    node = definition.own["forward"]
    method = Method(definition, node)
    returned = [each.value for each in ast.walk(node) if isinstance(each, ast.Return) and each.value]
    parts = [part for each in returned for part in _parts(each)]
    calls = [each for each in ast.walk(node) if isinstance(each, ast.Call)]
    without_graph = [
        part for each in calls if method.key(each.func) == ".mark_non_differentiable" for part in each.args
    ]
    outputs = {method.key(part) for part in parts} - {method.key(part) for part in without_graph}
    return list(method.kept(outputs - {None}, ()))


def _parts(value):
    """The outputs of what forward returns: those of a tuple, and of ``tuple(outputs)`` the outputs."""
    if isinstance(value, ast.Call) and getattr(value.func, "id", None) in ("tuple", "list") and len(value.args) == 1:
        value = value.args[0]
    parts = value.elts if isinstance(value, (ast.Tuple, ast.List)) else [value]
    return [each.value if isinstance(each, ast.Starred) else each for each in parts]


class Method:
    """A method of a Definition."""

    def __init__(self, definition, node):
        self.definition, self.node, self.own = definition, node, first_parameter(node)
        self.pairs = [(target, value, each) for each in ast.walk(node) for target, value in _assignments(each)]

    def key(self, node):
        """``name`` of a variable, ``.name`` of an attribute of the instance; None for anything else."""
        if isinstance(node, ast.Name):
            return node.id
        is_own = isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == self.own
        return f".{node.attr}" if is_own else None

    def kept(self, holding, above):
        """Each Kept. holding: the keys of what is an output. above: the methods that call this one."""
        outputs = self._same(holding)
        holding = self._all(outputs)
        for target, value, statement in self.pairs:
            while isinstance(target, (ast.Subscript, ast.Starred)):
                target = target.value
            key = self.key(target) or ""
            if key.startswith(".") and (key in holding or value is not None and self._holds(value, holding)):
                is_plain = isinstance(statement, ast.Assign) and target in statement.targets
                is_output = key in outputs or self.key(value) in outputs
                yield Kept(key[1:], statement, (None if is_output else HOLDS) if is_plain else OTHERWISE)
        for call in (each for each in ast.walk(self.node) if isinstance(each, ast.Call)):
            given = [*call.args, *(each.value for each in call.keywords)]
            if any(self._holds(each, holding) for each in given):
                yield from self._of_call(call, holding, above)

    def _same(self, outputs):
        """``outputs`` with the variables that are the same objects."""
        names = [(target, value) for target, value, _ in self.pairs if isinstance(value, ast.Name)]
        found = set(outputs)
        for _ in names:
            for target, value in names:
                key = self.key(target)
                if value.id in found and isinstance(target, ast.Name):
                    found.add(key)
                if key in found and sum(self.key(each) == key for each, _, _ in self.pairs) == 1:
                    found.add(value.id)
        return found

    def _all(self, holding):
        """``holding`` with the variables that are assigned what holds one of it."""
        found = set(holding)
        while True:
            more = {target.id for target, value, _ in self.pairs
                    if isinstance(target, ast.Name) and value is not None and self._holds(value, found)}  # fmt: skip
            if more <= found:
                return found
            found |= more

    def _holds(self, value, holding):
        """Whether a value is an output, has one in it, or is a view of one."""
        if isinstance(value, (ast.Tuple, ast.List, ast.Set)):
            return any(self._holds(each, holding) for each in value.elts)
        if isinstance(value, ast.Dict):
            return any(self._holds(each, holding) for each in value.values)
        if isinstance(value, (ast.Subscript, ast.Starred, ast.NamedExpr)):
            return self._holds(value.value, holding)
        if isinstance(value, ast.IfExp):
            return self._holds(value.body, holding) or self._holds(value.orelse, holding)
        if isinstance(value, ast.BoolOp):
            return any(self._holds(each, holding) for each in value.values)
        if isinstance(value, ast.Call):
            function = value.func
            if self.definition.tree.dotted(function) in CONTAINERS:
                return any(
                    self._holds(each, holding) for each in [*value.args, *(each.value for each in value.keywords)]
                )
            name = function.attr if isinstance(function, ast.Attribute) else ""
            is_same = name in VIEWS | SAME or name.endswith("_") and not name.endswith("__")
            return is_same and self._holds(function.value, holding)
        return self.key(value) in holding

    def _of_call(self, call, holding, above):
        """What a call that is given an output keeps: ``setattr(self, ...)``, ``self.kept.append(...)``, a helper."""
        function = call.func
        if getattr(function, "id", None) == "setattr" and len(call.args) == 3 and self.key(call.args[0]) == self.own:
            yield Kept(getattr(call.args[1], "value", None) or "an attribute", call, OTHERWISE)
        if not isinstance(function, ast.Attribute):
            return
        receiver = self.key(function.value) or ""
        if function.attr in ADDS and receiver.startswith("."):
            yield Kept(receiver[1:], call, OTHERWISE)
        owner, helper = self.definition.method(function.attr) if receiver == self.own else (None, None)
        if helper is not None and helper not in above and helper is not self.node:
            names = [each.arg for each in [*helper.args.posonlyargs, *helper.args.args]][1:]
            given = [*zip(names, call.args), *((each.arg, each.value) for each in call.keywords)]
            inside = {name for name, value in given if self._holds(value, holding)}
            for each in Method(self.definition, helper).kept(inside, (*above, self.node)):
                yield each._replace(node=call, why=OTHERWISE)


def _assignments(node):
    """(target, value) of each part of an assignment; the value is None where it is not known."""
    if isinstance(node, ast.Assign):
        for target in node.targets:
            yield from _pairs(target, node.value)
            yield from ((target, each) for each in node.targets if each is not target)
    elif isinstance(node, (ast.AugAssign, ast.AnnAssign, ast.NamedExpr)):
        yield node.target, node.value


def _pairs(target, value):
    if not isinstance(target, (ast.Tuple, ast.List)):
        yield target, value
        return
    is_same = isinstance(value, (ast.Tuple, ast.List)) and len(value.elts) == len(target.elts)
    has_star = any(isinstance(each, ast.Starred) for each in [*target.elts, *getattr(value, "elts", ())])
    for index, each in enumerate(target.elts):
        yield from _pairs(each, value.elts[index] if is_same and not has_star else value)
