"""functions/batch_norm2d.py: batch normalisation of images by their own statistics, without an affine part."""

from numbers import Real

import torch
from torch.overrides import handle_torch_function, has_torch_function_variadic

from ._autograd import Operator, dispatch, must_compose, needs_dispatch
from ._library import HALVES, check_shape, check_tensors, operators, serve, sizes

WORDS = "batch", "channels", "height", "width"
IMAGES = 0, 2, 3  # the dimensions of which a channel's statistics are


def batch_norm2d(input, eps=1e-3):
    """``(input - mean) / (std + eps)`` per channel of input (batch, channels, height, width), floating point.

    std is the root of the unbiased variance over batch, height and width, whose product must not be 1. Where a
    channel is constant the gradient is finite: see my_lib_batch_norm2d_backward in my_lib.h. The result is
    channels_last if input is.
    """
    if has_torch_function_variadic(input):
        return handle_torch_function(batch_norm2d, (input,), input, eps)
    if needs_dispatch(input):
        return dispatch(BatchNorm2DFunction, input, eps)
    return compute(input, eps)[0]


def check_arguments(input, eps):
    check_tensors(input=input)
    sizes("input", input, *WORDS)
    if not isinstance(eps, Real):
        raise TypeError(f"eps: expected a real number, got {type(eps).__name__}") from None


def check_saved(input, grad_output, mean, std, eps):
    """What backward reads must fit together: ``x.data = ...`` or saved_tensors_hooks may have changed a saved tensor."""
    channels = sizes("input", input, *WORDS)[1:2]
    for name, tensor, shape in (
        ("grad_output", grad_output, input.shape),
        ("mean", mean, channels),
        ("std", std, channels),
    ):
        check_shape(name, tensor, shape)


@serve("my_lib_batch_norm2d_forward", check_arguments, widens=False)
def compute(input, eps):
    """(output, mean, std), the last two of shape (channels), in float32 where input has 16 bits."""
    if input.dtype in HALVES:
        output, mean, std = compute(input.float(), eps)
        return output.to(input.dtype), mean, std
    output, mean, std = operators.my_lib_batch_norm2d_forward(input, eps)
    return in_layout_of(input, output), mean, std


@serve("my_lib_batch_norm2d_backward", check_saved, widens=False)
def compute_gradient(input, grad_output, mean, std, eps):
    if input.dtype in HALVES:
        return compute_gradient(input.float(), grad_output.float(), mean, std, eps).to(input.dtype)
    grad_input = operators.my_lib_batch_norm2d_backward(grad_output, input, mean, std, eps)
    return in_layout_of(input, grad_input)


def in_layout_of(input, images):
    """``images``, in channels_last if ``input`` is in it."""
    if input.is_contiguous() or not input.is_contiguous(memory_format=torch.channels_last):
        return images
    return images.contiguous(memory_format=torch.channels_last)


class BatchNorm2DFunction(Operator):
    """``BatchNorm2DFunction.apply(input, eps=1e-3) -> output``."""

    @staticmethod
    def forward(ctx, input, eps=1e-3):
        output, mean, std = compute(input, eps)
        ctx.save_for_backward(input, mean, std)
        ctx.eps = eps
        return output

    @staticmethod
    def backward(ctx, grad_output):
        input, mean, std = ctx.saved_tensors
        if must_compose(grad_output):
            return BatchNorm2DFunction.gradients((input, ctx.eps), (grad_output,), ctx.needs_input_grad)
        return compute_gradient(input, grad_output, mean, std, ctx.eps), None

    # -- the rules of the other paths

    @staticmethod
    def plain(input, eps=1e-3):
        return compute(input, eps)[0]

    @staticmethod
    def formula(input, eps=1e-3):
        centered, std, _ = statistics(input)
        return centered / (std + eps)

    @staticmethod
    def tangents(arguments, tangents):
        (tangent, *_), (input, *eps) = tangents, arguments
        (eps,) = eps or (1e-3,)
        centered, std, degrees = statistics(input)
        centered_tangent = tangent - tangent.mean(IMAGES, keepdim=True)
        slope = (centered * centered_tangent).sum(IMAGES, keepdim=True) / degrees
        std_tangent = torch.where(std > 0, slope / torch.where(std > 0, std, 1), 0)
        return (centered_tangent - centered * std_tangent / (std + eps)) / (std + eps)

    @staticmethod
    def batch(size, dims, arguments):
        input, *eps = arguments  # each entry's channels beside those of the others
        images, channels, height, width = sizes("input", input.select(dims[0], 0), *WORDS)
        folded = input.movedim(dims[0], 1).reshape(images, size * channels, height, width)
        return dispatch(BatchNorm2DFunction, folded, *eps).reshape(images, size, channels, height, width), 1


def statistics(input):
    """(input - mean, std, degrees of freedom); a constant channel's std is 0, and so are its derivatives."""
    batch, _, height, width = sizes("input", input, *WORDS)
    if batch * height * width == 1:
        raise ValueError(f"input: expected more than 1 value in each channel, got shape {tuple(input.shape)}")
    centered = input - input.mean(IMAGES, keepdim=True)
    degrees = batch * height * width - 1
    variance = centered.square().sum(IMAGES, keepdim=True) / degrees
    root = torch.where(variance > 0, variance, 1).sqrt()
    return centered, torch.where(variance > 0, root, 0), degrees
