import math

import torch
from torch import nn
from torch.autograd import Function

import lltm_native


class LLTMFunction(Function):
    @staticmethod
    def forward(ctx, input, weights, bias, old_h, old_cell):
        new_h, new_cell, *saved = lltm_native.forward(input, weights, bias, old_h, old_cell)
        ctx.save_for_backward(new_cell, weights, *saved)
        return new_h, new_cell

    @staticmethod
    def backward(ctx, grad_h, grad_cell):
        gradients = lltm_native.backward(grad_h.contiguous(), grad_cell.contiguous(), *ctx.saved_variables)
        d_old_h, d_input, d_weights, d_bias, d_old_cell = gradients
        return d_input, d_weights, d_bias, d_old_h, d_old_cell


class LLTM(nn.Module):
    def __init__(self, input_features, state_size):
        super(LLTM, self).__init__()
        self.weights = nn.Parameter(torch.Tensor(3 * state_size, input_features + state_size))
        self.bias = nn.Parameter(torch.Tensor(3 * state_size))
        bound = 1.0 / math.sqrt(state_size)
        for parameter in self.parameters():
            parameter.data.uniform_(-bound, bound)

    def forward(self, input, state):
        return LLTMFunction.apply(input, self.weights, self.bias, *state)
