"""functions/conv2d.py: 2-d convolution without bias, stride 1, no padding, on PyTorch's own kernels."""

import torch
from torch.nn import functional as F
from torch.nn.grad import conv2d_input, conv2d_weight

import torchthaw

WORDS = "batch, in_channels, height, width", "out_channels, in_channels, kernel_height, kernel_width"


def compute(input, weight, weight_argument="weight"):
    for name, x, words in zip(("input", weight_argument), (input, weight), WORDS):
        if x.is_nested or x.layout is not torch.strided:
            kind = "a nested one" if x.is_nested else f"one with layout {x.layout}"
            raise TypeError(f"{name}: expected a dense tensor, got {kind}")
        if x.dim() != 4:
            raise ValueError(f"{name}: expected shape ({words}), got {tuple(x.shape)}")
    _, in_channels, height, width = input.shape
    _, weight_channels, kernel_height, kernel_width = weight.shape
    if weight_channels != in_channels or kernel_height > height or kernel_width > width:
        expected = f"(out_channels, {in_channels}, at most {height}, at most {width})"
        raise ValueError(f"{weight_argument}: expected shape {expected}, got {tuple(weight.shape)}")
    if weight.dtype is not input.dtype:
        advice = f"pass tensor.to({input.dtype})"
        raise TypeError(f"{weight_argument}: expected dtype {input.dtype}, got {weight.dtype}; {advice}")
    return F.conv2d(input, weight)


def gradients(grad_outputs, arguments, outputs, needs):
    """(grad_input, grad_weight), None where not needed."""
    (grad_output,), (input, weight) = grad_outputs, arguments
    grad_input = conv2d_input(input.shape, weight, grad_output) if needs[0] else None
    grad_weight = conv2d_weight(input, weight.shape, grad_output) if needs[1] else None
    return grad_input, grad_weight


def conv2d(input, weight):
    """input (batch, in_channels, height, width) * weight (out_channels, in_channels, kernel_height, kernel_width).

    The result is (batch, out_channels, height - kernel_height + 1, width - kernel_width + 1). Differentiable any
    number of times.
    """
    return compute(input, weight)


conv2d = torchthaw.differentiable(conv2d, gradients, compute, autocast="lower", reads_results=False)
Conv2DFunction = conv2d.Function
