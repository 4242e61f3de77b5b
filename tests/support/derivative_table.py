"""tests/support/derivative_table.py: the operators of my_lib.h as its words derive them, with formulas and arguments."""

from typing import Any, NamedTuple

import pytest
import torch
from torch.nn import functional as F

from _ext.my_lib import functions


class Row(NamedTuple):
    """An operator: what it computes in PyTorch's operators, shapes and numbers of its arguments, its rule of autocast."""

    formula: Any
    arguments: tuple
    rule: str = None


def cube(input):
    return input * input * input


def batch_norm2d(input, eps):
    centered = input - input.mean((0, 2, 3), keepdim=True)
    count = input.shape[0] * input.shape[2] * input.shape[3]
    return centered / ((centered.square().sum((0, 2, 3), keepdim=True) / (count - 1)).sqrt() + eps)


def lltm(input, weights, bias, old_h, old_cell):
    i, o, c = F.linear(torch.cat([old_h, input], 1), weights, bias).chunk(3, 1)
    new_cell = old_cell + F.elu(c) * i.sigmoid()
    return new_cell.tanh() * o.sigmoid(), new_cell


def lltm_sequence(input, weights, bias, h, cell):
    steps = []
    for step in input.unbind(0):
        h, cell = lltm(step, weights, bias, h, cell)
        steps.append(h)
    return torch.stack(steps), h.clone(), cell.clone()


WEIGHTS = (15, 9), (15,), (3, 5), (3, 5)
TABLE = {
    "add": Row(lambda input1, input2: input1 + input2, ((3, 4), (3, 4)), "widest"),
    "scale_add": Row(lambda input1, input2: 2 * input1 + input2, ((3, 4), (3, 4)), "widest"),
    "mul_constant": Row(lambda input, constant: input * constant, ((3, 4), 2.5)),
    "cube": Row(cube, ((3, 4),)),
    "linear": Row(F.linear, ((4, 3), (5, 3), (5,)), "lower"),
    "batch_norm2d": Row(batch_norm2d, ((2, 3, 2, 2), 1e-3)),
    "lltm": Row(lltm, ((3, 4), *WEIGHTS), "lower"),
    "lltm_sequence": Row(lltm_sequence, ((2, 3, 4), *WEIGHTS), "lower"),
}
every_pair = pytest.mark.parametrize("name", TABLE)


def pair(name):
    """The function, with its formula; ``expect`` is the same in PyTorch's operators, ``rule`` that of autocast."""
    function, row = getattr(functions, name), TABLE[name]
    function.formula(row.formula)
    function.expect, function.rule = row.formula, row.rule
    return function


def arguments(name, dtype=torch.float64):
    """Leaves that require grad, and numbers."""
    generator = torch.Generator().manual_seed(2)
    return [
        torch.randn(each, generator=generator, dtype=dtype).requires_grad_() if isinstance(each, tuple) else each
        for each in TABLE[name].arguments
    ]
