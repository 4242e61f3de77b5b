"""torchthaw/library/derivatives/once_differentiable.py: the autograd Function of an operator that has no formula, for torch.func.

There, and in forward mode, what backward reads must be a result of the Function, too.
"""

import torch
from torch import Tensor
from torch.autograd import Function

from .. import folding
from .higher_derivatives import as_tuple, once, transforms_active


def function(operator):
    """The Function of a Differentiable: ``apply(*arguments)`` gives its results, and behind them all outputs."""

    class OnceDifferentiable(Function):
        @staticmethod
        def forward(*arguments):
            outputs = as_tuple(operator.compute(*arguments))
            return (*operator.indexed(arguments, outputs), *(each.clone() for each in outputs))

        @staticmethod
        def setup_context(ctx, inputs, output):
            ctx.numbers = [None if isinstance(x, Tensor) else x for x in inputs]
            tensors = [x if isinstance(x, Tensor) else None for x in inputs]
            ctx.save_for_backward(*tensors, *output[operator.results :])
            ctx.save_for_forward(*tensors, *output[operator.results :])

        @staticmethod
        def backward(ctx, *grad_outputs):
            arguments, outputs = saved(ctx)
            grads = grad_outputs[: operator.results]
            return operator.compose(ctx.needs_input_grad, grads, arguments, operator.reads(outputs))

        @staticmethod
        def jvp(ctx, *tangents):
            if operator.tangents is None:
                raise RuntimeError(operator.lacks("forward mode"))
            arguments, outputs = saved(ctx)
            given = [t for t, parameter in zip(tangents, operator.parameters) if parameter.is_tensor]
            with torch.no_grad():
                found = operator.tangents(*given, *arguments, *outputs)
            why = operator.lacks("a gradient of its tangents")
            found = once(why, found, [*given, *arguments], around=transforms_active())
            unknown = (torch.zeros_like(y) if y.is_floating_point() else None for y in outputs)
            return (*found, *unknown)

        @staticmethod
        def vmap(info, dims, *arguments):
            found = folding.one_by_one(OnceDifferentiable.apply, info.batch_size, dims, arguments)
            return found, (0,) * len(found)

    return OnceDifferentiable


def saved(ctx):
    """(arguments, outputs)"""
    count = len(ctx.numbers)
    arguments = [x if number is None else number for x, number in zip(ctx.saved_tensors, ctx.numbers)]
    return arguments, ctx.saved_tensors[count:]
