"""functions/conv2d.py: 2-d convolution without bias, stride 1, no padding: PyTorch's own, with checked arguments."""

import torch
from torch.nn import functional as F
from torch.overrides import handle_torch_function, has_torch_function_variadic

WORDS = "batch, in_channels, height, width", "out_channels, in_channels, kernel_height, kernel_width"


def conv2d(input, weight):
    """input (batch, in_channels, height, width) * weight (out_channels, in_channels, kernel_height, kernel_width).

    Both of one dtype. The result is (batch, out_channels, height - kernel_height + 1, width - kernel_width + 1).
    Differentiable any number of times.
    """
    if has_torch_function_variadic(input, weight):
        return handle_torch_function(conv2d, (input, weight), input, weight)
    check(input, weight)
    return F.conv2d(input, weight)


def check(input, weight, weight_argument="weight"):
    """Raises TypeError or ValueError for what the convolution does not take."""
    for name, x, words in zip(("input", weight_argument), (input, weight), WORDS):
        if not isinstance(x, torch.Tensor):
            raise TypeError(f"{name}: expected a torch.Tensor, got {type(x).__name__}")
        if x.is_nested or x.layout is not torch.strided:
            kind = "a nested one" if x.is_nested else f"one with layout {x.layout}"
            raise TypeError(f"{name}: expected a dense tensor, got {kind}")
        if x.dim() != 4:
            raise ValueError(f"{name}: expected shape ({words}), got {tuple(x.shape)}")
    if weight.dtype is not input.dtype and not torch.is_autocast_enabled(input.device.type):
        advice = f"pass tensor.to({input.dtype})"
        raise TypeError(f"{weight_argument}: expected dtype {input.dtype}, got {weight.dtype}; {advice}")
    if torch.jit.is_tracing():
        return  # sizes are values of the trace
    _, in_channels, height, width = input.shape
    _, weight_channels, kernel_height, kernel_width = weight.shape
    if weight_channels != in_channels or kernel_height > height or kernel_width > width:
        expected = f"(out_channels, {in_channels}, at most {height}, at most {width})"
        raise ValueError(f"{weight_argument}: expected shape {expected}, got {tuple(weight.shape)}")


class Conv2DFunction:
    """For code that calls ``Conv2DFunction.apply``: the same as ``conv2d``. Its derivatives are PyTorch's."""

    apply = staticmethod(conv2d)
