"""torchthaw/library/derivatives/differentiable_text.py: the text of a differentiable operator: its function for Python, its Function.

Both are generated for the operator's own arguments. A loop over arguments, or one more frame of Python, takes as long as
a small kernel.
"""

import numbers
from typing import NamedTuple

import torch
from torch.overrides import handle_torch_function, has_torch_function_unary, has_torch_function_variadic

from ...base import emitter
from ...base.import_hook import after_import
from ...bridge import private_names
from .higher_derivatives import LEVEL, is_batched_gradient, levels, stand_in, transforms_active

# A type of a schema -> Python's, as texts call it.
PYTHON = {"SymInt": "_thaw_int", "float": "_thaw_float", "bool": "_thaw_bool"}

# False, but true where Dynamo makes a graph, which then gets the operator. This builtin takes a third of the time of
# torch.compiler.is_compiling.
in_graph = [].clear
if hasattr(torch.compiler, "substitute_in_graph"):
    after_import(
        "torch._dynamo", lambda: torch.compiler.substitute_in_graph(in_graph, skip_signature_check=True)(lambda: True)
    )
else:  # PyTorch 2.4
    in_graph = torch.compiler.is_compiling

# What the texts of all operators use, each with emitter.OWN before its name.
KNOWN = emitter.own(
    levels=levels, transforms_active=transforms_active, grad_enabled=torch.is_grad_enabled,
    autocast_active=private_names.get("autocast_active"), tracing=torch.jit.is_tracing, in_graph=in_graph,
    compiling=torch.compiler.is_compiling, overrides_one=has_torch_function_unary, overrides=has_torch_function_variadic,
    overridden=handle_torch_function, Function=torch.autograd.Function, is_batched=is_batched_gradient,
    stand_in=stand_in, on_arrays=None, errors=(AttributeError, RuntimeError),
    **{each.__name__: each for each in (bool, classmethod, float, int, staticmethod, super, type)},
)  # fmt: skip


class Argument(NamedTuple):
    """An argument of an operator: its name in Python, and its type in a schema, such as ``Tensor?``."""

    name: str
    type: str
    has_default: bool = False  # None

    @property
    def is_tensor(self):
        return self.type.startswith("Tensor")

    @property
    def is_nullable(self):
        return self.type == "Tensor?"

    @property
    def schema(self):
        return f"{self.type} {self.name}{'=None' if self.has_default else ''}"


ENTRY = '''\
class Function(_thaw_Function):
    """The autograd Function of {name}: ``apply({arguments})``."""

    @_thaw_staticmethod
    def forward(_thaw_ctx, {arguments}):
        {refused}
        {outputs} = {compute}
        {context}
        return {results}

    @_thaw_staticmethod
    def backward(_thaw_ctx, {grads}):
        {absent}
        {saved}
        {numbers}
        _thaw_needs = _thaw_ctx.needs_input_grad
        if {composes}:
            return _thaw_compose(_thaw_needs, ({grads},), {given}, ({read}))
        {gradients}

    @_thaw_classmethod
    def apply(_thaw_cls, {signature}):
        return _thaw_entry({arguments})


# Function.apply is Python around the apply of its C++ base, which alone takes two thirds of the time.
_thaw_class = Function
_thaw_apply = _thaw_super(_thaw_Function, Function).apply


def {name}({signature}):
    {doc}
    if {overrides}:
        if _thaw_compiling():
            return _thaw_operator({arguments})
        return _thaw_overridden(_thaw_entry, ({tensors},), {arguments})
    try:
        if {usual}:
            if not (_thaw_grad_enabled() and ({needs})):
                {call}
            elif {converted}not _thaw_compiling():
                return _thaw_apply({arguments})
        return _thaw_unusual({arguments})
    except _thaw_errors as _thaw_error:
        if _thaw_on_arrays is not None and _thaw_are_arrays({tensors}):
            return _thaw_on_arrays({arguments})
        _thaw_expect_tensors(_thaw_error, {nullable}, {tensors_by_name})
        raise


_thaw_entry = {name}


def _thaw_unusual({arguments}):
    if not _thaw_in_graph():
        {checks}
    return _thaw_operator({arguments})
'''


def _signature(arguments):
    return ", ".join(f"{each.name}=None" if each.has_default else each.name for each in arguments)


def _names(arguments):
    return ", ".join(each.name for each in arguments)


def text(
    what, doc, arguments, outputs, results, read, call, compute, gradients, autocast, materialize, without_gradient=(),
    keeps_nothing=False,
):  # fmt: skip
    """The text of ENTRY.

    outputs: names. results: expressions of them. read: the outputs that backward reads. call: lines that compute the
    results without a gradient, or fall through to the way for unusual arguments. compute: an expression, all outputs.
    gradients: lines that return the gradient of each argument. materialize: whether autograd makes zeros of gradients
    that nobody computed. without_gradient: tensors for which only a formula has one. keeps_nothing: whether backward
    reads nothing of tensors but the one gradient, whose shape and dtype they all have: so it gets that in their place.
    """
    tensors = [each.name for each in arguments if each.is_tensor]
    plain = [each.name for each in arguments if not each.is_tensor]
    grads = [f"_thaw_grad_{i}" for i, _ in enumerate(results)]
    records = [
        f"{each.name} is not None and {each.name}.requires_grad" if each.is_nullable else f"{each.name}.requires_grad"
        for each in arguments if each.is_tensor
    ]  # fmt: skip
    usual = [
        "not _thaw_in_graph()",
        f"_thaw_levels.{LEVEL} < 0",
        "not _thaw_transforms_active()",
        "not _thaw_tracing()",
    ] + ["not _thaw_autocast_active()"] * bool(autocast)
    saved = [*tensors, *read]
    given = [f"_thaw_stand_in({grads[0]})" if keeps_nothing and each.is_tensor else each.name for each in arguments]
    context = [f"_thaw_ctx.save_for_backward({', '.join(saved)})"] * (not keeps_nothing)
    context += [f"_thaw_ctx.numbers = {tuple_text(plain)}"] * bool(plain)
    context += ["_thaw_ctx.set_materialize_grads(False)"] * (not materialize)
    are_given = materialize or len(grads) == 1  # where none is given, backward returns before
    batched = [
        f"_thaw_is_batched({each})" if are_given else f"{each} is not None and _thaw_is_batched({each})"
        for each in grads
    ]
    batched = [f"not _thaw_in_graph() and ({' or '.join(batched)})"]  # Dynamo does not know the question
    composes = ["_thaw_grad_enabled()", f"_thaw_levels.{LEVEL} >= 0", "_thaw_transforms_active()", *batched]
    composes += [f"_thaw_needs[{i}]" for i, each in enumerate(arguments) if each.name in without_gradient]
    absent = f"if {' and '.join(f'{each} is None' for each in grads)}:\n            return {tuple_text(['None'] * len(arguments))}"
    checks = [
        f"{each.name} = _thaw_number({each.name!r}, {each.name}, {each.type!r})"
        for each in arguments
        if not each.is_tensor
    ]
    return ENTRY.format(
        name=emitter.python_name(emitter.c_identifier(what)), doc=emitter.docstring(doc, "    "),
        signature=_signature(arguments), arguments=_names(arguments),
        tensors=", ".join(tensors),
        tensors_by_name=", ".join(f"{each}={each}" for each in tensors),
        nullable=tuple_text([repr(each.name) for each in arguments if each.is_nullable]),
        overrides=f"_thaw_overrides_one({tensors[0]})" if len(tensors) == 1 else f"_thaw_overrides({', '.join(tensors)})",
        usual=" and ".join(usual),
        needs=" or ".join(records),
        call="\n                ".join(call),
        converted="".join(f"_thaw_type({x.name}) is {PYTHON[x.type]} and " for x in arguments if x.type in PYTHON),
        checks="\n        ".join(checks) or "pass",
        outputs=", ".join(outputs), results=", ".join(results), grads=", ".join(grads),
        context="\n        ".join(context) or "pass", given=tuple_text(given),
        absent="pass" if materialize else absent,
        refused="\n        ".join(
            f"if _thaw_ctx.needs_input_grad[{i}]:\n            _thaw_refuse({each.name!r})"
            for i, each in enumerate(arguments) if each.name in without_gradient
        ) or "pass",
        composes=" or ".join(composes), compute=compute, gradients="\n        ".join(gradients),
        saved=" = ".join([*saved, *grads]) if keeps_nothing else f"{tuple_text(saved)} = _thaw_ctx.saved_tensors",
        numbers=f"{tuple_text(plain)} = _thaw_ctx.numbers" if plain else "pass",
        read=tuple_text(read)[1:-1],
    )  # fmt: skip


def tuple_text(names):
    names = list(names)
    return f"({', '.join(names)}{',' * (len(names) == 1)})"


def are_arrays(*values):
    """Whether there is an array of another library, and no tensor."""
    return not any(isinstance(each, torch.Tensor) for each in values) and any(
        hasattr(each, "__dlpack__") or hasattr(each, "__array_interface__") for each in values
    )


def expect_tensors(error, nullable, /, **tensors):
    """TypeError for the first that is none, or one that no kernel is for as not each of its elements is stored."""
    for name, value in tensors.items():
        if value is None and name in nullable:
            continue
        if not isinstance(value, torch.Tensor):
            raise TypeError(f"{name}: expected a torch.Tensor, got {type(value).__name__}") from None
        if isinstance(error, NotImplementedError) and (value.is_nested or value.layout is not torch.strided):
            kind = "a nested one" if value.is_nested else f"one with layout {value.layout}"
            raise TypeError(f"{name}: expected a dense tensor, got {kind}") from None


def number(name, value, type):
    """A number as the operator takes it; TypeError for a tensor, of which PyTorch would take the value and lose the gradient."""
    if type == "SymInt[]":
        return value
    wanted = numbers.Integral if type == "SymInt" else numbers.Real
    symbolic = (torch.SymInt,) if type == "SymInt" else (torch.SymInt, torch.SymFloat)
    if not isinstance(value, (wanted, *symbolic, torch.SymBool)):
        said = "an integer" if type == "SymInt" else "a real number"
        raise TypeError(f"{name}: expected {said}, got {value.__class__.__name__}")
    return value


def run(file, text, names):
    """(the function for Python, its Function, the Function's apply) of a text; ``names``: what it uses besides KNOWN."""
    checks = emitter.own(number=number, expect_tensors=expect_tensors, are_arrays=are_arrays)
    return emitter.run(file, text, {**checks, **KNOWN, **names}, ["_thaw_entry", "_thaw_class", "_thaw_apply"])
