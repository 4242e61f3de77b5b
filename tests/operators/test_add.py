"""tests/operators/test_add.py: functions/add.py against its reference."""

import torch
from hypothesis import given, strategies as st

from functions.add import MyAddFunction, add
from support import operator_checks as check, references
from support.messages import names


@check.random_shapes
@given(shape=st.lists(check.SIZES, max_size=3), dtype=st.sampled_from(check.DTYPES))
def test_values(shape, dtype):
    check.check_values(add, references.add, check.tensors(shape, shape, dtype=dtype))


def test_layouts():
    check.check_layouts(add, check.tensors((3, 5), (3, 5)))


def test_needs_input_grad():
    check.check_needs_input_grad(add, check.tensors((3, 5), (3, 5)))


def test_no_apply_without_grad(monkeypatch):
    check.check_no_apply_without_grad(add, MyAddFunction, check.tensors((3, 5), (3, 5)), monkeypatch)


def test_gradcheck_and_gradgradcheck():
    inputs = check.tensors((3, 5), (3, 5))
    check.check_gradients_of_gradients(MyAddFunction.apply, inputs)


def test_none_gradient_passes_through():
    input1, input2 = check.tensors((2,), (2,))
    assert MyAddFunction.backward(MyAddFunction.apply(input1, input2).grad_fn, None) == (None, None)


def test_one_tensor_for_both_inputs():
    (x,) = check.tensors((4,))
    check.check_values(lambda x: add(x, x), lambda x: references.add(x, x), [x])


def test_large_array_is_shared_among_threads():
    check.check_values(add, references.add, check.tensors((1 << 20) + 3, (1 << 20) + 3, dtype=torch.float32))


def test_nan_and_infinity():
    special = torch.tensor([float("nan"), float("inf"), -float("inf"), 0.0])
    input1, input2 = torch.cartesian_prod(special, special).unbind(1)
    torch.testing.assert_close(add(input1, input2), references.add(input1, input2), equal_nan=True)


def test_bad_input():
    x = torch.zeros(5, 5, requires_grad=True)
    check.check_refuses(
        add,
        MyAddFunction,
        (x, x),
        [
            (1, torch.zeros(5, 4), ValueError, names("input2", "(5, 5)", "(5, 4)")),
            (1, torch.zeros(5, 5, 1), ValueError, names("input2", "(5, 5)", "(5, 5, 1)")),
            (1, torch.zeros(5, 5, dtype=torch.float64), TypeError, "input2"),
            (
                0,
                torch.zeros(5, 5, dtype=torch.int64),
                TypeError,
                names("input1", *check.FLOATS, "torch.int64", "tensor.to(torch.float32)"),
            ),
            (0, [1.0], TypeError, names("input1", "torch.Tensor", "list")),
            (1, None, TypeError, names("input2", "torch.Tensor", "NoneType")),
            (1, torch.zeros(5, 5, device="meta"), (TypeError, ValueError), "input2"),
        ],
    )
