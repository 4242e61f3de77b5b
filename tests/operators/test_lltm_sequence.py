"""tests/operators/test_lltm_sequence.py: functions/lltm_sequence.py against its reference, and against single steps."""

import pytest
import torch
from hypothesis import given, strategies as st

from functions.lltm import lltm
from functions.lltm_sequence import LLTMSequenceFunction, lltm_sequence
from support import operator_checks as check, references
from support.messages import names


def arguments(seq_len, batch, input_size, state_size, dtype=torch.float64):
    """(input, weights, bias, old_h, old_cell); small weights keep long sequences from growing."""
    tensors = check.tensors(
        (seq_len, batch, input_size),
        (3 * state_size, state_size + input_size),
        (3 * state_size,),
        (batch, state_size),
        (batch, state_size),
        dtype=dtype,
    )
    with torch.no_grad():
        tensors[1].mul_(0.2)
    return tensors


@pytest.mark.slow
@check.random_shapes
@given(
    seq_len=st.integers(0, 7),
    batch=check.SIZES,
    input_size=check.SIZES,
    state_size=check.SIZES,
    dtype=st.sampled_from(check.DTYPES),
)
def test_values(seq_len, batch, input_size, state_size, dtype):
    inputs = arguments(seq_len, batch, input_size, state_size, dtype)
    check.check_values(lltm_sequence, references.lltm_sequence, inputs)


@pytest.mark.parametrize("dtype", check.DTYPES)
def test_values_of_many_tiles(dtype):
    check.check_values(lltm_sequence, references.lltm_sequence, arguments(5, 19, 35, 67, dtype))


def test_equals_single_steps():
    input, weights, bias, h, cell = arguments(6, 3, 4, 5)
    output, last_h, last_cell = lltm_sequence(input, weights, bias, h, cell)
    for step, expected in zip(input.unbind(0), output.unbind(0), strict=True):
        h, cell = lltm(step, weights, bias, h, cell)
        torch.testing.assert_close(h, expected)
    torch.testing.assert_close((last_h, last_cell), (h, cell))


def test_last_state_has_memory_of_its_own():
    with torch.no_grad():
        output, h, cell = lltm_sequence(*arguments(3, 2, 4, 5))
    h.zero_()
    assert output[-1].abs().min() > 0
    input, weights, bias, old_h, old_cell = arguments(0, 2, 4, 5)
    with torch.no_grad():
        output, h, cell = lltm_sequence(input, weights, bias, old_h, old_cell)
    assert output.shape == (0, 2, 5)
    assert torch.equal(h, old_h) and h.data_ptr() != old_h.data_ptr()


def test_unused_result():
    check.check_unused_result(lltm_sequence, references.lltm_sequence, arguments(3, 2, 4, 5))
    output, *_ = lltm_sequence(*arguments(3, 2, 4, 5))
    assert LLTMSequenceFunction.backward(output.grad_fn, None, None, None) == (None,) * 5


def test_nan_stays_in_its_row():
    inputs = [tensor.detach() for tensor in arguments(3, 2, 4, 5)]
    inputs[0][1, 0, 0] = float("nan")
    actual, expected = lltm_sequence(*inputs), references.lltm_sequence(*inputs)
    torch.testing.assert_close(actual, expected, equal_nan=True)
    assert actual[0][:, 1].isfinite().all()


def test_bad_input():
    inputs = arguments(2, 3, 4, 5, torch.float32)
    bad = [
        (0, torch.zeros(3, 4), ValueError, check.wrong_dimensions("input", 3, 2, "(3, 4)")),
        (1, torch.zeros(15, 8), ValueError, names("weights", "(15, 9)", "(15, 8)")),
        (2, torch.zeros(14), ValueError, names("bias", "(15,)", "(14,)")),
        (3, torch.zeros(2, 5), ValueError, names("old_h", "(3, 5)", "(2, 5)")),
        (4, torch.zeros(3, 6), ValueError, names("old_cell", "(3, 5)", "(3, 6)")),
    ]
    for place, name in enumerate(["input", "weights", "bias", "old_h", "old_cell"]):
        is_read = name in ("input", "old_h")  # for the sizes of the others
        of_none = (
            names(name, "torch.Tensor", "NoneType") if is_read else check.no_tensor(name, tuple(inputs[place].shape))
        )
        bad.append((place, None, TypeError, of_none))
        if place:
            bad.append((place, inputs[place].double(), TypeError, name))
    check.check_refuses(lltm_sequence, LLTMSequenceFunction, inputs, bad)
