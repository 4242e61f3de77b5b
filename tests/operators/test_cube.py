"""tests/operators/test_cube.py: functions/cube.py against its reference."""

import torch
from hypothesis import given, strategies as st

from functions.cube import CubeFunction, cube
from support import operator_checks as check, references
from support.messages import names


@check.random_shapes
@given(shape=st.lists(check.SIZES, max_size=3), dtype=st.sampled_from(check.DTYPES))
def test_values(shape, dtype):
    check.check_values(cube, references.cube, check.tensors(shape, dtype=dtype))
    check.check_values(CubeFunction.apply, references.cube, check.tensors(shape, dtype=dtype))


def test_unused_result():
    assert CubeFunction.backward(CubeFunction.apply(*check.tensors((2,))).grad_fn, None) == (None,)


def test_third_derivative():
    (x,) = check.tensors((4,))
    derivative = cube(x)
    for expected in (3 * x**2, 6 * x, 6 * torch.ones_like(x)):
        (derivative,) = torch.autograd.grad(derivative.sum(), x, create_graph=True)
        torch.testing.assert_close(derivative, expected)


def test_nan_and_infinity():
    x = torch.tensor([float("nan"), float("inf"), -float("inf"), 0.0, 1e20, -1e-20])
    torch.testing.assert_close(cube(x), x**3, equal_nan=True)


def test_bad_input():
    x = torch.zeros(5, requires_grad=True)
    check.check_refuses(
        cube,
        CubeFunction,
        (x,),
        [
            (
                0,
                torch.zeros(5, dtype=torch.complex64),
                TypeError,
                names("input", *check.FLOATS, "torch.complex64", "tensor.to(torch.float32)"),
            ),
            (0, None, TypeError, names("input", "torch.Tensor", "NoneType")),
        ],
    )
