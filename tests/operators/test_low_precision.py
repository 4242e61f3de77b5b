"""tests/operators/test_low_precision.py: the functions of my_lib on torch.bfloat16 and torch.float16, as Python calls
them; test_low_precision.cpp has their values."""

import pytest
import torch

from _ext import my_lib
from support import references

FORMATS = pytest.mark.parametrize("dtype, suffix", [(torch.bfloat16, "bf16"), (torch.float16, "f16")])
OTHER = {torch.bfloat16: torch.float16, torch.float16: torch.bfloat16}


def function(name, suffix):
    return getattr(my_lib, f"{name}_{suffix}")


def workspace(name, suffix, *sizes):
    """[workspace, workspace_size] of a call with ``sizes``."""
    size = function(f"{name}_workspace_size", suffix)(*sizes)
    return [torch.empty(size, dtype=torch.uint8), size]


def numbers(dtype, *shape):
    return torch.randn(shape).mul_(0.5).to(dtype)


def check_close(got, wanted, dtype):
    """``got`` is ``wanted``, rounded once; the arithmetic in between is float's."""
    assert got.dtype is dtype
    eps = torch.finfo(dtype).eps
    torch.testing.assert_close(got.double(), wanted.double(), rtol=eps / 2 + 1e-5, atol=1e-5)


@FORMATS
@pytest.mark.parametrize("sizes", [(1, 3, 5), (20, 33, 50), (0, 2, 2)])
def test_linear(dtype, suffix, sizes):
    batch, inputs, outputs = sizes
    input, weight, bias = numbers(dtype, batch, inputs), numbers(dtype, outputs, inputs), numbers(dtype, outputs)
    output = torch.empty(batch, outputs, dtype=dtype)
    scratch = workspace("my_lib_linear_forward", suffix, *sizes)
    assert function("my_lib_linear_forward", suffix)(input, weight, bias, *sizes, output, *scratch) == 1
    leaves = [each.double().requires_grad_() for each in (input, weight, bias)]
    wanted = references.linear(*leaves)
    check_close(output, wanted, dtype)

    grad_output = numbers(dtype, batch, outputs)
    gradients = [torch.empty_like(each) for each in (input, weight, bias)]
    scratch = workspace("my_lib_linear_backward", suffix, *sizes)
    backward = function("my_lib_linear_backward", suffix)
    assert backward(grad_output, input, weight, *sizes, *gradients, *scratch) == 1
    for got, each in zip(gradients, torch.autograd.grad(wanted, leaves, grad_output.double()), strict=True):
        check_close(got, each, dtype)


@FORMATS
def test_lltm_and_sequence_take_the_same_step(dtype, suffix):
    steps, batch, inputs, states = 3, 20, 6, 10
    sizes = batch, inputs, states
    input, weights = numbers(dtype, steps, batch, inputs), numbers(dtype, 3 * states, states + inputs)
    bias = numbers(dtype, 3 * states)
    old_h, old_cell = numbers(dtype, batch, states), numbers(dtype, batch, states)
    h, cell = (torch.empty(steps, batch, states, dtype=dtype) for _ in range(2))
    gates = torch.empty(steps, batch, 3 * states, dtype=dtype)
    scratch = workspace("lltm_sequence_forward", suffix, steps, *sizes)
    arguments = input, weights, bias, old_h, old_cell, steps, *sizes, h, cell, gates, *scratch
    assert function("lltm_sequence_forward", suffix)(*arguments) == 1

    state = old_h, old_cell
    scratch = workspace("lltm_forward", suffix, *sizes)
    for t in range(steps):
        new_h, new_cell, own_gates = torch.empty_like(old_h), torch.empty_like(old_h), torch.empty_like(gates[0])
        call = input[t], weights, bias, *state, *sizes, new_h, new_cell, own_gates, *scratch
        assert function("lltm_forward", suffix)(*call) == 1
        wanted = references.lltm(*(each.double() for each in (input[t], weights, bias, *state)))
        for one, many, expected in ((new_h, h[t], wanted[0]), (new_cell, cell[t], wanted[1])):
            check_close(one, expected, dtype)
            check_close(many, expected, dtype)
        state = h[t], cell[t]


@FORMATS
def test_another_dtype_is_refused(dtype, suffix):
    scratch = workspace("my_lib_linear_forward", suffix, 1, 2, 1)
    for wrong in (OTHER[dtype], torch.float32, torch.int16):
        input, weight = torch.zeros(1, 2, dtype=wrong), torch.zeros(1, 2, dtype=dtype)
        with pytest.raises(TypeError, match="input.*expected"):
            function("my_lib_linear_forward", suffix)(
                input, weight, None, 1, 2, 1, torch.zeros(1, 1, dtype=dtype), *scratch
            )
