"""tests/operators/test_linear.py: functions/linear.py against its reference."""

import pytest
import torch
from hypothesis import given, strategies as st

from functions.linear import LinearFunction, linear
from support import operator_checks as check, references
from support.messages import names


@pytest.mark.slow
@check.random_shapes
@given(
    leading=st.lists(check.SIZES, max_size=2),
    in_features=check.SIZES,
    out_features=check.SIZES,
    bias=st.booleans(),
    dtype=st.sampled_from(check.DTYPES),
)
def test_values(leading, in_features, out_features, bias, dtype):
    input, weight, bias_tensor = check.tensors(
        (*leading, in_features), (out_features, in_features), (out_features,), dtype=dtype
    )
    check.check_values(linear, references.linear, [input, weight, bias_tensor if bias else None])


@pytest.mark.parametrize("requires_grad", [False, True])
@pytest.mark.parametrize("input", [(), (4,), (3, 4), (2, 3, 4)], ids=str)
@pytest.mark.parametrize("weight", [(), (4,), (5, 4, 1)], ids=str)
def test_a_weight_of_other_dimensions(input, weight, requires_grad):
    with pytest.raises(ValueError, match=names("weight", "(out_features, in_features)", weight)):
        linear(torch.ones(input, requires_grad=requires_grad), torch.ones(weight))


@pytest.mark.parametrize("dtype", check.DTYPES)
def test_values_of_many_tiles(dtype):
    check.check_values(linear, references.linear, check.tensors((67, 259), (131, 259), (131,), dtype=dtype))


@pytest.mark.parametrize("leading", [(), (0,)])
def test_gradients_without_a_batch_and_of_an_empty_one(leading):
    inputs = check.tensors((*leading, 4), (5, 4), (5,))
    assert torch.autograd.gradcheck(linear, inputs)
    assert torch.autograd.gradgradcheck(linear, inputs)


def test_weight_written_through_data_counts_at_once():
    input, weight = check.tensors((3, 4), (5, 4))
    linear(input, weight)
    weight.data.mul_(2)  # the version counter does not see this: a cache of packed weights would be stale
    torch.testing.assert_close(linear(input, weight), references.linear(input, weight))


def test_nan_and_infinity():
    input, weight = torch.randn(3, 4), torch.randn(5, 4)
    input[0, 0], input[1, 1], weight[2, 3] = float("nan"), float("inf"), -float("inf")
    torch.testing.assert_close(linear(input, weight), references.linear(input, weight), equal_nan=True)


def test_bad_input():
    input, weight, bias = check.tensors((3, 4), (5, 4), (5,), dtype=torch.float32)
    check.check_refuses(
        linear,
        LinearFunction,
        (input, weight, bias),
        [
            (0, torch.zeros(3, 6), ValueError, names("input", "(..., 4)", "(3, 6)")),
            (0, torch.zeros(()), ValueError, names("input", "(..., 4)", "()")),
            (0, input.double(), TypeError, "weight"),
            (0, [1.0], TypeError, names("input", "torch.Tensor", "list")),
            (1, torch.zeros(5), ValueError, names("weight", "(out_features, in_features)", "(5,)")),
            (1, weight.double(), TypeError, "weight"),
            (1, None, TypeError, names("weight", "torch.Tensor", "NoneType")),
            (2, torch.zeros(4), ValueError, names("bias", "(5,)", "(4,)")),
            (2, bias.double(), TypeError, "bias"),
            (2, 0.0, TypeError, names("bias", "torch.Tensor", "float")),
        ],
    )
