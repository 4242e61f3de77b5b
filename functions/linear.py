"""functions/linear.py: output = input weight^T + bias."""

from math import prod

from torch.nn import functional as F
from torch.overrides import handle_torch_function, has_torch_function_variadic

from ._autograd import (
    Operator,
    autocast_active,
    dispatch,
    in_front,
    low_precision,
    must_compose,
    needs_dispatch,
    stacked,
)
from ._library import check_dense, check_shape, check_tensors, needed, operators, serve, sizes


def linear(input, weight, bias=None):
    """``input @ weight.T + bias``, all of one floating-point dtype.

    input (..., in_features), weight (out_features, in_features), bias (out_features) or None; the result has shape
    (..., out_features).
    """
    if has_torch_function_variadic(input, weight, bias):
        return handle_torch_function(linear, (input, weight, bias), input, weight, bias)
    if needs_dispatch(weight, bias, input) or autocast_active():
        return dispatch(LinearFunction, input, weight, bias)
    return compute(input, weight, bias)


def check_arguments(input, weight, bias=None):
    """TypeError or ValueError for the first argument that does not fit those before it."""
    sizes("weight", weight, "out_features", "in_features")
    check_input(input, weight)
    check_tensors(input=input, weight=weight, **({} if bias is None else {"bias": bias}))
    if bias is not None:
        check_shape("bias", bias, weight.shape[:1])


def check_input(input, weight):
    check_dense("input", input)
    if weight.dim() != 2 or input.shape[-1:] != weight.shape[1:]:
        _, in_features = sizes("weight", weight, "out_features", "in_features")
        raise ValueError(f"input: expected shape (..., {in_features}), got {tuple(input.shape)}") from None


def check_saved(input, weight, grad_output, needs):
    """What backward reads must fit together: ``x.data = ...`` or saved_tensors_hooks may have changed a saved tensor."""
    check_arguments(input, weight)
    check_shape("grad_output", grad_output, (*input.shape[:-1], weight.shape[0]))


@serve("my_lib_linear_forward", check_arguments, multiplies=True)
def compute(input, weight, bias=None):
    if input.dim() == 2:
        return operators.my_lib_linear_forward(input, weight, bias)
    check_input(input, weight)
    output = operators.my_lib_linear_forward(rows(input), weight, bias)
    return output.view(*input.shape[:-1], weight.shape[0])


@serve("my_lib_linear_backward", check_saved, multiplies=True)
def compute_gradients(input, weight, grad_output, needs):
    """(grad_input, grad_weight, grad_bias), None where not needed."""
    if weight.dim() != 2 or grad_output.shape[:-1] != input.shape[:-1]:  # in rows, they could have as many
        check_saved(input, weight, grad_output, needs)
    grad_rows, input_rows = rows(grad_output), rows(input)
    arguments = grad_rows, input_rows, weight, weight.shape[1]
    like = input_rows, weight, weight[:, 0] if weight.shape[1] else weight.new_empty(weight.shape[0])
    grad_input, grad_weight, grad_bias = needed("my_lib_linear_backward", arguments, needs, *like)
    return None if grad_input is None else grad_input.view(input.shape), grad_weight, grad_bias


def rows(tensor):
    """``tensor`` (..., features) as (batch, features)."""
    return tensor if tensor.dim() == 2 else tensor.reshape(prod(tensor.shape[:-1]), tensor.shape[-1])


class LinearFunction(Operator):
    """``LinearFunction.apply(input, weight, bias=None) -> output``."""

    @staticmethod
    def forward(ctx, input, weight, bias=None):
        ctx.set_materialize_grads(False)
        output = compute(input, weight, bias)
        ctx.save_for_backward(input, weight)
        return output

    @staticmethod
    def backward(ctx, grad_output):
        if grad_output is None:
            return None, None, None
        input, weight = ctx.saved_tensors
        needs_input, needs_weight, *needs_bias = ctx.needs_input_grad
        needs = needs_input, needs_weight, any(needs_bias)
        if must_compose(grad_output):
            return LinearFunction.gradients((input, weight), (grad_output,), needs)
        return compute_gradients(input, weight, grad_output, needs)

    # -- the rules of the other paths

    plain = staticmethod(compute)
    autocast = staticmethod(low_precision)

    @staticmethod
    def formula(input, weight, bias=None):
        check_input(input, weight)
        return F.linear(input, weight, bias)

    @staticmethod
    def gradients(arguments, grad_outputs, needs):
        (input, weight, *_), (grad_output,) = arguments, grad_outputs
        needs_input, needs_weight, *needs_bias = needs
        batch = prod(input.shape[:-1])
        grad_rows = grad_output.reshape(batch, weight.shape[0])
        grad_input = (grad_rows @ weight).reshape(input.shape) if needs_input else None
        grad_weight = grad_rows.t() @ input.reshape(batch, weight.shape[1]) if needs_weight else None
        grad_bias = grad_rows.sum(0) if any(needs_bias) else None
        return grad_input, grad_weight, grad_bias

    @staticmethod
    def tangents(arguments, tangents):
        (input, weight, *_), (input_tangent, weight_tangent, *bias_tangent) = arguments, tangents
        bias_tangent = bias_tangent[0] if bias_tangent else None
        return F.linear(input_tangent, weight, bias_tangent) + F.linear(input, weight_tangent)

    @classmethod
    def batch(cls, size, dims, arguments):
        if any(dim is not None for dim in dims[1:]):  # a weight for each entry of the batch
            return super().batch(size, dims, arguments)
        return stacked(dispatch(cls, *in_front(size, dims[:1], arguments[:1]), *arguments[1:]))
