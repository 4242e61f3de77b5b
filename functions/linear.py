"""functions/linear.py: output = input weight^T + bias."""

from math import prod

import torch
from torch.autograd import Function
from torch.overrides import handle_torch_function, has_torch_function_variadic

from ._autograd import needs_autograd, record
from ._library import Kernels, array, check_tensor, raise_last_error, scratch, sizes, workspace_size

KERNELS = Kernels(
    "input",
    "my_lib_linear_forward",
    "my_lib_linear_forward_workspace_size",
    "my_lib_linear_backward",
    "my_lib_linear_backward_workspace_size",
)


def linear(input, weight, bias=None):
    """``input @ weight.T + bias``, float32 or float64.

    input (..., in_features), weight (out_features, in_features), bias (out_features) or None; the result has shape
    (..., out_features).
    """
    if has_torch_function_variadic(input, weight, bias):
        return handle_torch_function(linear, (input, weight, bias), input, weight, bias)
    if needs_autograd(weight, bias, input):
        return record(LinearFunction, input, weight, bias)
    return compute(input, weight, bias)


class LinearFunction(Function):
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
        if torch.is_grad_enabled():  # create_graph=True: the gradients must be differentiable themselves
            return differentiable_gradients(grad_output, input, weight, needs)
        return gradients(grad_output, input, weight, needs)


def compute(input, weight, bias):
    check_tensor("input", input)
    out_features, in_features = sizes("weight", weight, "out_features", "in_features")
    forward, forward_size, _, _ = KERNELS.of(input)
    *leading, last = input.shape or (None,)
    if last != in_features:
        raise ValueError(f"input: expected shape (..., {in_features}), got {tuple(input.shape)}")
    input, weight = input.contiguous(), weight.contiguous()
    bias = None if bias is None else array("bias", bias, (out_features,))
    batch = prod(leading)
    nbytes = workspace_size(forward_size, batch, in_features, out_features)
    output = input.new_empty(*leading, out_features)
    if not forward(input, weight, bias, batch, in_features, out_features, output, scratch(nbytes, input), nbytes):
        raise_last_error()
    return output


def gradients(grad_output, input, weight, needs):
    out_features, in_features = weight.shape
    _, _, backward, backward_size = KERNELS.of(input)
    grad_output, input, weight = grad_output.contiguous(), input.contiguous(), weight.contiguous()
    grad_input = torch.empty_like(input) if needs[0] else None
    grad_weight = torch.empty_like(weight) if needs[1] else None
    grad_bias = weight.new_empty(out_features) if needs[2] else None
    batch = prod(input.shape[:-1])
    nbytes = workspace_size(backward_size, batch, in_features, out_features)
    if not backward(
        grad_output, input, weight, batch, in_features, out_features,
        grad_input, grad_weight, grad_bias, scratch(nbytes, input), nbytes,
    ):
        raise_last_error()
    return grad_input, grad_weight, grad_bias


def differentiable_gradients(grad_output, input, weight, needs):
    out_features, in_features = weight.shape
    batch = prod(input.shape[:-1])
    rows, input_rows = grad_output.reshape(batch, out_features), input.reshape(batch, in_features)
    grad_input = (rows @ weight).reshape(input.shape) if needs[0] else None
    grad_weight = rows.t() @ input_rows if needs[1] else None
    grad_bias = rows.sum(0) if needs[2] else None
    return grad_input, grad_weight, grad_bias
