"""tests/operators/test_mul_constant.py: functions/mul_constant.py against its reference."""

import torch
from hypothesis import given, strategies as st

from functions.mul_constant import MulConstantFunction, mul_constant
from support import operator_checks as check, references
from support.messages import names


@check.random_shapes
@given(
    shape=st.lists(check.SIZES, max_size=3),
    dtype=st.sampled_from(check.DTYPES),
    constant=st.sampled_from([0, 1, -2, 0.5, 3.25, True]),
)
def test_values(shape, dtype, constant):
    check.check_values(mul_constant, references.mul_constant, [*check.tensors(shape, dtype=dtype), constant])


def test_constant_is_rounded_to_the_dtype():
    x = torch.ones(3)
    assert torch.equal(mul_constant(x, 0.1), x * 0.1)


def test_nan_and_infinity():
    x = torch.tensor([float("nan"), float("inf"), -float("inf"), 0.0, -0.0])
    for constant in (0.0, -2.0, float("inf"), float("nan")):
        torch.testing.assert_close(mul_constant(x, constant), x * constant, equal_nan=True)


def test_bad_input():
    x = torch.zeros(5, requires_grad=True)
    check.check_refuses(
        mul_constant,
        MulConstantFunction,
        (x, 2.0),
        [
            (
                0,
                torch.zeros(5, dtype=torch.int8),
                TypeError,
                names("input", *check.FLOATS, "torch.int8", "tensor.to(torch.float32)"),
            ),
            (0, 3.0, TypeError, names("input", "torch.Tensor", "float")),
            (1, torch.tensor(2.0), TypeError, names("constant", "real", "Tensor")),
            (1, 2j, TypeError, names("constant", "real", "complex")),
            (1, "2", TypeError, names("constant", "real", "str")),
        ],
    )
