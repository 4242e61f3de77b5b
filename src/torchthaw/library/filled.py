"""torchthaw/library/filled.py: calls of C whose outputs hold a pattern before, which shows what C reads or leaves there."""

import torch
from torch import Tensor

from ..bridge.private_names import get
from .derivatives.higher_derivatives import as_tuple

# Of floating point, and of integers and bools: what an output holds before the first call, and before the second one.
FLOATS, INTEGERS = (float("nan"), 12345.0), (85, 42)


def filled_calls(operators):
    """A context in which each call of the ``operators`` is made with filled outputs, too; None without PyTorch's way to
    see calls. AssertionError names the first output that C reads, or does not write as a whole."""
    known = {each.overload(form): (each, each.form(form)) for each in operators for form in each.schemas}

    def dispatch(mode, function, types, arguments=(), keywords=None):
        found = function(*arguments, **(keywords or {}))
        if function in known:
            check(known[function][0], values_of(*known[function], arguments, found))
        return found

    mode = get("dispatch_mode")
    return mode and type("Filled", (mode,), {"__torch_dispatch__": dispatch})()


def values_of(operator, form, arguments, found):
    """{parameter: argument} of the overload ``out``, of a call of this form that gave ``found``."""
    parameters = operator.base.given if form == "out" else operator.base.inputs
    values = dict(zip((each.name for each in parameters), arguments))
    if form != "out":
        results = zip(operator.base.written, as_tuple(found))
        values.update((each.name, result) for each, result in results if each.is_output)
    return values


def check(operator, values):
    """values: {parameter: argument} of the operator's overload ``out``."""
    given, function = operator.base.given, operator.variants(values).of(values)
    outputs = [each.name for each in given if each.is_output and isinstance(values[each.name], Tensor)]
    found = []
    for which in 0, 1:
        arguments = [
            filled(x, which) if each.name in outputs else x.clone() if each.is_written and x is not None else x
            for each, x in ((each, values[each.name]) for each in given)
        ]
        operator.overload("out")(*arguments)
        found.append(dict(zip((each.name for each in given), arguments)))
    for name in outputs:
        compare(function.name, name, *(each[name] for each in found))


def filled(like, which):
    return torch.full(like.shape, patterns(like)[which], dtype=like.dtype, device=like.device)


def patterns(tensor):
    if tensor.is_floating_point() or tensor.is_complex():
        return FLOATS
    return (True, False) if tensor.dtype is torch.bool else INTEGERS


def compare(function, name, first, second):
    """AssertionError where what C wrote depends on what was there. Rounding may differ between two calls."""
    one, other = (torch.tensor(each, dtype=first.dtype, device=first.device) for each in patterns(first))
    differs = first.isnan() & ~second.isnan() if FLOATS == patterns(first) else first != second
    is_left = differs & (second == other) & (first.isnan() if FLOATS == patterns(first) else first == one)
    if is_left.any():
        raise AssertionError(
            f"{function}: {name}: expected every element to be written, got {count(is_left)} as they were before the call"
        )
    if differs.any():
        raise AssertionError(
            f"{function}: {name}: expected an output that C only writes, got {count(differs)} that depend on what was "
            f"there before, as += does; write = first, or set the output to 0 in C"
        )


def count(mask):
    return f"{int(mask.sum())} of {mask.numel()}"
