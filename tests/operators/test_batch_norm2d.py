"""tests/operators/test_batch_norm2d.py: functions/batch_norm2d.py against its reference."""

import pytest
import torch
from hypothesis import assume, given, strategies as st

from functions.batch_norm2d import BatchNorm2DFunction, batch_norm2d
from support import operator_checks as check, references
from support.messages import names


@check.random_shapes
@given(
    batch=st.integers(0, 5),
    channels=st.integers(0, 5),
    height=check.SIZES,
    width=check.SIZES,
    eps=st.sampled_from([1e-3, 1e-5, 0.5]),
    dtype=st.sampled_from(check.DTYPES),
)
def test_values(batch, channels, height, width, eps, dtype):
    assume(batch * height * width > 1 or batch * channels * height * width == 0)
    assume(batch * height * width != 1)
    inputs = [*check.tensors((batch, channels, height, width), dtype=dtype), eps]
    check.check_values(batch_norm2d, references.batch_norm2d, inputs)


def test_large_mean_keeps_its_digits():
    x = (1e4 + torch.randn(8, 2, 16, 16, dtype=torch.float64)).float()
    torch.testing.assert_close(batch_norm2d(x).double(), references.batch_norm2d(x.double()), rtol=0, atol=1e-3)


def test_constant_channel_has_a_finite_gradient():
    x = torch.full((2, 1, 3, 3), 7.0, requires_grad=True)
    grad_output = torch.randn_like(x)
    output = batch_norm2d(x, 0.5)
    assert torch.equal(output, torch.zeros_like(output))
    (gradient,) = torch.autograd.grad(output, x, grad_output)
    torch.testing.assert_close(gradient, (grad_output - grad_output.mean()) / 0.5)


def test_nan_stays_in_its_channel():
    x = torch.randn(2, 3, 4, 4)
    x[1, 1, 2, 2] = float("nan")
    torch.testing.assert_close(batch_norm2d(x), references.batch_norm2d(x), equal_nan=True)


@pytest.mark.parametrize("eps", [-1.0, float("nan")])
def test_eps_out_of_range(eps):
    with pytest.raises(ValueError, match="eps"):
        batch_norm2d(torch.zeros(2, 3, 4, 4), eps)


def test_bad_input():
    x = torch.zeros(2, 3, 4, 4, requires_grad=True)
    check.check_refuses(
        batch_norm2d,
        BatchNorm2DFunction,
        (x, 1e-3),
        [
            (
                0,
                torch.zeros(3, 4, 4),
                ValueError,
                check.wrong_dimensions("input", 4, 3, "(3, 4, 4)"),
            ),
            (0, torch.zeros(1, 3, 1, 1), ValueError, "1"),
            (
                0,
                torch.zeros(2, 3, 4, 4, dtype=torch.int64),
                TypeError,
                names("input", *check.FLOATS, "torch.int64", "tensor.to(torch.float32)"),
            ),
            (0, None, TypeError, names("input", "torch.Tensor", "NoneType")),
            (1, "small", TypeError, None),
        ],
    )
