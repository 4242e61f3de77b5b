"""tests/operators/test_conv2d.py: functions/conv2d.py against its reference."""

import pytest
import torch

from functions.conv2d import Conv2DFunction, conv2d
from support import operator_checks as check, references
from support.messages import names

SHAPES = [((2, 3, 7, 6), (4, 3, 3, 2)), ((1, 1, 5, 5), (1, 1, 5, 5)), ((0, 3, 5, 5), (4, 3, 3, 3))]


@pytest.mark.parametrize("dtype", check.DTYPES)
@pytest.mark.parametrize("shapes", SHAPES)
def test_values(shapes, dtype):
    check.check_values(conv2d, references.conv2d, check.tensors(*shapes, dtype=dtype))


def test_bad_input():
    input, weight = check.tensors(*SHAPES[0], dtype=torch.float32)
    check.check_refuses(
        conv2d,
        Conv2DFunction,
        (input, weight),
        [
            (
                0,
                torch.zeros(3, 7, 6),
                ValueError,
                names("input", "(batch, in_channels, height, width)", "(3, 7, 6)"),
            ),
            (0, None, TypeError, names("input", "torch.Tensor", "NoneType")),
            (
                1,
                torch.zeros(4, 2, 3, 3),
                ValueError,
                names("weight", "(out_channels, 3, at most 7, at most 6)", "(4, 2, 3, 3)"),
            ),
            (
                1,
                torch.zeros(4, 3, 8, 3),
                ValueError,
                names("weight", "(out_channels, 3, at most 7, at most 6)", "(4, 3, 8, 3)"),
            ),
            (
                1,
                weight.double(),
                TypeError,
                names("weight", "torch.float32", "torch.float64", "tensor.to(torch.float32)"),
            ),
        ],
    )
