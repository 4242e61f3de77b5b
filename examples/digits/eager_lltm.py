"""examples/digits/eager_lltm.py: the LLTM layer in plain PyTorch, what modules.LLTMLayer is timed against."""

import math

import torch
import torch.nn.functional as F
from torch import nn


class EagerLLTMLayer(nn.Module):
    """Same parameters, same result as modules.LLTMLayer; one Python loop turn and a dozen operators per time step."""

    def __init__(self, input_size, state_size, batch_first=False):
        super().__init__()
        self.state_size = state_size
        self.time_dim = 1 if batch_first else 0
        self.weights = nn.Parameter(torch.empty(3 * state_size, state_size + input_size))
        self.bias = nn.Parameter(torch.empty(3 * state_size))
        bound = 1 / math.sqrt(state_size)
        for parameter in self.parameters():
            nn.init.uniform_(parameter, -bound, bound)

    def forward(self, x, state=None):
        steps = x.unbind(self.time_dim)
        h, cell = state or (x.new_zeros(len(steps[0]), self.state_size),) * 2
        outputs = []
        for step in steps:
            gates = F.linear(torch.cat([h, step], dim=1), self.weights, self.bias)
            input_gate, output_gate, candidate = gates.chunk(3, dim=1)
            cell = cell + F.elu(candidate) * torch.sigmoid(input_gate)
            h = torch.tanh(cell) * torch.sigmoid(output_gate)
            outputs.append(h)
        return torch.stack(outputs, self.time_dim), (h, cell)
