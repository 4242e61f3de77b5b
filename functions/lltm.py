"""functions/lltm.py: one step of the LLTM cell, an LSTM without forget gate whose candidate is an ELU."""

import torch
from torch.nn import functional as F
from torch.overrides import handle_torch_function, has_torch_function_variadic

from ._autograd import (
    Operator,
    autocast_active,
    dispatch,
    in_front,
    low_precision,
    must_compose,
    needs_dispatch,
    stacked,
)
from ._library import check_shape, check_tensors, needed, serve, sizes


def lltm(input, weights, bias, old_h, old_cell):
    """(new_h, new_cell) after one step, all of one floating-point dtype.

    input (batch, input_size), weights (3 * state_size, state_size + input_size) acting on [old_h, input], bias
    (3 * state_size), old_h and old_cell (batch, state_size), as both results. Formula and order of the gates:
    lltm_forward in my_lib.h.
    """
    if has_torch_function_variadic(input, weights, bias, old_h, old_cell):
        arguments = input, weights, bias, old_h, old_cell
        return handle_torch_function(lltm, arguments, *arguments)
    if needs_dispatch(weights, input, old_h, old_cell, bias) or autocast_active():
        return dispatch(LLTMFunction, input, weights, bias, old_h, old_cell)
    return compute(input, weights, bias, old_h, old_cell)[:2]


def check_arguments(input, weights, bias, old_h, old_cell):
    """Raises TypeError or ValueError for the first argument that does not fit those before it."""
    batch, input_size = sizes("input", input, "batch", "input_size")
    _, state_size = sizes("old_h", old_h, "batch", "state_size")
    check_tensors(input=input, weights=weights, bias=bias, old_h=old_h, old_cell=old_cell)
    check_shape("weights", weights, (3 * state_size, state_size + input_size))
    check_shape("bias", bias, (3 * state_size,))
    check_shape("old_h", old_h, (batch, state_size))
    check_shape("old_cell", old_cell, (batch, state_size))


# (new_h, new_cell, gates), gates (batch, 3 * state_size)
compute = serve("lltm_forward", check_arguments, multiplies=True)()


def check_saved(input, weights, bias, old_h, old_cell, new_cell, gates, grad_h, grad_cell, needs):
    """What backward reads must fit together: ``x.data = ...`` or saved_tensors_hooks may have changed a saved tensor."""
    check_arguments(input, weights, bias, old_h, old_cell)


@serve("lltm_backward", check_saved, multiplies=True)
def compute_gradients(input, weights, bias, old_h, old_cell, new_cell, gates, grad_h, grad_cell, needs):
    """Those of all five arguments, None where not needed."""
    arguments = grad_h, grad_cell, new_cell, gates, input, old_h, weights
    return needed("lltm_backward", arguments, needs, input, weights, bias, old_h, old_cell)


class LLTMFunction(Operator):
    """``LLTMFunction.apply(input, weights, bias, old_h, old_cell) -> (new_h, new_cell)``."""

    @staticmethod
    def forward(ctx, input, weights, bias, old_h, old_cell):
        new_h, new_cell, gates = compute(input, weights, bias, old_h, old_cell)
        ctx.save_for_backward(input, weights, bias, old_h, old_cell, new_cell, gates)
        return new_h, new_cell

    @staticmethod
    def backward(ctx, grad_h, grad_cell):
        *arguments, new_cell, gates = ctx.saved_tensors
        if must_compose(grad_h, grad_cell):
            return LLTMFunction.gradients(arguments, (grad_h, grad_cell), ctx.needs_input_grad)
        return compute_gradients(*arguments, new_cell, gates, grad_h, grad_cell, ctx.needs_input_grad)

    # -- the rules of the other paths

    autocast = staticmethod(low_precision)

    @staticmethod
    def plain(*arguments):
        return compute(*arguments)[:2]

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
