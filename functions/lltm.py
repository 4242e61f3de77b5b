"""functions/lltm.py: one step of the LLTM cell, an LSTM without forget gate whose candidate is an ELU."""

import torch
from torch.autograd import Function
from torch.overrides import handle_torch_function, has_torch_function_variadic

from ._autograd import needs_autograd, once_differentiable, record
from ._library import Kernels, array, raise_last_error, scratch, sizes, workspace_size

KERNELS = Kernels(
    "input", "lltm_forward", "lltm_forward_workspace_size", "lltm_backward", "lltm_backward_workspace_size"
)


def lltm(input, weights, bias, old_h, old_cell):
    """(new_h, new_cell) after one step, all float32 or all float64.

    input (batch, input_size), weights (3 * state_size, state_size + input_size) acting on [old_h, input], bias
    (3 * state_size), old_h and old_cell (batch, state_size), as both results. Formula and order of the gates:
    lltm_forward in my_lib.h.
    """
    if has_torch_function_variadic(input, weights, bias, old_h, old_cell):
        arguments = input, weights, bias, old_h, old_cell
        return handle_torch_function(lltm, arguments, *arguments)
    if needs_autograd(weights, input, old_h, old_cell, bias):
        return record(LLTMFunction, input, weights, bias, old_h, old_cell)
    return compute(input, weights, bias, old_h, old_cell, with_gates=False)[:2]


class LLTMFunction(Function):
    """``LLTMFunction.apply(input, weights, bias, old_h, old_cell) -> (new_h, new_cell)``."""

    @staticmethod
    def forward(ctx, input, weights, bias, old_h, old_cell):
        new_h, new_cell, gates = compute(input, weights, bias, old_h, old_cell, with_gates=True)
        ctx.save_for_backward(input, weights, old_h, new_cell, gates)
        return new_h, new_cell

    @staticmethod
    @once_differentiable
    def backward(ctx, grad_h, grad_cell):
        input, weights, old_h, new_cell, gates = ctx.saved_tensors
        needs_input, needs_weights, needs_bias, needs_old_h, needs_old_cell = ctx.needs_input_grad
        batch, input_size = input.shape
        state_size = new_cell.shape[1]
        _, _, backward, backward_size = KERNELS.of(input)
        input, weights, old_h = input.contiguous(), weights.contiguous(), old_h.contiguous()
        d_input = torch.empty_like(input) if needs_input else None
        d_weights = torch.empty_like(weights) if needs_weights else None
        d_bias = weights.new_empty(3 * state_size) if needs_bias else None
        d_old_h = torch.empty_like(new_cell) if needs_old_h else None
        d_old_cell = torch.empty_like(new_cell) if needs_old_cell else None
        nbytes = workspace_size(backward_size, batch, input_size, state_size)
        if not backward(
            grad_h.contiguous(), grad_cell.contiguous(), new_cell, gates, input, old_h, weights,
            batch, input_size, state_size,
            d_input, d_weights, d_bias, d_old_h, d_old_cell, scratch(nbytes, input), nbytes,
        ):
            raise_last_error()
        return d_input, d_weights, d_bias, d_old_h, d_old_cell


def compute(input, weights, bias, old_h, old_cell, with_gates):
    """(new_h, new_cell, gates), gates (batch, 3 * state_size) or None."""
    try:  # all at once: one by one, as below, would take 1 of the 15 microseconds of a small step
        batch, input_size = input.shape
        _, state_size = state = old_h.shape
        rows = 3 * state_size
        fits = (
            weights.shape == (rows, state_size + input_size)
            and bias.shape == (rows,)
            and state == (batch, state_size)
            and old_cell.shape == state
        )
        arrays = input.contiguous(), weights.contiguous(), bias.contiguous(), old_h.contiguous(), old_cell.contiguous()
    except (AttributeError, ValueError):
        fits = False
    if not fits:
        check_arguments(input, weights, bias, old_h, old_cell)
    forward, forward_size, _, _ = KERNELS.of(input)
    new_h, new_cell = torch.empty_like(arrays[3]), torch.empty_like(arrays[4])
    gates = new_h.new_empty(batch, rows) if with_gates else None
    nbytes = workspace_size(forward_size, batch, input_size, state_size)
    if not forward(
        *arrays, batch, input_size, state_size, new_h, new_cell, gates, scratch(nbytes, input), nbytes
    ):
        raise_last_error()
    return new_h, new_cell, gates


def check_arguments(input, weights, bias, old_h, old_cell):
    """Raises TypeError or ValueError for the first argument that does not fit those before it."""
    batch, input_size = sizes("input", input, "batch", "input_size")
    _, state_size = sizes("old_h", old_h, "batch", "state_size")
    array("weights", weights, (3 * state_size, state_size + input_size))
    array("bias", bias, (3 * state_size,))
    array("old_h", old_h, (batch, state_size))
    array("old_cell", old_cell, (batch, state_size))
