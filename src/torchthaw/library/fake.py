"""torchthaw/library/fake.py: what an operator gives for tensors without memory: shapes and dtypes."""

import torch

from ..bridge.private_names import get
from . import shapes
from .derivatives import gradients


def out(operator):
    """The overload ``out``: it gives nothing, but its arguments must fit."""

    def fake(*arguments):
        _fitting(operator, operator.base.given, arguments)

    return fake


def default(operator):
    """The overload ``default``."""

    def fake(*arguments):
        function, values, numbers = _fitting(operator, operator.base.inputs, arguments)
        like = next(value for value in values.values() if isinstance(value, torch.Tensor))
        results = []
        for each in function.written:
            if each.is_output:
                dtype = like.dtype if each.dtype is None else getattr(torch, each.dtype)
                results.append(like.new_empty(shapes.expected(each.shapes[0], numbers), dtype=dtype))
            else:
                results.append(torch.empty_like(values[each.name], memory_format=torch.contiguous_format))
        return results[0] if len(results) == 1 else tuple(results)

    return fake


def query(*numbers):
    """A function of integers: a tensor with a length that is not known before C is called."""
    return torch.empty(1, dtype=torch.uint8).expand(torch.library.get_ctx().new_dynamic_size(min=0))


def _fitting(operator, parameters, arguments):
    """(function, {parameter: argument}, numbers) of arguments that fit; ValueError names the one that does not."""
    values = dict(zip((each.name for each in parameters), arguments))
    gradients.refuse(operator, parameters, arguments)
    function = operator.variants(values).of(values)
    if function.is_th:
        return function, values, {}
    numbers = shapes.numbers(function, values)
    for name, (least, most, words) in function.ranges.items():
        if isinstance(numbers.get(name), int) and not least <= numbers[name] <= most:
            raise OverflowError(f"{name}: expected an integer that fits {words}, got {numbers[name]}")
    check = get("check_value")
    for each in function.tensors:
        tensor = values.get(each.name)
        if tensor is None:
            continue
        first = next(value for value in values.values() if isinstance(value, torch.Tensor))
        if tensor.device != first.device:  # one of them is on the device "meta", and PyTorch took its kernel for all
            raise ValueError(f"{each.name}: expected device {first.device}, got {tensor.device}")
        for shape in each.shapes:
            wanted, got = shapes.expected(shape, numbers), tuple(tensor.shape)
            text = _text(each.name, wanted, got)
            check(len(wanted) == len(got), text)
            for left, right in zip(wanted, got):
                check(left == right, text)
    return function, values, numbers


def _text(name, wanted, got):
    return lambda: f"{name}: expected shape {shapes.shown(wanted)}, got {shapes.shown(got)}"
