"""torchthaw/library/dynamo.py: what torch.compile sees in place of a trampoline: the operator.

Dynamo cannot look into C. ``torch.compiler.substitute_in_graph`` gives it a Python function instead, with the
trampoline's parameters. It is a few lines of text for each function, because Dynamo reads it for each call that it
captures.
"""

import linecache
import operator  # noqa: F401

import torch

from .compiler import disable
from .functions import VALUES
from .schema import argument_name

# The trampoline is called, outside of the graph, wherever the arguments are not what the operator takes: that it is an
# error, and which, is for the trampoline to say. As there, C takes a tensor that requires grad, and gives no gradient.
TEXT = """\
def {name}({parameters}):
    {made}if {misfit}:
        return _outside({names})
    _operator({arguments})
    return {result}
"""

# Before that, where all outputs are left out.
MADE = """\
if {left_out} and not ({misfit}):
        return _default({arguments})
    """

OUTSIDE = """\
def {name}(*arguments, **keywords):
    return _outside(*arguments, **keywords)
"""

# The result for known numbers is known, and code may branch by it; index() is for numbers that Dynamo thinks of as
# variables. For sizes that are symbols of the graph it is another symbol.
QUERY = """\
def {name}({parameters}):
    if {known}:
        return _constant({indices})
    return _operator({names}).shape[0]
"""


# The trampolines that have one. That of a module which was loaded once more is the same C function.
_substituted = set()


def register(member):
    """Gives Dynamo a substitute for the trampoline of a Member, once; PyTorch 2.4 takes none, and breaks the graph."""
    function = member.function
    if function.trampoline not in _substituted and hasattr(torch.compiler, "substitute_in_graph"):
        _substituted.add(function.trampoline)
        torch.compiler.substitute_in_graph(
            function.trampoline, skip_signature_check=True, can_constant_fold_through=member.is_query
        )(make(member))


def make(member):
    """The substitute."""
    function = member.function
    names = [argument_name(each) for each in function.parameters]
    known = {"names": ", ".join(names), "name": argument_name(function)}  # C may call a function lambda
    known["parameters"] = ", ".join(f"{name}=None" for name in names)
    if member.is_query:
        text = QUERY.format(
            **known,
            indices=", ".join(f"operator.index({name})" for name in names),
            known=" and ".join(f"_is_known({name})" for name in names) or "True",
        )
        return _compile(text, {
            "_constant": torch.compiler.assume_constant_result(lambda *arguments: function.trampoline(*arguments)),
            "_operator": getattr(getattr(torch.ops, member.namespace.name), function.name).default,
            "_is_known": getattr(torch.fx.experimental.symbolic_shapes, "has_static_value", lambda number: True),
        })  # fmt: skip
    if member.obstacle:
        return _compile(OUTSIDE.format(**known), {"_outside": outside(function, member.obstacle)})
    text = TEXT.format(
        **known,
        made=made(function),
        misfit=" or ".join(misfits(function, function.tensors)) or "False",
        arguments=", ".join(map(value, function.given)),
        result=None if function.result == "void" else 1,
    )
    why = "its arguments must be tensors, with the sizes that the header derives from them"
    if function.is_th:
        why = "its arguments must be tensors with elements, because C may resize a tensor without"
    overloads = {
        f"_{name}": member.operator.overload(form) for name, form in (("operator", "out"), ("default", "default"))
    }
    return _compile(text, {"_outside": outside(function, why), **overloads})


def made(function):
    """The call of the overload that makes the outputs, as text; "" where a call may not leave them out."""
    outputs, inputs = function.written, [each for each in function.tensors if not each.is_written]
    if not function.makes_outputs or all(each.nullable for each in outputs):  # None for each of them is a call as well
        return ""
    return MADE.format(
        left_out=" and ".join(f"{argument_name(each)} is None" for each in outputs),
        misfit=" or ".join(misfits(function, inputs)) or "False",
        arguments=", ".join(argument_name(each) for each in function.inputs),
    )


def value(parameter):
    """The operator's argument, as text."""
    name = argument_name(parameter)
    if not parameter.is_tensor:
        return name
    detached = f"{name}.detach() if {name}.requires_grad else {name}"
    return f"None if {name} is None else {detached}" if parameter.nullable else detached


def misfits(function, tensors):
    """Conditions under which the arguments are nothing for an overload with these tensors, as text; each may rely on those
    before it."""
    for each in tensors:
        name = argument_name(each)
        tensor = f"isinstance({name}, torch.Tensor)"
        yield f"not ({name} is None or {tensor})" if each.nullable else f"not {tensor}"
        if each.is_written:  # which autograd allows of some tensors: the trampoline knows
            given = f"{name} is not None and " * each.nullable
            yield f"{given}{name}.requires_grad and torch.is_grad_enabled()"
        if function.is_th:
            yield f"{name}.numel() == 0"
    for each in function.parameters:
        name = argument_name(each)
        if each.source:
            array, which = each.source
            given = f"{name} is not None"
            if which == "shape":
                yield f"{given} and (isinstance({name}, torch.Tensor) or tuple({name}) != tuple({array}.shape))"
            elif which == "ndim":
                yield f"{given} and {name} != {array}.dim()"
            else:
                yield f"{array}.dim() <= {which}"
                yield f"{given} and {name} != {array}.shape[{which}]"
        elif each.kind == "bool":
            yield f"not (isinstance({name}, (bool, int)) and 0 <= {name} <= 1)"
        elif each.kind in VALUES:
            yield f"{name} is None"
        if each.kind == "sizes" and not each.source:
            yield f"isinstance({name}, torch.Tensor)"
        elif each.kind == "stream":
            yield f"{name} is not None"


def outside(function, why):
    """The trampoline as a function that Dynamo leaves out of its graphs."""
    return disable(function.trampoline, f"{function.name}: {why}")


def _compile(text, names):
    """The function that a text defines in this module, with the variables ``names`` around it.

    They are no globals, because Dynamo would look for those in the module. The lines are kept for tracebacks.
    """
    name = text[4 : text.index("(")]
    file = f"<torchthaw.library: {name}>"
    body = "".join(f"    {line}\n" for line in text.splitlines())
    text = f"def make({', '.join(names)}):\n{body}    return {name}\n"
    linecache.cache[file] = len(text), None, text.splitlines(keepends=True), file
    made = {}
    exec(compile(text, file, "exec"), globals(), made)
    return made["make"](**names)
