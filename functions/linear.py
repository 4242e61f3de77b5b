"""functions/linear.py: output = input weight^T + bias."""

from math import prod

import torch
from torch import Tensor
from torch.nn import functional as F
from torch.overrides import handle_torch_function, has_torch_function_variadic

from ._autograd import Operator, dispatch, in_front, low_precision, must_compose, needs_dispatch, stacked
from ._library import Kernels, array, raise_last_error, scratch, sizes, workspace_size

KERNELS = Kernels(
    "my_lib_linear_forward",
    "my_lib_linear_forward_workspace_size",
    "my_lib_linear_backward",
    "my_lib_linear_backward_workspace_size",
)


def linear(input, weight, bias=None):
    """``input @ weight.T + bias``, all of one floating-point dtype.

    input (..., in_features), weight (out_features, in_features), bias (out_features) or None; the result has shape
    (..., out_features).
    """
    if has_torch_function_variadic(input, weight, bias):
        return handle_torch_function(linear, (input, weight, bias), input, weight, bias)
    if needs_dispatch(weight, bias, input):
        return dispatch(LinearFunction, input, weight, bias)
    return compute(input, weight, bias)


@KERNELS.serve
def compute(kernels, input: Tensor, weight: Tensor, bias=None):
    forward, forward_size, _, _ = kernels
    leading, out_features, in_features = check_input(input, weight)
    batch = prod(leading)
    input, weight = rows(input, batch), weight.contiguous()
    bias = None if bias is None else array("bias", bias, (out_features,))
    nbytes = workspace_size(forward_size, batch, in_features, out_features)
    output = input.new_empty(batch, out_features)
    if not forward(input, weight, bias, batch, in_features, out_features, output, scratch(nbytes, input), nbytes):
        raise_last_error()
    return output if len(leading) == 1 else output.view(*leading, out_features)


@KERNELS.serve
def compute_gradients(kernels, input: Tensor, weight: Tensor, grad_output: Tensor, needs):
    """(grad_input, grad_weight, grad_bias), None where not needed."""
    _, _, backward, backward_size = kernels
    leading, out_features, in_features = check_input(input, weight)
    batch = prod(leading)
    grad_output = rows(array("grad_output", grad_output, (*leading, out_features)), batch)
    grad_input = torch.empty_like(input, memory_format=torch.contiguous_format) if needs[0] else None
    grad_weight = torch.empty_like(weight, memory_format=torch.contiguous_format) if needs[1] else None
    grad_bias = weight.new_empty(out_features) if needs[2] else None
    nbytes = workspace_size(backward_size, batch, in_features, out_features)
    if not backward(
        grad_output, rows(input, batch), weight.contiguous(), batch, in_features, out_features,
        None if grad_input is None else rows(grad_input, batch), grad_weight, grad_bias, scratch(nbytes, input), nbytes,
    ):
        raise_last_error()
    return grad_input, grad_weight, grad_bias


def check_input(input, weight):
    """(input.shape[:-1], out_features, in_features); TypeError or ValueError if the two do not fit."""
    out_features, in_features = sizes("weight", weight, "out_features", "in_features")
    *leading, last = input.shape or (None,)
    if last != in_features:
        raise ValueError(f"input: expected shape (..., {in_features}), got {tuple(input.shape)}")
    return leading, out_features, in_features


def rows(tensor, batch):
    """``tensor`` (..., features) as (batch, features), contiguous."""
    return tensor.contiguous() if tensor.dim() == 2 else tensor.reshape(batch, tensor.shape[-1]).contiguous()


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
