"""torchthaw/legacy/modernize/python/owners.py: x.data was x's own tensor, so resizing it resized x.

Today ``x.data`` is another tensor on x's memory: a method or C function that resizes it leaves x as it was. So x gets
the resized tensor back, ``x.data = x.data.resize_(4)``, and a C function that resizes its argument gets x itself. What
cannot be decided is remarked.
"""

import ast
import re

from ...doctor.findings import Edit, edited
from ...doctor.rules.find_values import keyword
from .project import defined

RULE = "data-resize"
# Methods that change sizes or strides in place: data_owner.MUTATORS, which needs PyTorch.
MUTATORS = {"as_strided_", "resize_", "resize_as_", "set_", "squeeze_", "t_", "transpose_", "unsqueeze_"}
WORDS = re.compile(r"\.data\b")
FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
TENSORS = re.compile(r"torch\.(?:cuda\.)?\w*Tensor|torch\.(?:empty|zeros|ones|rand|randn)")
NEW = {"new", "new_empty", "new_zeros", "new_ones", "new_full", "clone"}
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
        values = self._values(node) if isinstance(node, ast.Name) else []
        if len(values) == 1 and isinstance(values[0], ast.Attribute) and values[0].attr == "data":
            return values[0].value
        return None

    def _values(self, name):
        """What a function assigns to a local variable; None for each value that is not an expression of its own."""
        scope = self._scope(name)
        found = [None for each in ast.walk(scope) if isinstance(each, ast.arg) and each.arg == name.id]
        for each in ast.walk(scope):
            if isinstance(each, ast.Name) and each.id == name.id and not isinstance(each.ctx, ast.Load):
                parent = self.tree.parents[each]
                found.append(parent.value if isinstance(parent, ast.Assign) else None)
        return found

    def _scope(self, node):
        return next((each for each in self.tree.ancestors(node) if isinstance(each, FUNCTIONS)), self.tree.root)

    def _is_same(self, node, owner):
        """Whether ``owner``, read where a variable was assigned ``owner.data``, is the same object at ``node``."""
        if not isinstance(node, ast.Name):
            return True
        root = next(each for each in ast.walk(owner) if isinstance(each, ast.Name))
        paths = {self.tree.dotted(each) for each in ast.walk(owner) if isinstance(each, (ast.Name, ast.Attribute))}
        return not any(
            isinstance(each, (ast.Name, ast.Attribute)) and not isinstance(each.ctx, ast.Load)
            and self.tree.dotted(each) in {*paths, root.id} and owner.lineno <= each.lineno <= node.lineno
            for each in ast.walk(self._scope(node))
        )  # fmt: skip

    def function(self, call):
        """A function that resizes an argument which is ``x.data``."""
        arguments = [(index, each, self._owner(each)) for index, each in enumerate(call.args)]
        arguments = [each for each in arguments if each[2] is not None]
        dotted = self.tree.dotted(call.func) if arguments else None
        if dotted is None:
            return
        name = self.project.extension_function(self.file, dotted)
        if name is None:
            changed = self._resized_by_python(dotted)
        else:
            changed = self.resized.get(name.rpartition(".")[2], ())
        for index, argument, owner in arguments:
            values = self._values(owner) if isinstance(owner, ast.Name) else [None]
            is_empty = name is not None and any(self._is_empty(each) for each in values)
            if index not in changed and not is_empty:
                continue
            text = self.tree.source(owner)
            is_own = name is not None and isinstance(argument, ast.Attribute)
            if is_own and values and all(self._is_without_graph(each) for each in values):
                self.edits.append(Edit(self.tree.end(owner), self.tree.end(argument), ""))
                message = f"{text} itself goes to {dotted}, which may resize it: that of {text}.data is another today"
                self.file.remark(call.lineno, RULE, message, "done")
            else:
                how = f"d = {text}.data; {dotted}(..., d); {text}.data = d"
                self.look(call, f"{dotted} may resize {text}.data, and {LEFT}: {how}")

    def _resized_by_python(self, dotted):
        """The positions of the arguments that a function of the project resizes in place."""
        found = self.project.find(self.file, dotted)
        node = found and defined(found[0].tree).get(found[1])
        if not isinstance(node, ast.FunctionDef):
            return ()
        names = [each.arg for each in [*node.args.posonlyargs, *node.args.args]]
        changed = {
            each.func.value.id for each in ast.walk(node) if isinstance(each, ast.Call)
            and isinstance(each.func, ast.Attribute) and each.func.attr in MUTATORS
            and isinstance(each.func.value, ast.Name)
        }  # fmt: skip
        return [index for index, name in enumerate(names) if name in changed]

    def _is_without_graph(self, value):
        """Whether an expression surely makes a tensor that asks for no gradient."""
        if not isinstance(value, ast.Call):
            return False
        if self.tree.origin(value.func) in WRAPPERS:
            data = value.args[0] if len(value.args) == 1 and not value.keywords else None
            return self._is_without_graph(data)
        is_new = isinstance(value.func, ast.Attribute) and value.func.attr in NEW
        origin = self.tree.origin(value.func) or ""
        return (is_new or bool(TENSORS.fullmatch(origin))) and not keyword(value, "requires_grad")

    def _is_empty(self, value):
        """Whether an expression makes a tensor without elements."""
        if not isinstance(value, ast.Call):
            return False
        if self.tree.origin(value.func) in WRAPPERS:
            return bool(value.args) and self._is_empty(value.args[0])
        is_new = isinstance(value.func, ast.Attribute) and value.func.attr == "new"
        is_tensor = re.fullmatch(r"torch\.(?:cuda\.)?\w*Tensor", self.tree.origin(value.func) or "")
        return bool(is_new or is_tensor) and not (value.args or value.keywords)


def _is_path(node):
    """Whether an expression only names something, so that it may be read twice."""
    parts = (ast.Name, ast.Attribute, ast.Subscript, ast.Constant, ast.Index, ast.expr_context)
    return all(isinstance(each, parts) for each in ast.walk(node))
