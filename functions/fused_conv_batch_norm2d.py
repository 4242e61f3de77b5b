"""functions/fused_conv_batch_norm2d.py: batch_norm2d(conv2d(input, conv_weight)) that keeps only the conv's input."""

import torch
from torch.nn import functional as F
from torch.nn.grad import conv2d_input, conv2d_weight
from torch.overrides import handle_torch_function, has_torch_function_variadic

import torchthaw

from ._library import HALVES, applying
from .batch_norm2d import batch_norm2d, in_channels_last, is_channels_last
from .conv2d import check, conv2d

FLOATS = torch.float32, torch.float64, *HALVES


def forward(input, conv_weight, eps: float):
    """(output, mean, std), the last two of shape (out_channels)."""
    if input.dtype not in FLOATS:  # refused here: the convolution would compute it
        expected = "torch.float32, torch.float64, torch.bfloat16 or torch.float16"
        raise TypeError(f"input: expected dtype {expected}, got {input.dtype}; pass tensor.to(torch.float32)")
    check(input, conv_weight, "conv_weight")
    images = F.conv2d(input, conv_weight)
    output, mean, std = torch.ops.my_lib.my_lib_batch_norm2d_forward(widened(images), eps)
    return in_format_of(images, output), mean, std


def backward(grad_outputs, arguments, outputs, needs):
    (grad_output,), (input, conv_weight, eps), (_, mean, std) = grad_outputs, arguments, outputs
    images = F.conv2d(input, conv_weight)
    gradient = torch.ops.my_lib.my_lib_batch_norm2d_backward(widened(grad_output), widened(images), mean, std, eps)
    gradient = in_format_of(images, gradient)
    grad_input = conv2d_input(input.shape, conv_weight, gradient) if needs[0] else None
    return grad_input, conv2d_weight(input, conv_weight.shape, gradient) if needs[1] else None, None


def widened(images):
    return images.float() if images.dtype in HALVES else images


def in_format_of(images, result):
    result = result.to(images.dtype)
    return in_channels_last(result) if is_channels_last(images) else result


def formula(input, conv_weight, eps):
    return batch_norm2d(conv2d(input, conv_weight), eps)


fused = torchthaw.differentiable(
    forward,
    backward,
    formula,
    saved=2,
    autocast="lower",
    reads_results=False,
    name="functions::fused_conv_batch_norm2d",
)


def fused_conv_batch_norm2d(input, conv_weight, eps=1e-3):
    """``batch_norm2d(conv2d(input, conv_weight), eps)``, floating point; shapes as in those two.

    Apart, the two operators save the input of each. Here the input of the batch norm, which is the output of the
    conv, is computed once more in backward: about half the memory for one more convolution.
    """
    if has_torch_function_variadic(input, conv_weight):
        return handle_torch_function(fused_conv_batch_norm2d, (input, conv_weight), input, conv_weight, eps)
    return fused(input, conv_weight, eps)


FusedConvBatchNorm2DFunction = applying(fused_conv_batch_norm2d, fused)
