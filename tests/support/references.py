"""tests/support/references.py: every operator written once more, in plain PyTorch and differentiable; called with
float64."""

import torch
from torch.nn import functional as F


def add(input1, input2):
    return input1 + input2


def scale_add(input1, input2):
    return 2 * input1 + input2


def mul_constant(input, constant):
    return input * constant


def cube(input):
    return input**3


def linear(input, weight, bias=None):
    return F.linear(input, weight, bias)


def conv2d(input, weight):
    return F.conv2d(input, weight)


def batch_norm2d(input, eps=1e-3):
    std, mean = torch.std_mean(input, dim=(0, 2, 3), keepdim=True)
    return (input - mean) / (std + eps)


def fused_conv_batch_norm2d(input, conv_weight, eps=1e-3):
    return batch_norm2d(conv2d(input, conv_weight), eps)


def lltm(input, weights, bias, old_h, old_cell):
    gates = F.linear(torch.cat([old_h, input], dim=1), weights, bias)
    input_gate, output_gate, candidate = gates.chunk(3, dim=1)
    new_cell = old_cell + F.elu(candidate) * input_gate.sigmoid()
    return new_cell.tanh() * output_gate.sigmoid(), new_cell


def lltm_sequence(input, weights, bias, old_h, old_cell):
    output = []
    for step in input.unbind(0):
        old_h, old_cell = lltm(step, weights, bias, old_h, old_cell)
        output.append(old_h)
    return torch.stack(output) if output else input.reshape(0, *old_h.shape), old_h, old_cell
