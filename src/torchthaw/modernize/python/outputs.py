"""torchthaw/modernize/python/outputs.py: outputs that an instance Function keeps on itself for its backward.

An attribute of ctx that is an output holds itself: output, graph, ctx, output. No call's memory is ever given back. So
the output is saved, ``self.save_for_backward(output)``, which PyTorch holds without the circle.
"""

import ast

from ...doctor.findings import Edit, edited
from . import kept
from .classes import find_definitions
from .problems import first_parameter
from .supers import without

RULE = "output-on-ctx"
# Methods that give one tensor for sure.
TENSOR = kept.VIEWS | set(
    "new clone contiguous zero_ fill_ resize_ resize_as_ copy_ float double long int byte cuda cpu type_as mul add sub div "
    "pow exp log sqrt abs neg sum mean clamp new_zeros new_ones new_empty new_full mul_ add_ sub_ div_ clamp_".split()
)
# Functions of PyTorch that give several.
SEVERAL = {"torch.split", "torch.chunk", "torch.unbind", "torch.max", "torch.min", "torch.sort", "torch.topk"}


def change(project):
    """Changes the Functions of a project; what it cannot change is remarked."""
    found = {}
    for definition in find_definitions(project).values():
        if definition.problem or not definition.is_instance_style or "forward" not in definition.own:
            continue
        forward = Forward(definition)
        for name, node in forward.kept.items():
            why = forward.why_not(name)
            how = (
                f"save it by ctx.save_for_backward and read ctx.saved_tensors ({why})" if why else "it is saved instead"
            )
            message = f"{definition.name}: {name} is an output, and on ctx no call's memory is ever given back: {how}"
            definition.file.remark(node.lineno, RULE, message, "look" if why else "done")
        found.setdefault(definition.file, []).extend(forward.edits())
    for file, edits in found.items():
        file.update(edited(file.text, edits))


class Forward:
    """One forward. kept: {attribute of the instance that is an output, or holds one: where it is assigned}."""

    def __init__(self, definition):
        self.definition, self.tree = definition, definition.tree
        self.node, self.backward = definition.own["forward"], definition.own.get("backward")
        self.own = first_parameter(self.node)
        self.kept, self._why = {}, {}
        for each in kept.find(definition):
            self.kept.setdefault(each.name, each.node)
            self._why[each.name] = self._why.get(each.name) or each.why

    def _walk(self, *types):
        return [each for each in ast.walk(self.node) if isinstance(each, types)]

    def _attribute(self, node):
        """The name of an attribute of the instance; None for anything else."""
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == self.own:
            return node.attr
        return None

    def why_not(self, name):
        """Why an attribute cannot become a saved tensor; None where it can."""
        place, backward, last = self.kept[name], self.backward, self.node.body[-1]
        if self._calls("save_for_backward"):
            return "forward saves other tensors"
        if self._why[name]:
            return self._why[name]
        if place not in self.node.body or len(place.targets) > 1 or len(self._stores(self.node, name)) > 1:
            return "it is assigned in several places, or on some ways only"
        if not isinstance(last, ast.Return) or len(self._walk(ast.Return)) > 1:
            return "forward returns in several places"
        methods = {node for each in self.definition.family for node in each.own.values()}
        if any(self._uses(node, name) for node in methods - {self.node, backward, self.definition.own.get("__init__")}):
            return "other methods use it"
        if backward is None or self._stores(backward, name) or backward.body[0].lineno == backward.lineno:
            return "backward has no place for it"
        if not self._is_tensor(place.value):
            return "it may be no tensor"
        is_same = isinstance(place.value, ast.Name) and place.value.id == name
        if is_same and any(each.lineno > place.lineno for each in self._bindings(name)):
            return "its variable is another one by then"
        if name in _names(backward) or name in _names(self.node) and not is_same:
            return "a variable has its name"
        return None

    def _calls(self, name):
        return any(self._attribute(each.func) == name for each in self._walk(ast.Call))

    def _uses(self, node, name):
        own = first_parameter(node)
        return [
            each for each in ast.walk(node)
            if isinstance(each, ast.Attribute) and each.attr == name and self.tree.dotted(each) == f"{own}.{name}"
        ]  # fmt: skip

    def _stores(self, node, name):
        return [each for each in self._uses(node, name) if not isinstance(each.ctx, ast.Load)]

    def _bindings(self, name):
        """The assignments to a variable of forward."""
        return [each for each in self._walk(ast.Assign) if any(
            isinstance(part, ast.Name) and part.id == name for target in each.targets for part in ast.walk(target)
        )]  # fmt: skip

    def _is_tensor(self, value, seen=()):
        """Whether an expression is one tensor, as far as it says."""
        if isinstance(value, ast.Name) and value.id not in seen:
            if any(each.arg == value.id for each in self._walk(ast.arg)):
                return True
            made = self._bindings(value.id)
            is_plain = all(isinstance(target, ast.Name) for each in made for target in each.targets)
            return bool(made) and is_plain and all(self._is_tensor(each.value, (*seen, value.id)) for each in made)
        if not isinstance(value, ast.Call):
            return isinstance(value, ast.BinOp)
        origin = self.tree.origin(value.func) or ""
        if origin.startswith("torch."):
            return origin not in SEVERAL
        return isinstance(value.func, ast.Attribute) and value.func.attr in TENSOR

    def edits(self):
        """The Edits that make the attributes that can be one saved tensors."""
        names = [name for name in self.kept if not self.why_not(name)]
        if not names:
            return []
        tree, found = self.tree, []
        for name in names:
            place = self.kept[name]
            if isinstance(place.value, ast.Name) and place.value.id == name:
                found.append(without(tree, place))
            for node in (self.node, self.backward):
                found += [Edit(tree.start(each), tree.end(each), name) for each in self._uses(node, name)]
        last, first = self.node.body[-1], self.backward.body[0]
        if isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant) and len(self.backward.body) > 1:
            first = self.backward.body[1]
        own = first_parameter(self.backward)
        tuple_of = ", ".join(names) + ("," if len(names) == 1 else "")
        return [
            *found, self._before(last, f"{self.own}.save_for_backward({', '.join(names)})"),
            self._before(first, f"{tuple_of} = {own}.saved_tensors"),
        ]  # fmt: skip

    def _before(self, node, text):
        start = self.tree.start(node)
        indent = self.tree.text[self.tree.text.rfind("\n", 0, start) + 1 : start]
        return Edit(start, start, f"{text}\n{indent}")


def _names(function):
    """The variables and arguments of a function."""
    return {each.id if isinstance(each, ast.Name) else each.arg for each in ast.walk(function)
            if isinstance(each, (ast.Name, ast.arg))}  # fmt: skip
