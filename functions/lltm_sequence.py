"""functions/lltm_sequence.py: the LLTM cell over a whole sequence as one operator."""

import torch
from torch.overrides import handle_torch_function, has_torch_function_variadic

from _ext.my_lib import functions

from ._library import applying, multiplies
from .lltm import step


@functions.lltm_sequence.formula
def formula(input, weights, bias, h, cell):
    steps = []
    for each in input.unbind(0):
        h, cell = step(each, weights, bias, h, cell)
        steps.append(h)
    return torch.stack(steps), h.clone(), cell.clone()


@multiplies
def lltm_sequence(input, weights, bias, old_h, old_cell):
    """(output, h, cell): h after every step, h and cell after the last, all of one floating-point dtype.

    input (seq_len, batch, input_size); weights, bias, old_h and old_cell as in ``functions.lltm.lltm``; output
    (seq_len, batch, state_size), h and cell (batch, state_size). Equal to seq_len calls of ``lltm``, and faster.
    """
    if has_torch_function_variadic(input, weights, bias, old_h, old_cell):
        arguments = input, weights, bias, old_h, old_cell
        return handle_torch_function(lltm_sequence, arguments, *arguments)
    if isinstance(input, torch.Tensor) and input.dim() == 3 and not input.shape[0]:
        return without_steps(input, weights, bias, old_h, old_cell)
    return functions.lltm_sequence(input, weights, bias, old_h, old_cell)


def without_steps(*arguments):
    """The state as it was; the gradients of all other arguments are zero. A step tells shapes and the dtype of autocast."""
    input, *others = (x.detach() for x in arguments)
    step, _, _ = functions.lltm_sequence(input.new_zeros(1, *input.shape[1:]), *others)
    nothing = [x.flatten()[:0] for x in arguments]
    h, cell = (torch.cat([x.flatten(), *nothing]).view_as(x).to(step.dtype) for x in arguments[3:])
    return h[None][:0], h, cell


LLTMSequenceFunction = applying(lltm_sequence, functions.lltm_sequence)
