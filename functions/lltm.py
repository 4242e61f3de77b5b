"""functions/lltm.py: one step of the LLTM cell, an LSTM without forget gate whose candidate is an ELU."""

import torch
from torch import Tensor
from torch.nn import functional as F
from torch.overrides import handle_torch_function, has_torch_function_variadic

from ._autograd import Operator, dispatch, in_front, low_precision, must_compose, needs_dispatch, stacked
from ._library import Kernels, array, arrays, raise_last_error, scratch, sizes, workspace_size

KERNELS = Kernels("lltm_forward", "lltm_forward_workspace_size", "lltm_backward", "lltm_backward_workspace_size")


def lltm(input, weights, bias, old_h, old_cell):
    """(new_h, new_cell) after one step, all of one floating-point dtype.

    input (batch, input_size), weights (3 * state_size, state_size + input_size) acting on [old_h, input], bias
    (3 * state_size), old_h and old_cell (batch, state_size), as both results. Formula and order of the gates:
    lltm_forward in my_lib.h.
    """
    if has_torch_function_variadic(input, weights, bias, old_h, old_cell):
        arguments = input, weights, bias, old_h, old_cell
        return handle_torch_function(lltm, arguments, *arguments)
    if needs_dispatch(weights, input, old_h, old_cell, bias):
        return dispatch(LLTMFunction, input, weights, bias, old_h, old_cell)
    return compute(input, weights, bias, old_h, old_cell, False)[:2]


@KERNELS.serve
def compute(kernels, input: Tensor, weights, bias, old_h, old_cell, with_gates):
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
    forward, forward_size, _, _ = kernels
    new_h, new_cell = torch.empty_like(arrays[3]), torch.empty_like(arrays[4])
    gates = new_h.new_empty(batch, rows) if with_gates else None
    nbytes = workspace_size(forward_size, batch, input_size, state_size)
    if not forward(
        *arrays, batch, input_size, state_size, new_h, new_cell, gates, scratch(nbytes, input), nbytes
    ):
        raise_last_error()
    return new_h, new_cell, gates


@KERNELS.serve
def compute_gradients(kernels, input: Tensor, weights, old_h, new_cell, gates, grad_h, grad_cell, needs):
    """Those of all five arguments, None where not needed."""
    needs_input, needs_weights, needs_bias, needs_old_h, needs_old_cell = needs
    batch, input_size = sizes("input", input, "batch", "input_size")
    _, state_size = state = sizes("new_cell", new_cell, "batch", "state_size")
    _, _, backward, backward_size = kernels
    input, weights, old_h, new_cell, gates, grad_h, grad_cell = arrays(
        input=(input, (state[0], input_size)), weights=(weights, (3 * state_size, state_size + input_size)),
        old_h=(old_h, state), new_cell=(new_cell, state), gates=(gates, (batch, 3 * state_size)),
        grad_h=(grad_h, state), grad_cell=(grad_cell, state),
    )
    d_input = torch.empty_like(input) if needs_input else None
    d_weights = torch.empty_like(weights) if needs_weights else None
    d_bias = weights.new_empty(3 * state_size) if needs_bias else None
    d_old_h = torch.empty_like(new_cell) if needs_old_h else None
    d_old_cell = torch.empty_like(new_cell) if needs_old_cell else None
    nbytes = workspace_size(backward_size, batch, input_size, state_size)
    if not backward(
        grad_h, grad_cell, new_cell, gates, input, old_h, weights,
        batch, input_size, state_size,
        d_input, d_weights, d_bias, d_old_h, d_old_cell, scratch(nbytes, input), nbytes,
    ):
        raise_last_error()
    return d_input, d_weights, d_bias, d_old_h, d_old_cell


def check_arguments(input, weights, bias, old_h, old_cell):
    """Raises TypeError or ValueError for the first argument that does not fit those before it."""
    batch, input_size = sizes("input", input, "batch", "input_size")
    _, state_size = sizes("old_h", old_h, "batch", "state_size")
    array("weights", weights, (3 * state_size, state_size + input_size))
    array("bias", bias, (3 * state_size,))
    array("old_h", old_h, (batch, state_size))
    array("old_cell", old_cell, (batch, state_size))


class LLTMFunction(Operator):
    """``LLTMFunction.apply(input, weights, bias, old_h, old_cell) -> (new_h, new_cell)``."""

    @staticmethod
    def forward(ctx, input, weights, bias, old_h, old_cell):
        new_h, new_cell, gates = compute(input, weights, bias, old_h, old_cell, True)
        ctx.save_for_backward(input, weights, bias, old_h, old_cell, new_cell, gates)
        return new_h, new_cell

    @staticmethod
    def backward(ctx, grad_h, grad_cell):
        *arguments, new_cell, gates = ctx.saved_tensors
        if must_compose(grad_h, grad_cell):
            return LLTMFunction.gradients(arguments, (grad_h, grad_cell), ctx.needs_input_grad)
        input, weights, _, old_h, _ = arguments
        return compute_gradients(input, weights, old_h, new_cell, gates, grad_h, grad_cell, ctx.needs_input_grad)

    # -- the rules of the other paths

    autocast = staticmethod(low_precision)

    @staticmethod
    def plain(*arguments):
        return compute(*arguments, False)[:2]

    @staticmethod
    def formula(input, weights, bias, old_h, old_cell):
        check_arguments(input, weights, bias, old_h, old_cell)
        i, o, c, _ = gates_of(input, weights, bias, old_h)
        new_cell = old_cell + c * i
        return new_cell.tanh() * o, new_cell

    @staticmethod
    def tangents(arguments, tangents):
        return step_tangents(arguments, tangents)[1]

    @classmethod
    def batch(cls, size, dims, arguments):
        if dims[1] is not None or dims[2] is not None:  # weights for each entry of the batch
            return super().batch(size, dims, arguments)
        input, old_h, old_cell = in_front(size, (dims[0], *dims[3:]), (arguments[0], *arguments[3:]))
        batch = input.shape[1]
        input, old_h, old_cell = (x.reshape(size * batch, x.shape[2]) for x in (input, old_h, old_cell))
        results = dispatch(cls, input, arguments[1], arguments[2], old_h, old_cell)
        return stacked(tuple(result.reshape(size, batch, result.shape[1]) for result in results))


def gates_of(input, weights, bias, old_h):
    """(i, o, c, the slope of c), each (batch, state_size)."""
    pre_i, pre_o, pre_c = F.linear(torch.cat([old_h, input], 1), weights, bias).chunk(3, 1)
    return pre_i.sigmoid(), pre_o.sigmoid(), F.elu(pre_c), torch.where(pre_c > 0, 1, pre_c.exp())


def step_tangents(arguments, tangents):
    """((new_h, new_cell), their tangents)."""
    input, weights, bias, old_h, old_cell = arguments
    d_input, d_weights, d_bias, d_old_h, d_old_cell = tangents
    i, o, c, slope = gates_of(input, weights, bias, old_h)
    new_cell = old_cell + c * i
    t = new_cell.tanh()
    pre = F.linear(torch.cat([d_old_h, d_input], 1), weights, d_bias)
    pre_i, pre_o, pre_c = (pre + F.linear(torch.cat([old_h, input], 1), d_weights)).chunk(3, 1)
    d_cell = d_old_cell + slope * pre_c * i + c * i * (1 - i) * pre_i
    d_h = (1 - t * t) * d_cell * o + t * o * (1 - o) * pre_o
    return (t * o, new_cell), (d_h, d_cell)
