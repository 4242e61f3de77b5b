"""torchthaw/legacy/modernize/python/methods.py: methods of an instance Function as static ones with ctx."""

import ast

import libcst as cst
import libcst.matchers as m

from .classes import first_parameter
from .editing import COMMA, dotted, expression, statement
from .project import defined

TIGHT = cst.AssignEqual(cst.SimpleWhitespace(""), cst.SimpleWhitespace(""))
NONE = cst.Element(cst.Name("None"))
STATIC = cst.Decorator(cst.Name("staticmethod"))
ONCE = cst.Decorator(cst.Name("once_differentiable"))


# Attributes of a ctx that take no value, or none of another type: those of function.READ_ONLY, without PyTorch.
READ_ONLY = {
    "_input_metadata", "_raw_saved_tensors", "materialize_grads", "metadata", "next_functions", "requires_grad",
    "saved_tensors", "saved_variables",
}  # fmt: skip


class OfInstance(cst.CSTTransformer):
    """Makes a method's ``self`` its ``ctx``. own: the name of ``self`` there. names: {variable: its new name}."""

    def __init__(self, definition, own, names=()):
        super().__init__()
        self.definition, self.own, self.names = definition, own, dict(names)

    def leave_Name(self, original, updated):
        new = "ctx" if original.value == self.own else self.names.get(original.value)
        return updated.with_changes(value=new) if new else updated

    def leave_Arg(self, original, updated):
        return updated.with_changes(keyword=original.keyword)

    def leave_Param(self, original, updated):
        return updated.with_changes(name=original.name)

    def leave_Attribute(self, original, updated):
        updated = updated.with_changes(attr=original.attr)
        if not m.matches(original.value, m.Name(self.own)):
            return updated
        name, of_class = original.attr.value, cst.Name(self.definition.name)
        if name == "__class__":
            return of_class
        if name in self.definition.class_attributes and name not in self.definition.assigned:
            return updated.with_changes(value=of_class)
        return updated.with_changes(attr=cst.Name(attribute_name(self.definition, name)))

    def leave_Call(self, original, updated):
        function = original.func
        if m.matches(original, m.Call(func=m.Name("type"), args=[m.Arg(m.Name(self.own))])):
            return cst.Name(self.definition.name)
        if not isinstance(function, cst.Attribute):
            return updated
        name, owner = function.attr.value, self.definition.base
        context = cst.Arg(cst.Name("ctx"), comma=COMMA if updated.args else cst.MaybeSentinel.DEFAULT)
        if m.matches(function.value, m.Name(self.own)) and self.definition.method(name)[0]:
            called = cst.Attribute(cst.Name(self.definition.name), cst.Name(name))
            arguments = [context, *updated.args] if self.definition.is_helper(name) else updated.args
            return updated.with_changes(func=called, args=arguments)
        is_super = m.matches(function.value, m.Call(func=m.Name("super")))
        of_base = owner and dotted(function.value) == owner.name
        if owner and (is_super or of_base) and owner.is_helper(name):
            given = updated.args if of_base else [context, *updated.args]
            more = [cst.Arg(cst.Name(each.name)) for each in self.definition.constants] if name == "forward" else []
            plain = [each.with_changes(comma=cst.MaybeSentinel.DEFAULT) for each in given]
            base = next(each for each in self.definition.node.bases)
            of_class = expression(self.definition.tree.source(base))
            return updated.with_changes(func=cst.Attribute(of_class, cst.Name(name)), args=[*plain, *more])
        return updated


class OfContext(cst.CSTTransformer):
    """The ctx of a static method, named ``own``, without the attributes that it no longer has."""

    def __init__(self, definition, own):
        super().__init__()
        self.definition, self.own = definition, own

    def leave_Attribute(self, original, updated):
        if not m.matches(original.value, m.Name(self.own)):
            return updated
        return updated.with_changes(attr=cst.Name(attribute_name(self.definition, original.attr.value)))


def attribute_name(definition, name):
    """The name that an attribute of the instance has on ctx."""
    if name in definition.assigned and name in READ_ONLY:
        return f"{name}_"
    return "saved_tensors" if name == "saved_variables" else name


def as_helper(definition, method):
    """A method as a static one."""
    own = first_parameter(definition.own[method.name.value])
    changed = method.visit(OfInstance(definition, own))
    return changed.with_changes(params=with_context(changed.params), decorators=[STATIC, *changed.decorators])


def with_context(parameters):
    """Its first parameter is ctx."""
    first, *others = parameters.params
    return parameters.with_changes(params=[first.with_changes(name=cst.Name("ctx"), annotation=None), *others])


def as_forward(definition, method, set_up):
    """forward with the constants as its last arguments. set_up: the statements that were in ``__init__``."""
    changed = as_helper(definition, method)
    plain, constants = list(changed.params.params), definition.constants
    if any(each.default is None for each in constants):  # behind one with a default they cannot stand
        plain = [each.with_changes(default=None, equal=cst.MaybeSentinel.DEFAULT) for each in plain]
    if constants and definition.takes_any:
        names = ", ".join(each.name for each in constants) + ("," if len(constants) == 1 else "")
        inputs, count = definition.tensors[-1].name.lstrip("*"), len(constants)
        set_up = [statement(f"{inputs}, ({names}) = {inputs}[:-{count}], {inputs}[-{count}:]\n"), *set_up]
    elif constants:
        if not isinstance(plain[-1].comma, cst.MaybeSentinel) and plain[-1].comma.whitespace_after.empty:
            plain[-1] = plain[-1].with_changes(comma=COMMA)
        plain += [
            cst.Param(cst.Name(each.name), default=expression(each.default), equal=TIGHT) if each.default
            else cst.Param(cst.Name(each.name)) for each in constants
        ]
    copied = sorted(definition.class_attributes & definition.assigned)
    set_up = [statement(f"ctx.{attribute_name(definition, name)} = {definition.name}.{name}\n") for name in copied] + [
        *set_up
    ]
    changed = changed.with_changes(params=changed.params.with_changes(params=plain))
    return changed.with_changes(body=behind_docstring(changed.body, set_up))


def set_up_of(definition, init):
    """The statements of ``__init__`` that forward begins with."""
    node = definition.method("__init__")[1]
    own, found = first_parameter(node), []
    comments = [line for line in init.leading_lines if line.comment]
    body = init.body.body if isinstance(init.body, cst.IndentedBlock) else [cst.SimpleStatementLine(init.body.body)]
    for index, each in enumerate(body):
        if index == 0 and m.matches(each, m.SimpleStatementLine([m.Expr(m.SimpleString())])):
            text = ast.literal_eval(each.body[0].value.value).strip()
            comments += [cst.EmptyLine(comment=cst.Comment(f"# {line.strip()}")) for line in text.split("\n") if line]
        elif not is_base_init(each) and not m.matches(each, m.SimpleStatementLine([m.Pass()])):
            found.append(each)
    if found:
        leading = [line for line in found[0].leading_lines if line.comment]
        found[0] = found[0].with_changes(leading_lines=[*comments, *leading])
    return [each.visit(OfInstance(definition, own, definition.renamed)) for each in found]


def is_base_init(node):
    """``super(F, self).__init__()`` and ``Function.__init__(self)``."""
    call = m.Call(func=m.Attribute(attr=m.Name("__init__")))
    return m.matches(node, m.SimpleStatementLine([m.Expr(call)]))


def behind_docstring(block, statements):
    """A method's body with more statements at its start."""
    if not statements:
        return block
    if not isinstance(block, cst.IndentedBlock):
        block = cst.IndentedBlock([cst.SimpleStatementLine(block.body)])
    body = list(block.body)
    start = int(m.matches(body[0], m.SimpleStatementLine([m.Expr(m.SimpleString())])))
    return block.with_changes(body=[*body[:start], *statements, *body[start:]])


def as_backward(definition, method, is_sequence):
    """backward: once differentiable, gradients contiguous for C, None for each constant."""
    node = definition.own[method.name.value]
    changed = as_helper(definition, method)
    names = {each.decorator.value for each in changed.decorators if isinstance(each.decorator, cst.Name)}
    if "once_differentiable" not in names:
        changed = changed.with_changes(decorators=[*changed.decorators, ONCE])
    if definition.constants:
        changed = changed.with_changes(body=changed.body.visit(Returns(definition, is_sequence)))
        if not ends(node.body):
            count = len(definition.tensors) + len(definition.constants)
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
    return [name for name in names if name in found]


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
        self.constants, self.is_sequence = len(definition.constants), is_sequence

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

    def is_sequence(text):
        parsed = text if isinstance(text, ast.AST) else ast.parse(cst.Module([]).code_for_node(text), mode="eval").body
        if isinstance(parsed, (ast.Tuple, ast.List, ast.ListComp)):
            return True
        if isinstance(parsed, ast.Name) and parsed.id in values:
            return any(is_sequence(each) for each in values.pop(parsed.id))
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
