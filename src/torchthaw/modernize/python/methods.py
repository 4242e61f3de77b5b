"""torchthaw/modernize/python/methods.py: methods of an instance Function as static ones with ctx."""

import ast

import libcst as cst
import libcst.matchers as m

from .editing import COMMA, dotted, expression, statement
from .problems import first_parameter

TIGHT = cst.AssignEqual(cst.SimpleWhitespace(""), cst.SimpleWhitespace(""))
STATIC = cst.Decorator(cst.Name("staticmethod"))


# Attributes of a ctx that take no value, or none of another type: the public ones of function.READ_ONLY.
READ_ONLY = {"materialize_grads", "metadata", "next_functions", "requires_grad", "saved_tensors", "saved_variables"}


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
        name, owner = function.attr.value, base_of_call(self.definition, function)
        context = cst.Arg(cst.Name("ctx"), comma=COMMA if updated.args else cst.MaybeSentinel.DEFAULT)
        if m.matches(function.value, m.Name(self.own)) and self.definition.method(name)[0]:
            called = cst.Attribute(cst.Name(self.definition.name), cst.Name(self._method(name)))
            arguments = [context, *updated.args] if self.definition.is_helper(name) else updated.args
            return updated.with_changes(func=called, args=arguments)
        if owner and owner.is_helper(name):
            is_super = isinstance(function.value, cst.Call)
            given = [context, *updated.args] if is_super else updated.args
            has_constants = name == "forward" and not self.definition.has_set_up
            more = [cst.Arg(cst.Name(each.name)) for each in self.definition.constants] if has_constants else []
            plain = [each.with_changes(comma=cst.MaybeSentinel.DEFAULT) for each in given]
            base = expression(self.definition.tree.source(self.definition.node.bases[0]))
            of_class = base if is_super else function.value
            return updated.with_changes(
                func=cst.Attribute(of_class, cst.Name(self._method(name))), args=[*plain, *more]
            )
        return updated

    def _method(self, name):
        """What a method is called that another one calls."""
        if not self.definition.has_set_up:
            return name
        of_forward = self.definition.compute_name if self.definition.is_forward_split else name
        return {"__init__": self.definition.set_up_name, "forward": of_forward}.get(name, name)


def base_of_call(definition, function):
    """The Definition whose method ``super().name`` or ``Base.name`` is; None for any other."""
    if m.matches(function.value, m.Call(func=m.Name("super"))):
        return definition.base
    named, above = dotted(function.value), definition.base
    if above and named == definition.tree.dotted(definition.node.bases[0]):
        return above
    while above and above.name != named:
        above = above.base
    return above


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
    return with_constants(definition, as_helper(definition, method), set_up)


def with_constants(definition, changed, set_up):
    """A static forward with the constants as its last arguments, and ``set_up`` as its first statements."""
    plain, constants = list(changed.params.params), definition.constants
    if any(each.default is None for each in constants):  # behind one with a default they cannot stand
        plain = [each.with_changes(default=None, equal=cst.MaybeSentinel.DEFAULT) for each in plain]
    # Each call has a dict of its own, as each instance had.
    dicts = [each.name for each in constants if each.star == "**"]
    set_up = [*(statement(f"{name} = dict({name})\n") for name in dicts), *set_up]
    if constants and definition.takes_any:
        names = ", ".join(each.name for each in constants) + ("," if len(constants) == 1 else "")
        inputs, count = definition.tensors[-1].name.lstrip("*"), len(constants)
        set_up = [statement(f"{inputs}, ({names}) = {inputs}[:-{count}], {inputs}[-{count}:]\n"), *set_up]
    elif constants:
        if not isinstance(plain[-1].comma, cst.MaybeSentinel) and plain[-1].comma.whitespace_after.empty:
            plain[-1] = plain[-1].with_changes(comma=COMMA)
        plain += [
            cst.Param(cst.Name(each.name), default=expression(each.default), equal=TIGHT)
            if each.default
            else cst.Param(cst.Name(each.name))
            for each in constants
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
