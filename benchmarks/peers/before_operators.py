"""benchmarks/peers/before_operators.py: the LLTM step of functions/ as it was before C functions were operators.

A fixed baseline, without gradients: Python checks the arguments, allocates outputs and workspace, and calls the C
function by name.
"""

from functools import lru_cache

import torch
from torch.overrides import has_torch_function_variadic

from _ext import my_lib

FORWARD = {torch.float32: my_lib.lltm_forward, torch.float64: my_lib.lltm_forward_f64}
SIZE = {torch.float32: my_lib.lltm_forward_workspace_size, torch.float64: my_lib.lltm_forward_workspace_size_f64}
WORKSPACE = torch.empty(1 << 20, dtype=torch.uint8)


@lru_cache(maxsize=1024)
def workspace_size(function, *sizes):
    return function(*sizes)


def lltm(input, weights, bias, old_h, old_cell):
    """(new_h, new_cell) after one step."""
    if has_torch_function_variadic(input, weights, bias, old_h, old_cell) or torch.is_grad_enabled():
        raise TypeError("expected tensors, and torch.no_grad()")
    return compute(input, weights, bias, old_h, old_cell)[:2]


def compute(input, weights, bias, old_h, old_cell):
    batch, input_size = input.shape
    _, state_size = state = old_h.shape
    rows = 3 * state_size
    fits = (
        weights.shape == (rows, state_size + input_size)
        and bias.shape == (rows,)
        and state == (batch, state_size)
        and old_cell.shape == state
    )
    if not fits:
        raise ValueError("expected shapes that fit")
    arrays = input.contiguous(), weights.contiguous(), bias.contiguous(), old_h.contiguous(), old_cell.contiguous()
    new_h, new_cell = torch.empty_like(arrays[3]), torch.empty_like(arrays[4])
    nbytes = workspace_size(SIZE[input.dtype], batch, input_size, state_size)
    workspace = WORKSPACE if nbytes <= WORKSPACE.numel() else torch.empty(nbytes, dtype=torch.uint8)
    if not FORWARD[input.dtype](
        *arrays, batch, input_size, state_size, new_h, new_cell, None, workspace, nbytes
    ):
        raise ValueError(my_lib.my_lib_last_error_message())
    return new_h, new_cell, None
