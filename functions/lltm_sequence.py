"""functions/lltm_sequence.py: the LLTM cell over a whole sequence as one operator."""

import torch
from torch.compiler import is_compiling
from torch.overrides import handle_torch_function, has_torch_function_variadic

from ._autograd import Operator, autocast_active, dispatch, in_front, low_precision, must_compose, needs_dispatch
from ._library import check_shape, check_tensors, needed, operators_out, serve, sizes
from .lltm import LLTMFunction, step_tangents


def lltm_sequence(input, weights, bias, old_h, old_cell):
    """(output, h, cell): h after every step, h and cell after the last, all of one floating-point dtype.

    input (seq_len, batch, input_size); weights, bias, old_h and old_cell as in ``functions.lltm.lltm``; output
    (seq_len, batch, state_size), h and cell (batch, state_size). Equal to seq_len calls of ``lltm``, and faster.
    """
    if has_torch_function_variadic(input, weights, bias, old_h, old_cell):
        arguments = input, weights, bias, old_h, old_cell
        return handle_torch_function(lltm_sequence, arguments, *arguments)
    if needs_dispatch(weights, input, old_h, old_cell, bias) or autocast_active():
        return dispatch(LLTMSequenceFunction, input, weights, bias, old_h, old_cell)
    return compute_results(input, weights, bias, old_h, old_cell)


def check_arguments(input, weights, bias, old_h, old_cell):
    """Raises TypeError or ValueError for the first argument that does not fit those before it."""
    _, batch, input_size = sizes("input", input, "seq_len", "batch", "input_size")
    _, state_size = sizes("old_h", old_h, "batch", "state_size")
    check_tensors(input=input, weights=weights, bias=bias, old_h=old_h, old_cell=old_cell)
    check_shape("weights", weights, (3 * state_size, state_size + input_size))
    check_shape("bias", bias, (3 * state_size,))
    check_shape("old_h", old_h, (batch, state_size))
    check_shape("old_cell", old_cell, (batch, state_size))


# (output, cells, gates): h and cell after every step, and the gates (seq_len, batch, 3 * state_size)
compute = serve("lltm_sequence_forward", check_arguments, multiplies=True)()


def check_saved(input, weights, bias, old_h, old_cell, *others):
    """What backward reads must fit together: ``x.data = ...`` or saved_tensors_hooks may have changed a saved tensor."""
    check_arguments(input, weights, bias, old_h, old_cell)


@serve("lltm_sequence_backward", check_saved, multiplies=True)
def compute_gradients(
    input, weights, bias, old_h, old_cell, output, cells, gates, grad_output, grad_h, grad_cell, needs
):
    """Those of all five arguments, None where not needed."""
    grad_output = torch.zeros_like(output) if grad_output is None else grad_output
    arguments = grad_output, grad_h, grad_cell, cells, gates, input, output, old_h, old_cell, weights
    return needed("lltm_sequence_backward", arguments, needs, input, weights, bias, old_h, old_cell)


@serve("lltm_sequence_forward", check_arguments, multiplies=True)
def compute_results(input, weights, bias, old_h, old_cell):
    """(output, h, cell). Only gradients need the gates, which take more memory than all results."""
    if is_compiling():
        output, cells, _ = compute(input, weights, bias, old_h, old_cell)
    else:
        steps, batch, _ = input.shape
        output = torch.empty(steps, batch, old_h.shape[1], dtype=input.dtype, device=input.device)
        cells = torch.empty_like(output)
        operators_out.lltm_sequence_forward(input, weights, bias, old_h, old_cell, output, cells, None)
    return output, last(output, old_h), last(cells, old_cell)


def last(steps, old):
    """The state after the last step, on memory of its own; ``old`` after no step at all."""
    return (steps[-1] if len(steps) else old).clone(memory_format=torch.contiguous_format)


class LLTMSequenceFunction(Operator):
    """``LLTMSequenceFunction.apply(input, weights, bias, old_h, old_cell) -> (output, h, cell)``."""

    @staticmethod
    def forward(ctx, input, weights, bias, old_h, old_cell):
        ctx.set_materialize_grads(False)
        output, cells, gates = compute(input, weights, bias, old_h, old_cell)
        ctx.save_for_backward(input, weights, bias, old_h, old_cell, output, cells, gates)
        return output, last(output, old_h), last(cells, old_cell)

    @staticmethod
    def backward(ctx, *grad_outputs):
        if all(grad_output is None for grad_output in grad_outputs):
            return None, None, None, None, None
        *arguments, output, cells, gates = ctx.saved_tensors
        if must_compose(*grad_outputs):
            return LLTMSequenceFunction.gradients(arguments, grad_outputs, ctx.needs_input_grad)
        return compute_gradients(*arguments, output, cells, gates, *grad_outputs, ctx.needs_input_grad)

    # -- the rules of the other paths

    autocast = staticmethod(low_precision)

    plain = staticmethod(compute_results)

    @staticmethod
    def formula(input, weights, bias, h, cell):
        sizes("input", input, "seq_len", "batch", "input_size")
        steps = []
        for step in input.unbind(0):
            h, cell = LLTMFunction.formula(step, weights, bias, h, cell)
            steps.append(h)
        return all_steps(steps, h), h.clone(), cell.clone()

    @staticmethod
    def tangents(arguments, tangents):
        (input, weights, bias, *state), (d_input, d_weights, d_bias, *d_state) = arguments, tangents
        steps = []
        for step, d_step in zip(input.unbind(0), d_input.unbind(0)):
            state, d_state = step_tangents((step, weights, bias, *state), (d_step, d_weights, d_bias, *d_state))
            steps.append(d_state[0])
        return all_steps(steps, d_state[0]), *d_state

    @classmethod
    def batch(cls, size, dims, arguments):
        if dims[1] is not None or dims[2] is not None:  # weights for each entry of the batch
            return super().batch(size, dims, arguments)
        input, old_h, old_cell = in_front(size, (dims[0], *dims[3:]), (arguments[0], *arguments[3:]))
        seq_len, batch = input.shape[1:3]
        input = input.transpose(0, 1).reshape(seq_len, size * batch, input.shape[3])
        old_h, old_cell = (x.reshape(size * batch, x.shape[2]) for x in (old_h, old_cell))
        output, h, cell = dispatch(cls, input, arguments[1], arguments[2], old_h, old_cell)
        output = output.reshape(seq_len, size, batch, output.shape[2])
        return (output, *(x.reshape(size, batch, x.shape[1]) for x in (h, cell))), (1, 0, 0)


def all_steps(steps, h):
    """``steps`` as one tensor (seq_len, batch, state_size); h (batch, state_size) tells the sizes where there are none."""
    return torch.stack(steps) if steps else h.new_empty(0, *h.shape)
