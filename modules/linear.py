"""modules/linear.py: a linear layer."""

import math

import torch
from torch import nn

from functions.linear import linear


class Linear(nn.Module):
    """``Linear(in_features, out_features, bias=True)(input)``: input weight^T + bias.

    input (..., in_features), result (..., out_features). Parameters ``weight`` (out_features, in_features) and
    ``bias`` (out_features), drawn as ``torch.nn.Linear`` draws them, so that state_dicts and seeds carry over.
    """

    def __init__(self, in_features, out_features, bias=True, device=None, dtype=None):
        super().__init__()
        self.in_features = in_features
        self.out_features = out_features
        self.weight = nn.Parameter(torch.empty(out_features, in_features, device=device, dtype=dtype))
        if bias:
            self.bias = nn.Parameter(torch.empty(out_features, device=device, dtype=dtype))
        else:
            self.register_parameter("bias", None)
        self.reset_parameters()

    def reset_parameters(self):
        nn.init.kaiming_uniform_(self.weight, a=math.sqrt(5))
        if self.bias is not None:
            bound = 1 / math.sqrt(self.in_features) if self.in_features > 0 else 0
            nn.init.uniform_(self.bias, -bound, bound)

    def forward(self, input):
        return linear(input, self.weight, self.bias)

    def extra_repr(self):
        return f"in_features={self.in_features}, out_features={self.out_features}, bias={self.bias is not None}"
