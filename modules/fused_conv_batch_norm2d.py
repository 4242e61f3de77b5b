"""modules/fused_conv_batch_norm2d.py: convolution and batch normalisation that share one saved tensor."""

import math

import torch
from torch import nn
from torch.nn.modules.utils import _pair

from functions.fused_conv_batch_norm2d import fused_conv_batch_norm2d


class FusedConvBatchNorm2D(nn.Module):
    """``FusedConvBatchNorm2D(in_channels, out_channels, kernel_size)(input)``: batch_norm2d(conv2d(input, conv_weight)).

    input (batch, in_channels, height, width); kernel_size a number or (height, width). Parameter ``conv_weight``
    (out_channels, in_channels, kernel_height, kernel_width), drawn as ``torch.nn.Conv2d`` draws it; no bias, stride
    1, no padding. ``exp_avg_factor`` is there for the signature of PyTorch's fusion tutorial: without running
    statistics nothing depends on it.
    """

    def __init__(self, in_channels, out_channels, kernel_size, exp_avg_factor=0.1, eps=1e-3, device=None, dtype=None):
        super().__init__()
        self.in_channels = in_channels
        self.out_channels = out_channels
        self.kernel_size = _pair(kernel_size)
        self.exp_avg_factor = exp_avg_factor
        self.eps = eps
        shape = out_channels, in_channels, *self.kernel_size
        self.conv_weight = nn.Parameter(torch.empty(shape, device=device, dtype=dtype))
        self.reset_parameters()

    def reset_parameters(self):
        nn.init.kaiming_uniform_(self.conv_weight, a=math.sqrt(5))

    def forward(self, input):
        return fused_conv_batch_norm2d(input, self.conv_weight, self.eps)

    def extra_repr(self):
        return f"{self.in_channels}, {self.out_channels}, kernel_size={self.kernel_size}, eps={self.eps}"
