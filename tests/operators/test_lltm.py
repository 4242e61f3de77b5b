"""tests/operators/test_lltm.py: functions/lltm.py against its reference."""

import pytest
import torch
from hypothesis import given, strategies as st

from functions.lltm import LLTMFunction, lltm
from support import operator_checks as check, references
from support.messages import names


def arguments(batch, input_size, state_size, dtype=torch.float64):
    """(input, weights, bias, old_h, old_cell)"""
    return check.tensors(
        (batch, input_size),
        (3 * state_size, state_size + input_size),
        (3 * state_size,),
        (batch, state_size),
        (batch, state_size),
        dtype=dtype,
    )


@pytest.mark.slow
@check.random_shapes
@given(batch=check.SIZES, input_size=check.SIZES, state_size=check.SIZES, dtype=st.sampled_from(check.DTYPES))
def test_values(batch, input_size, state_size, dtype):
    check.check_values(lltm, references.lltm, arguments(batch, input_size, state_size, dtype))


@pytest.mark.parametrize("dtype", check.DTYPES)
@pytest.mark.parametrize("sizes", [(16, 32, 128), (1, 32, 128), (67, 131, 97)])
def test_values_of_many_tiles(sizes, dtype):
    check.check_values(lltm, references.lltm, arguments(*sizes, dtype))


def test_unused_result():
    check.check_unused_result(lltm, references.lltm, arguments(3, 4, 5))


def test_same_bits_for_any_number_of_threads():
    inputs = arguments(33, 70, 65, torch.float32)
    threads = torch.get_num_threads()
    try:
        torch.set_num_threads(1)
        results, gradients = check.gradients(lltm, inputs)
        torch.set_num_threads(2)
        other_results, other_gradients = check.gradients(lltm, inputs)
    finally:
        torch.set_num_threads(threads)
    for left, right in zip(results + gradients, other_results + other_gradients):
        assert torch.equal(left, right)


def test_weight_written_through_data_counts_at_once():
    inputs = arguments(3, 4, 5)
    lltm(*inputs)
    inputs[1].data.mul_(2)  # the version counter does not see this: a cache of packed weights would be stale
    torch.testing.assert_close(lltm(*inputs), references.lltm(*inputs))


def test_state_changed_in_place_before_backward_is_an_error():
    inputs = arguments(3, 4, 5)
    new_h, new_cell = lltm(*inputs)
    new_cell.detach().zero_()
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        new_h.sum().backward()


@pytest.mark.parametrize("value", [float("nan"), float("inf"), -float("inf"), 1e30, -1e30])
@pytest.mark.parametrize("place", range(5))
def test_nan_infinity_and_saturation(place, value):
    inputs = [tensor.detach() for tensor in arguments(3, 4, 5, torch.float32)]
    inputs[place].view(-1)[0] = value
    torch.testing.assert_close(lltm(*inputs), references.lltm(*inputs), rtol=1e-4, atol=1e-4, equal_nan=True)


def test_bad_input():
    inputs = arguments(3, 4, 5, torch.float32)
    bad = [
        (0, torch.zeros(4), ValueError, check.wrong_dimensions("input", 2, 1, "(4,)")),
        (
            0,
            torch.zeros(3, 4, dtype=torch.int32),
            TypeError,
            names("input", *check.FLOATS, "torch.int32", "tensor.to(torch.float32)"),
        ),
        (0, torch.zeros(3, 6), ValueError, names("weights", "(15, 11)", "(15, 9)")),
        (1, torch.zeros(15, 8), ValueError, names("weights", "(15, 9)", "(15, 8)")),
        (2, torch.zeros(14), ValueError, names("bias", "(15,)", "(14,)")),
        (3, torch.zeros(2, 5), ValueError, names("old_h", "(3, 5)", "(2, 5)")),
        (3, torch.zeros(5), ValueError, check.wrong_dimensions("old_h", 2, 1, "(5,)")),
        (4, torch.zeros(3, 6), ValueError, names("old_cell", "(3, 5)", "(3, 6)")),
    ]
    for place, name in enumerate(["input", "weights", "bias", "old_h", "old_cell"]):
        is_read = name in ("input", "old_h")  # for the sizes of the others
        of_none = (
            names(name, "torch.Tensor", "NoneType") if is_read else check.no_tensor(name, tuple(inputs[place].shape))
        )
        bad.append((place, None, TypeError, of_none))
        bad.append((place, [[1.0]], TypeError, names(name, "torch.Tensor", "list")))
        bad.append((place, inputs[place].to("meta"), TypeError, f"{name if place else 'weights'}: expected device"))
        if place:
            bad.append((place, inputs[place].double(), TypeError, name))
    check.check_refuses(lltm, LLTMFunction, inputs, bad)
