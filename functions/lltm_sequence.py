"""functions/lltm_sequence.py: the LLTM cell over a whole sequence as one operator."""

import torch
from torch.autograd import Function
from torch.overrides import handle_torch_function, has_torch_function_variadic

from ._autograd import needs_autograd, once_differentiable, record
from ._library import Kernels, array, raise_last_error, scratch, sizes, workspace_size

KERNELS = Kernels(
    "input",
    "lltm_sequence_forward",
    "lltm_sequence_forward_workspace_size",
    "lltm_sequence_backward",
    "lltm_sequence_backward_workspace_size",
)


def lltm_sequence(input, weights, bias, old_h, old_cell):
    """(output, h, cell): h after every step, h and cell after the last, all float32 or all float64.

    input (seq_len, batch, input_size); weights, bias, old_h and old_cell as in ``functions.lltm.lltm``; output
    (seq_len, batch, state_size), h and cell (batch, state_size). Equal to seq_len calls of ``lltm``, and faster.
    """
    if has_torch_function_variadic(input, weights, bias, old_h, old_cell):
        arguments = input, weights, bias, old_h, old_cell
        return handle_torch_function(lltm_sequence, arguments, *arguments)
    if needs_autograd(weights, input, old_h, old_cell, bias):
        return record(LLTMSequenceFunction, input, weights, bias, old_h, old_cell)
    output, cells, _ = compute(input, weights, bias, old_h, old_cell, with_gates=False)
    return output, last(output, old_h), last(cells, old_cell)


class LLTMSequenceFunction(Function):
    """``LLTMSequenceFunction.apply(input, weights, bias, old_h, old_cell) -> (output, h, cell)``."""

    @staticmethod
    def forward(ctx, input, weights, bias, old_h, old_cell):
        ctx.set_materialize_grads(False)
        output, cells, gates = compute(input, weights, bias, old_h, old_cell, with_gates=True)
        ctx.save_for_backward(input, weights, old_h, old_cell, output, cells, gates)
        return output, last(output, old_h), last(cells, old_cell)

    @staticmethod
    @once_differentiable
    def backward(ctx, grad_output, grad_h, grad_cell):
        if grad_output is None and grad_h is None and grad_cell is None:
            return None, None, None, None, None
        input, weights, old_h, old_cell, output, cells, gates = ctx.saved_tensors
        needs_input, needs_weights, needs_bias, needs_old_h, needs_old_cell = ctx.needs_input_grad
        seq_len, batch, input_size = input.shape
        state_size = old_h.shape[1]
        _, _, backward, backward_size = KERNELS.of(input)
        input, weights = input.contiguous(), weights.contiguous()
        old_h, old_cell = old_h.contiguous(), old_cell.contiguous()
        grad_output = torch.zeros_like(output) if grad_output is None else grad_output.contiguous()
        d_input = torch.empty_like(input) if needs_input else None
        d_weights = torch.empty_like(weights) if needs_weights else None
        d_bias = weights.new_empty(3 * state_size) if needs_bias else None
        d_old_h = torch.empty_like(old_h) if needs_old_h else None
        d_old_cell = torch.empty_like(old_cell) if needs_old_cell else None
        nbytes = workspace_size(backward_size, seq_len, batch, input_size, state_size)
        if not backward(
            grad_output,
            None if grad_h is None else grad_h.contiguous(),
            None if grad_cell is None else grad_cell.contiguous(),
            cells, gates, input, output, old_h, old_cell, weights,
            seq_len, batch, input_size, state_size,
            d_input, d_weights, d_bias, d_old_h, d_old_cell, scratch(nbytes, input), nbytes,
        ):
            raise_last_error()
        return d_input, d_weights, d_bias, d_old_h, d_old_cell


def compute(input, weights, bias, old_h, old_cell, with_gates):
    """(output, cells, gates): h and cell after every step, and the gates (seq_len, batch, 3 * state_size) or None."""
    seq_len, batch, input_size = sizes("input", input, "seq_len", "batch", "input_size")
    _, state_size = sizes("old_h", old_h, "batch", "state_size")
    forward, forward_size, _, _ = KERNELS.of(input)
    input = input.contiguous()
    weights = array("weights", weights, (3 * state_size, state_size + input_size))
    bias = array("bias", bias, (3 * state_size,))
    old_h = array("old_h", old_h, (batch, state_size))
    old_cell = array("old_cell", old_cell, (batch, state_size))
    output = input.new_empty(seq_len, batch, state_size)
    cells = torch.empty_like(output)
    gates = input.new_empty(seq_len, batch, 3 * state_size) if with_gates else None
    nbytes = workspace_size(forward_size, seq_len, batch, input_size, state_size)
    if not forward(
        input, weights, bias, old_h, old_cell, seq_len, batch, input_size, state_size,
        output, cells, gates, scratch(nbytes, input), nbytes,
    ):
        raise_last_error()
    return output, cells, gates


def last(steps, old):
    """The state after the last step, on memory of its own; ``old`` after no step at all."""
    return (steps[-1] if len(steps) else old).clone(memory_format=torch.contiguous_format)
