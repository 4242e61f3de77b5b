"""benchmarks/peers/eager.py: the LLTM written with PyTorch's own operators."""

import torch
from torch import nn
from torch.nn import functional as F


def lltm_cell(input, weights, bias, old_h, old_cell):
    """One LLTM step: (new_h, new_cell)."""
    gates = F.linear(torch.cat((old_h, input), dim=1), weights, bias)
    input_gate, output_gate, candidate = gates.chunk(3, dim=1)
    new_cell = old_cell + F.elu(candidate) * torch.sigmoid(input_gate)
    new_h = torch.tanh(new_cell) * torch.sigmoid(output_gate)
    return new_h, new_cell


class Cell(nn.Module):
    """LLTM module over ``step(input, weights, bias, old_h, old_cell)``.

    Shares the given parameters: weights (3·state, state + input), bias (3·state).
    """

    def __init__(self, step, weights, bias):
        super().__init__()
        self.step = step
        self.weights = weights
        self.bias = bias

    def forward(self, input, state):
        return self.step(input, self.weights, self.bias, *state)


class Loop(nn.Module):
    """A cell over the rows of x: (T, batch, input) → (output, (h, cell))."""

    def __init__(self, cell):
        super().__init__()
        self.cell = cell

    def forward(self, x, state):
        outputs = []
        for row in x.unbind(0):
            state = self.cell(row, state)
            outputs.append(state[0])
        return torch.stack(outputs), state
