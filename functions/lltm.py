"""functions/lltm.py: one step of the LLTM cell, an LSTM without forget gate whose candidate is an ELU."""

import torch
from torch.nn import functional as F

from ._library import applying, derived, multiplies


def step(input, weights, bias, old_h, old_cell):
    """(new_h, new_cell) in PyTorch's operators."""
    i, o, c = F.linear(torch.cat([old_h, input], 1), weights, bias).chunk(3, 1)
    new_cell = old_cell + F.elu(c) * i.sigmoid()
    return new_cell.tanh() * o.sigmoid(), new_cell


@multiplies
@derived
def lltm(input, weights, bias, old_h, old_cell):
    """(new_h, new_cell) after one step, all of one floating-point dtype.

    input (batch, input_size), weights (3 * state_size, state_size + input_size) acting on [old_h, input], bias
    (3 * state_size), old_h and old_cell (batch, state_size), as both results. Formula and order of the gates:
    lltm_forward in my_lib.h.
    """
    return step(input, weights, bias, old_h, old_cell)


LLTMFunction = applying(lltm, lltm)
