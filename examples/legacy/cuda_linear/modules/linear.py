"""modules/linear.py: the layer with its parameters."""

import math

import torch
from functions.linear import LeakyLinearFunction
from torch.nn import Module, Parameter


class LeakyLinear(Module):
    def __init__(self, in_features, out_features, slope=0.1):
        super(LeakyLinear, self).__init__()
        self.slope = slope
        self.weight = Parameter(torch.Tensor(out_features, in_features))
        self.bias = Parameter(torch.Tensor(out_features))
        bound = 1 / math.sqrt(in_features)
        self.weight.data.uniform_(-bound, bound)
        self.bias.data.uniform_(-bound, bound)

    def forward(self, input):
        return LeakyLinearFunction.apply(input, self.weight, self.bias, self.slope)
