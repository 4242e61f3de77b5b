"""tests/support/derivative_table.py: the operators of my_lib.h as its words derive them, with formulas and arguments."""

from typing import Any, NamedTuple

import pytest
import torch
from torch.nn import functional as F

import functions as ours
from _ext.my_lib import functions


class Row(NamedTuple):
    """An operator: what it computes in PyTorch's operators, shapes and numbers of its arguments, its rule of autocast."""

    formula: Any
    arguments: tuple
    rule: str = None


WEIGHTS = (15, 9), (15,), (3, 5), (3, 5)
TABLE = {
    "add": Row(ours.add.add.__wrapped__, ((3, 4), (3, 4)), "widest"),
    "scale_add": Row(ours.scale_add.scale_add.__wrapped__, ((3, 4), (3, 4)), "widest"),
    "mul_constant": Row(ours.mul_constant.mul_constant.__wrapped__, ((3, 4), 2.5)),
    "cube": Row(ours.cube.cube.__wrapped__, ((3, 4),)),
    "linear": Row(F.linear, ((4, 3), (5, 3), (5,)), "lower"),
    "batch_norm2d": Row(ours.batch_norm2d.formula, ((2, 3, 2, 2), 1e-3)),
    "lltm": Row(ours.lltm.step, ((3, 4), *WEIGHTS), "lower"),
    "lltm_sequence": Row(ours.lltm_sequence.formula, ((2, 3, 4), *WEIGHTS), "lower"),
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
