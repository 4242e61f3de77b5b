"""benchmarks/peers/custom_op.py: the C function as an operator by hand, as torch.library's guide writes one."""

import torch
from torch import Tensor

from _ext import my_lib


@torch.library.custom_op("benchmarks::lltm_forward", mutates_args=())
def lltm_forward(
    input: Tensor, weights: Tensor, bias: Tensor, old_h: Tensor, old_cell: Tensor
) -> tuple[Tensor, Tensor, Tensor]:
    batch, input_size = input.shape
    _, state_size = old_h.shape
    new_h, new_cell = torch.empty_like(old_h), torch.empty_like(old_cell)
    gates = old_h.new_empty(batch, 3 * state_size)
    nbytes = my_lib.lltm_forward_workspace_size(batch, input_size, state_size)
    workspace = torch.empty(nbytes, dtype=torch.uint8)
    my_lib.lltm_forward(
        input, weights, bias, old_h, old_cell, batch, input_size, state_size, new_h, new_cell, gates, workspace, nbytes
    )
    return new_h, new_cell, gates
