"""torchthaw/modernize/python/variables.py: Variables are tensors; volatile ones were made without a graph."""

import ast
import re

import libcst as cst
from libcst.metadata import PositionProvider

from ...doctor import kinds
from ...doctor.rules.rule import is_constant, keyword
from . import volatile
from .editing import Change, dotted, expression, in_parentheses

RULE = "variable"
NAMES = {"torch.autograd.Variable", "torch.autograd.variable.Variable", "Variable"}
WORDS = re.compile(r"Variable|\.(?:creator|volatile)\b")  # without them there is nothing to change
NO_GRAD = expression("torch.no_grad()")
OWN_CREATOR = re.compile(r"\bdef creator\b|\bcreator\s*(?::[^=\n]+)?=(?!=)")  # of a class of the project


def change(project, file):
    """Makes Variables tensors."""
    tree, calls, plans = file.tree, volatile.variable_calls(file, NAMES), {}
    scopes = volatile.without_graph(tree, calls)
    for node in calls:
        flag = volatile.flag(node)
        is_volatile = flag is not None and not is_constant(flag, False)
        if is_volatile and node not in scopes:
            scope = "no_grad()" if is_constant(flag, True) else f"set_grad_enabled(not ({tree.source(flag)}))"
            file.remark(node.lineno, "volatile", "volatile has no effect today; compute what must have no graph inside "
                        f"of `with torch.{scope}:`", "look")  # fmt: skip
        elif not _is_plain(node):
            file.remark(node.lineno, RULE, "Variable is torch.Tensor today; its arguments could not be read", "look")
        else:
            plans[tree.start(node), tree.end(node)] = _base(tree, node)
    if WORDS.search(file.text):
        has_creator = any(OWN_CREATOR.search(each.text) for each in project.files.values())
        VariableChange(file, plans, {scope.lineno: scope for scope in scopes.values()}, has_creator).run()


def _is_plain(node):
    starred = any(isinstance(each, ast.Starred) for each in node.args)
    named = {each.arg for each in node.keywords}
    has_data = bool(node.args) or "data" in named
    return has_data and not starred and len(node.args) <= 3 and named <= {"data", "requires_grad", "volatile"}


def _base(tree, node):
    """How ``Variable(x, requires_grad=...)`` says that of x: "" not at all, "new" of x itself, "detach" of an alias."""
    asked = node.args[1] if len(node.args) > 1 else keyword(node, "requires_grad")
    if asked is None or is_constant(asked, False):
        return ""
    data = node.args[0] if node.args else keyword(node, "data")
    origin = isinstance(data, ast.Call) and tree.origin(data.func) or ""
    is_copy = isinstance(data, ast.Call) and isinstance(data.func, ast.Attribute) and data.func.attr == "clone"
    return "new" if is_copy or origin in kinds.MADE or kinds.FLOAT_TYPES.fullmatch(origin) else "detach"


class VariableChange(Change):
    """plans: {(start, end) of a call: see _base}. scopes: {line of a function or loop that makes no graph: node}.
    has_creator: whether objects of the project have an attribute of this name.
    """

    def __init__(self, file, plans, scopes, has_creator):
        super().__init__(file)
        self.plans, self.scopes, self.has_creator, self.kept = plans, scopes, has_creator, False

    def leave_Call(self, original, updated):
        span = self.get_metadata(PositionProvider, original)
        base = self.plans.get(tuple(self._line_starts[each.line - 1] + each.column for each in (span.start, span.end)))
        if base is None:
            return updated
        data, asked = updated.args[0], None
        for index, each in enumerate(updated.args):
            name = each.keyword.value if each.keyword else ("data", "requires_grad", "volatile")[index]
            data = each if name == "data" else data
            asked = each.value if name == "requires_grad" else asked
        made = _laid_out(updated, data)
        self.done(original, RULE, "a Variable is a tensor")
        if base:
            made = in_parentheses(made)
            if base == "detach":
                made = cst.Call(cst.Attribute(made, cst.Name("detach")))
            arguments = [] if cst.Module([]).code_for_node(asked) == "True" else [cst.Arg(asked)]
            made = cst.Call(cst.Attribute(made, cst.Name("requires_grad_")), arguments)
        elif not isinstance(self.parent(original), (cst.Arg, cst.Assign, cst.Return)):
            made = in_parentheses(made)
        return made

    def leave_Attribute(self, original, updated):
        if dotted(original) and original.attr.value == "Variable":
            return self._of_name(original, updated)
        if original.attr.value == "creator" and self.has_creator:
            self.look(original, "creator", "of a Variable it is grad_fn today; the project has a creator of its own")
        elif original.attr.value == "creator":
            self.done(original, "creator", "creator is grad_fn")
            return updated.with_changes(attr=cst.Name("grad_fn"))
        if original.attr.value == "volatile":
            self.look(original, "volatile", "volatile is False for every tensor today")
        return updated

    def leave_Name(self, original, updated):
        return self._of_name(original, updated)

    def _of_name(self, original, updated):
        """``isinstance(x, Variable)``: of calls only those stay that could not be read."""
        parent = self.parent(original)
        if isinstance(parent, (cst.ImportAlias, cst.AsName, cst.Param)) or getattr(parent, "attr", None) is original:
            return updated
        if isinstance(parent, cst.Arg) and parent.keyword is original:
            return updated
        name = dotted(original)
        if name is None or self.file.origin(name) not in NAMES or name == "Variable" and not self._imports():
            return updated
        if isinstance(parent, cst.Call) and parent.func is original:
            return updated
        self.needed.add(("torch", None))
        self.done(original, RULE, "a Variable is a tensor")
        return expression("torch.Tensor")

    def _imports(self):
        return "Variable" in self.file.tree.imports

    def visit_Module(self, node):
        self.unused = {
            (origin.rpartition(".")[0], "Variable", name if name != "Variable" else None)
            for name, origins in self.file.tree.imports.items() for origin in origins if origin in NAMES
        }  # fmt: skip

    def leave_SimpleStatementLine(self, original, updated):
        """``x = Variable(x)`` does nothing any more."""
        block, code = self.parent(original), cst.Module([]).code_for_node
        node = updated.body[0]
        if updated is original or len(updated.body) > 1 or not isinstance(node, cst.Assign) or len(node.targets) > 1:
            return updated
        has_comment = updated.trailing_whitespace.comment or any(line.comment for line in updated.leading_lines)
        is_same = isinstance(node.value, (cst.Name, cst.Tuple)) and code(node.targets[0].target) == code(node.value)
        if is_same and not has_comment and len(block.body) > 1:
            return cst.RemoveFromParent()
        return updated

    def leave_FunctionDef(self, original, updated):
        if self.line(original.name) not in self.scopes:
            return updated
        self.done(original.name, "volatile", f"{original.name.value} makes no graph, as its Variables were volatile")
        self.needed.add(("torch", None))
        return updated.with_changes(decorators=[*updated.decorators, cst.Decorator(NO_GRAD)])

    def leave_For(self, original, updated):
        return self._loop(original, updated)

    def leave_While(self, original, updated):
        return self._loop(original, updated)

    def _loop(self, original, updated):
        scope = self.scopes.get(self.line(original))
        if not isinstance(scope, volatile.LOOPS) or not isinstance(updated.body, cst.IndentedBlock):
            return updated
        self.done(original, "volatile", "the loop makes no graph, as its Variables were volatile")
        self.needed.add(("torch", None))
        inner = cst.With([cst.WithItem(NO_GRAD)], updated.body.with_changes(header=cst.TrailingWhitespace()))
        return updated.with_changes(body=updated.body.with_changes(body=[inner]))


def _laid_out(call, data):
    """What a call was given, with parentheses where the lines or comments need them."""
    code = cst.Module([]).code_for_node
    around = code(call.whitespace_before_args) + code(data.whitespace_after_arg)
    trailing = code(data.comma) if isinstance(data.comma, cst.Comma) else ""
    value = data.value
    if "#" in around + trailing or "\n" in code(value) and not isinstance(value, cst.Call) and not value.lpar:
        after = data.comma.whitespace_after if "#" in trailing else data.whitespace_after_arg
        return value.with_changes(
            lpar=[cst.LeftParen(whitespace_after=call.whitespace_before_args), *value.lpar],
            rpar=[*value.rpar, cst.RightParen(whitespace_before=after)],
        )
    return value
