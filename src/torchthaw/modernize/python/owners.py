"""torchthaw/modernize/python/owners.py: x.data was x's own tensor, so resizing it resized x.

Today ``x.data`` is another tensor on x's memory: a method or C function that resizes it leaves x as it was. So x gets
the resized tensor back, ``x.data = x.data.resize_(4)``, and a C function that resizes its argument gets x itself. What
cannot be decided is remarked.
"""

import ast
import re

from ...doctor.findings import Edit, edited
from ...doctor.rules.rule import keyword
from .. import c_resizes
from .callees import C, callees, parameters, scope_of, values

RULE = "data-resize"
# Methods that change sizes or strides in place: data_owner.MUTATORS, which needs PyTorch.
MUTATORS = {"as_strided_", "resize_", "resize_as_", "set_", "squeeze_", "t_", "transpose_", "unsqueeze_"}
WORDS = re.compile(r"\.data\b")
TENSORS = re.compile(r"torch\.(?:cuda\.)?\w*Tensor|torch\.(?:empty|zeros|ones|rand|randn)")
NEW = {"new", "new_empty", "new_zeros", "new_ones", "new_full", "clone"}
# Methods that give a tensor of the same size, on another device or of another type.
CONVERTED = set("cuda cpu to type type_as half float double long int contiguous clone pin_memory".split())
WRAPPERS = {"torch.autograd.Variable", "torch.autograd.variable.Variable", "Variable"}
LEFT = "resizing a tensor's .data does not resize the tensor today"


def change(project, file, resized):
    """resized: {C function: positions of the arguments that it may resize}; see c_resizes.find."""
    if not WORDS.search(file.text):
        return
    owners = Owners(project, file, resized)
    for node in file.tree.all(ast.Call):
        owners.method(node)
        owners.function(node)
    file.update(edited(file.text, owners.edits))


class Owners:
    def __init__(self, project, file, resized):
        self.project, self.file, self.tree, self.resized, self.edits = project, file, file.tree, resized, []

    def look(self, node, message):
        self.file.remark(node.lineno, RULE, message, "look")

    def method(self, node):
        """``x.data.resize_(...)``, and that of a variable that is ``x.data``."""
        function = node.func
        if not isinstance(function, ast.Attribute) or function.attr not in MUTATORS:
            return
        owner = self._owner(function.value)
        if owner is None:
            return
        text, last = self.tree.source(owner), self._end_of_chain(node)
        statement = self.tree.parents[last]
        is_statement = isinstance(statement, ast.Expr) or isinstance(statement, ast.Assign) and statement.value is last
        if isinstance(statement, ast.Assign) and self._is_given_back(statement, text):
            return
        if is_statement and _is_path(owner) and self._is_same(function.value, owner):
            start = self.tree.start(statement)
            self.edits.append(Edit(start, start, f"{text}.data = "))
            message = f"{text} gets its resized .data back, which resized it before 1.0"
            self.file.remark(node.lineno, RULE, message, "done")
        else:
            self.look(node, f"{LEFT}: assign the result of {function.attr} to {text}.data")

    def _is_given_back(self, statement, text):
        return any(self.tree.source(each) == f"{text}.data" for each in statement.targets)

    def _end_of_chain(self, node):
        """The last call of ``x.resize_(...).fill_(0).mul_(2)``, all in place."""
        while True:
            parent = self.tree.parents[node]
            call = self.tree.parents.get(parent)
            if not (isinstance(parent, ast.Attribute) and parent.attr.endswith("_") and isinstance(call, ast.Call)):
                return node
            if call.func is not parent:
                return node
            node = call

    def _owner(self, node):
        """The x of ``x.data``, or of a local variable that is assigned that alone; None for anything else."""
        if isinstance(node, ast.Attribute) and node.attr == "data":
            return node.value
        found = values(self.tree, node) if isinstance(node, ast.Name) else []
        if len(found) == 1 and isinstance(found[0], ast.Attribute) and found[0].attr == "data":
            return found[0].value
        return None

    def _is_same(self, node, owner):
        """Whether ``owner``, read where a variable was assigned ``owner.data``, is the same object at ``node``."""
        if not isinstance(node, ast.Name):
            return True
        root = next(each for each in ast.walk(owner) if isinstance(each, ast.Name))
        paths = {self.tree.dotted(each) for each in ast.walk(owner) if isinstance(each, (ast.Name, ast.Attribute))}
        return not any(
            isinstance(each, (ast.Name, ast.Attribute)) and not isinstance(each.ctx, ast.Load)
            and self.tree.dotted(each) in {*paths, root.id} and owner.lineno <= each.lineno <= node.lineno
            for each in ast.walk(scope_of(self.tree, node))
        )  # fmt: skip

    def function(self, call):
        """A function that resizes an argument which is ``x.data``."""
        given = [(key, each, self._owner(each)) for key, each in _arguments(call)]
        given = [each for each in given if each[2] is not None]
        found = callees(self.project, self.file, call.func) if given else []
        if not found:
            return
        called, is_c = self.tree.source(call.func), all(isinstance(each, C) for each in found)
        changed = [self._changed(each, call) for each in found]
        for key, argument, owner in given:
            made = values(self.tree, owner) if isinstance(owner, ast.Name) else [None]
            is_empty = is_c and any(map(self._is_empty, made))
            if not is_empty and not any(each is c_resizes.ANY or key in each for each in changed):
                continue
            text = self.tree.source(owner)
            if is_c and isinstance(argument, ast.Attribute) and made and all(map(self._is_without_graph, made)):
                self.edits.append(Edit(self.tree.end(owner), self.tree.end(argument), ""))
                message = f"{text} itself goes to {called}, which may resize it: that of {text}.data is another today"
                self.file.remark(call.lineno, RULE, message, "done")
            else:
                how = f"d = {text}.data; {called}(..., d); {text}.data = d"
                self.look(call, f"{called} may resize {text}.data, and {LEFT}: {how}")

    def _changed(self, callee, call, above=()):
        """The positions and keywords of the arguments of a call that may be resized; ANY where that is not known."""
        if isinstance(callee, C):
            return c_resizes.of(self.resized, callee.name)
        names = self._resized_by_python(callee, above)
        return {key for key, name in parameters(callee, call).items() if name in names}

    def _resized_by_python(self, callee, above):
        """The names of the arguments that a function of the project may resize, itself or by what it calls."""
        node, found = callee.node, set()
        if node in above:
            return found
        for call in (each for each in ast.walk(node) if isinstance(each, ast.Call)):
            if isinstance(call.func, ast.Attribute) and call.func.attr in MUTATORS:
                found |= _roots(callee, call.func.value)
            given = {key: _roots(callee, each) for key, each in _arguments(call)}
            if not any(given.values()):
                continue
            for each in callees(self.project, callee.file, call.func):
                changed = self._changed(each, call, (*above, node))
                found |= set().union(*(given[key] for key in given if changed is c_resizes.ANY or key in changed))
        return found

    def _is_without_graph(self, value):
        """Whether an expression surely makes a tensor that asks for no gradient."""
        if not isinstance(value, ast.Call):
            return False
        if self.tree.origin(value.func) in WRAPPERS:
            data = value.args[0] if len(value.args) == 1 and not value.keywords else None
            return self._is_without_graph(data)
        if _is_converted(value):
            return self._is_without_graph(value.func.value)
        is_new = isinstance(value.func, ast.Attribute) and value.func.attr in NEW
        origin = self.tree.origin(value.func) or ""
        return (is_new or bool(TENSORS.fullmatch(origin))) and not keyword(value, "requires_grad")

    def _is_empty(self, value):
        """Whether an expression makes a tensor without elements."""
        if not isinstance(value, ast.Call):
            return False
        if self.tree.origin(value.func) in WRAPPERS:
            return bool(value.args) and self._is_empty(value.args[0])
        if _is_converted(value):
            return self._is_empty(value.func.value)
        is_new = isinstance(value.func, ast.Attribute) and value.func.attr == "new"
        is_tensor = re.fullmatch(r"torch\.(?:cuda\.)?\w*Tensor", self.tree.origin(value.func) or "")
        has_none = all(isinstance(each, ast.Constant) and each.value == 0 for each in value.args)
        return bool(is_new or is_tensor) and has_none and not value.keywords


def _is_converted(call):
    return isinstance(call.func, ast.Attribute) and call.func.attr in CONVERTED


def _arguments(call):
    """[(position or keyword, node)] of a call's arguments."""
    return [*enumerate(call.args), *((each.arg, each.value) for each in call.keywords)]


def _roots(callee, node, above=()):
    """The arguments of a function that an expression is, or is the ``.data`` of."""
    while isinstance(node, ast.Attribute) and node.attr == "data":
        node = node.value
    if not isinstance(node, ast.Name) or node.id in above:
        return set()
    names = {each.arg for each in ast.walk(callee.node.args) if isinstance(each, ast.arg)}
    if node.id in names:
        return {node.id}
    return set().union(*(_roots(callee, each, (*above, node.id)) for each in values(callee.file.tree, node)))


def _is_path(node):
    """Whether an expression only names something, so that it may be read twice."""
    parts = (ast.Name, ast.Attribute, ast.Subscript, ast.Constant, ast.Index, ast.expr_context)
    return all(isinstance(each, parts) for each in ast.walk(node))
