"""tests/operators/test_add.py: functions/add.py against its reference."""

import pytest
import torch
from hypothesis import given, strategies as st

from functions.add import MyAddFunction, add
from support import operator_checks as check, references


@pytest.mark.slow
@check.random_shapes
@given(shape=st.lists(check.SIZES, max_size=3), dtype=st.sampled_from(check.DTYPES))
def test_values(shape, dtype):
    check.check_values(add, references.add, check.tensors(shape, shape, dtype=dtype))


def test_one_tensor_for_both_inputs():
    (x,) = check.tensors((4,))
    check.check_values(lambda x: add(x, x), lambda x: references.add(x, x), [x])


@pytest.mark.slow
def test_large_array_is_shared_among_threads():
    check.check_values(add, references.add, check.tensors((1 << 20) + 3, (1 << 20) + 3, dtype=torch.float32))


def test_nan_and_infinity():
    special = torch.tensor([float("nan"), float("inf"), -float("inf"), 0.0])
    input1, input2 = torch.cartesian_prod(special, special).unbind(1)
    torch.testing.assert_close(add(input1, input2), references.add(input1, input2), equal_nan=True)


def test_bad_input():
    check.check_refuses_pairs(add, MyAddFunction)
