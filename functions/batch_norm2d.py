"""functions/batch_norm2d.py: batch normalisation of images by their own statistics, without an affine part."""

import torch
from torch.autograd import Function
from torch.overrides import handle_torch_function, has_torch_function_variadic

from ._autograd import needs_autograd, once_differentiable, record
from ._library import Kernels, raise_last_error, sizes

KERNELS = Kernels("input", "my_lib_batch_norm2d_forward", "my_lib_batch_norm2d_backward")


def batch_norm2d(input, eps=1e-3):
    """``(input - mean) / (std + eps)`` per channel of input (batch, channels, height, width), float32 or float64.

    std is the root of the unbiased variance over batch, height and width, whose product must not be 1. Where a
    channel is constant the gradient is finite: see my_lib_batch_norm2d_backward in my_lib.h.
    """
    if has_torch_function_variadic(input):
        return handle_torch_function(batch_norm2d, (input,), input, eps)
    if needs_autograd(input):
        return record(BatchNorm2DFunction, input, eps)
    return compute(input, eps)[0]


class BatchNorm2DFunction(Function):
    """``BatchNorm2DFunction.apply(input, eps=1e-3) -> output``."""

    @staticmethod
    def forward(ctx, input, eps=1e-3):
        output, mean, std = compute(input, eps)
        ctx.save_for_backward(input, mean, std)
        ctx.eps = eps
        return output

    @staticmethod
    @once_differentiable
    def backward(ctx, grad_output):
        return gradient(grad_output, *ctx.saved_tensors, ctx.eps), None


def compute(input, eps):
    """(output, mean, std), the last two of shape (channels)."""
    shape = sizes("input", input, "batch", "channels", "height", "width")
    forward, _ = KERNELS.of(input)
    input = input.contiguous()
    output = torch.empty_like(input)
    mean, std = input.new_empty(shape[1]), input.new_empty(shape[1])
    if not forward(input, *shape, eps, output, mean, std):
        raise_last_error()
    return output, mean, std


def gradient(grad_output, input, mean, std, eps):
    _, backward = KERNELS.of(input)
    grad_output, input = grad_output.contiguous(), input.contiguous()
    grad_input = torch.empty_like(input)
    if not backward(grad_output, input, mean, std, *input.shape, eps, grad_input):
        raise_last_error()
    return grad_input
