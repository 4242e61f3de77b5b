"""modules/conv2d.py: a 2-d convolution without bias, stride 1, no padding."""

import math

import torch
from torch import nn
from torch.nn.modules.utils import _pair

from functions.conv2d import conv2d


class Conv2D(nn.Module):
    """``Conv2D(in_channels, out_channels, kernel_size)(input)``: functions.conv2d.conv2d with its own weight.

    input (batch, in_channels, height, width); kernel_size a number or (height, width). Parameter ``weight``
    (out_channels, in_channels, kernel_height, kernel_width), drawn as ``torch.nn.Conv2d`` draws it.
    """

    def __init__(self, in_channels, out_channels, kernel_size, device=None, dtype=None):
        super().__init__()
        self.in_channels = in_channels
        self.out_channels = out_channels
        self.kernel_size = _pair(kernel_size)
        self.weight = nn.Parameter(
            torch.empty(out_channels, in_channels, *self.kernel_size, device=device, dtype=dtype)
        )
        self.reset_parameters()

    def reset_parameters(self):
        nn.init.kaiming_uniform_(self.weight, a=math.sqrt(5))

    def forward(self, input):
        return conv2d(input, self.weight)

    def extra_repr(self):
        return f"{self.in_channels}, {self.out_channels}, kernel_size={self.kernel_size}"
