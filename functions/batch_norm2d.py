"""functions/batch_norm2d.py: batch normalisation of images by their own statistics, without an affine part."""

import torch
from torch.overrides import handle_torch_function, has_torch_function_unary

from _ext.my_lib import functions

from ._library import applying

IMAGES = 0, 2, 3  # the dimensions of which a channel's statistics are


@functions.batch_norm2d.formula
def formula(input, eps):
    variance = input.var(IMAGES, keepdim=True)
    constant = variance == 0  # a constant channel's std is 0, its derivatives too
    std = variance.masked_fill(constant, 1).sqrt().masked_fill(constant, 0)
    # See mul_constant.py for the operator of a tensor and a number.
    return (input - input.mean(IMAGES, keepdim=True)) / torch.ops.aten.add.Scalar(std, eps)


def batch_norm2d(input, eps=1e-3):
    """``(input - mean) / (std + eps)`` per channel of input (batch, channels, height, width), floating point.

    std is the root of the unbiased variance over batch, height and width, whose product must not be 1. Where a
    channel is constant the gradient is finite: see my_lib_batch_norm2d_backward in my_lib.h. The result is
    channels_last if input is.
    """
    if has_torch_function_unary(input):
        return handle_torch_function(batch_norm2d, (input,), input, eps)
    if not isinstance(input, torch.Tensor) or not is_channels_last(input):
        return functions.batch_norm2d(input, eps)
    input = input.view_as(input)
    if input.requires_grad:
        input.register_hook(in_channels_last)
    return in_channels_last(functions.batch_norm2d(input, eps))


def is_channels_last(images):
    # vmap knows the order of a view, and not that of channels_last.
    return images.dim() == 4 and not images.is_contiguous() and images.permute(0, 2, 3, 1).is_contiguous()


def in_channels_last(images):
    return images.contiguous(memory_format=torch.channels_last)


BatchNorm2DFunction = applying(batch_norm2d, functions.batch_norm2d)
