"""torchthaw/library/dynamo.py: what torch.compile sees in place of a trampoline: the operator.

Dynamo cannot look into C. ``torch.compiler.substitute_in_graph`` gives it a Python function instead, with the
trampoline's parameters. It is a few lines of text for each function, because Dynamo reads it for each call that it
captures.
"""

import operator

import torch

from ..base import emitter
from .compiler import disable
from .functions import VALUES

# The trampoline is called, outside of the graph, wherever the arguments are not what the operator takes: that it is an
# error, and which, is for the trampoline to say. As there, C takes a tensor that requires grad, and gives no gradient.
TEXT = """\
def {name}({parameters}):
    {made}if {misfit}:
        return _thaw_outside({names})
    _thaw_operator({arguments})
    return {result}
"""

# Before that, where all outputs are left out.
MADE = """\
if {left_out} and not ({misfit}):
        return _thaw_default({arguments})
    """

OUTSIDE = """\
def {name}(*arguments, **keywords):
    return _thaw_outside(*arguments, **keywords)
"""

# What the texts use, each with emitter.OWN before its name.
KNOWN = emitter.own(
    isinstance=isinstance, tuple=tuple, index=operator.index, Tensor=torch.Tensor, is_grad_enabled=torch.is_grad_enabled
)

# The result for known numbers is known, and code may branch by it; index() is for numbers that Dynamo thinks of as
# variables. For sizes that are symbols of the graph it is another symbol.
QUERY = """\
def {name}({parameters}):
    if {known}:
        return _thaw_constant({indices})
    return _thaw_operator({names}).shape[0]
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
    names = [each.argument for each in function.parameters]
    known = {"names": ", ".join(names), "name": emitter.python_name(function.name)}
    known["parameters"] = ", ".join(f"{name}=None" for name in names)
    if member.is_query:
        text = QUERY.format(
            **known,
            indices=", ".join(f"_thaw_index({name})" for name in names),
            known=" and ".join(f"_thaw_is_known({name})" for name in names) or "True",
        )
        return _compile(known["name"], text, {
            "_thaw_constant": torch.compiler.assume_constant_result(lambda *arguments: function.trampoline(*arguments)),
            "_thaw_operator": getattr(getattr(torch.ops, member.namespace.name), function.name).default,
            "_thaw_is_known": getattr(torch.fx.experimental.symbolic_shapes, "has_static_value", lambda number: True),
        })  # fmt: skip
    if member.obstacle:
        return _compile(known["name"], OUTSIDE.format(**known), {"_thaw_outside": outside(function, member.obstacle)})
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
        f"_thaw_{name}": member.operator.overload(form) for name, form in (("operator", "out"), ("default", "default"))
    }
    return _compile(known["name"], text, {"_thaw_outside": outside(function, why), **overloads})


def made(function):
    """The call of the overload that makes the outputs, as text; "" where a call may not leave them out."""
    outputs, inputs = function.written, [each for each in function.tensors if not each.is_written]
    if not function.makes_outputs or all(each.nullable for each in outputs):  # None for each of them is a call as well
        return ""
    return MADE.format(
        left_out=" and ".join(f"{each.argument} is None" for each in outputs),
        misfit=" or ".join(misfits(function, inputs)) or "False",
        arguments=", ".join(each.argument for each in function.inputs),
    )


def value(parameter):
    """The operator's argument, as text."""
    name = parameter.argument
    if not parameter.is_tensor:
        return name
    detached = f"{name}.detach() if {name}.requires_grad else {name}"
    return f"None if {name} is None else {detached}" if parameter.nullable else detached


def misfits(function, tensors):
    """Conditions under which the arguments are nothing for an overload with these tensors, as text; each may rely on those
    before it."""
    for each in tensors:
        name = each.argument
        tensor = f"_thaw_isinstance({name}, _thaw_Tensor)"
        yield f"not ({name} is None or {tensor})" if each.nullable else f"not {tensor}"
        if each.is_written:  # which autograd allows of some tensors: the trampoline knows
            given = f"{name} is not None and " * each.nullable
            yield f"{given}{name}.requires_grad and _thaw_is_grad_enabled()"
        if function.is_th:
            yield f"{name}.numel() == 0"
    for each in function.parameters:
        name = each.argument
        if each.source:
            array, which = function.argument_of(each.source[0]), each.source[1]
            given = f"{name} is not None"
            if which == "shape":
                yield f"{given} and (_thaw_isinstance({name}, _thaw_Tensor) or _thaw_tuple({name}) != _thaw_tuple({array}.shape))"
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
            yield f"_thaw_isinstance({name}, _thaw_Tensor)"
        elif each.kind == "stream":
            yield f"{name} is not None"


def outside(function, why):
    """The trampoline as a function that Dynamo leaves out of its graphs."""
    return disable(function.trampoline, f"{function.name}: {why}")


def _compile(name, text, names):
    """The function that a text defines."""
    return emitter.run(name, text, {**KNOWN, **names}, [name])[0]
