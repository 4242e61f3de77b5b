"""benchmarks/peers/raw.py: calls of C functions by hand: the caller allocates what C writes to."""

import torch
from torch import Tensor

from _ext import my_lib


def mul_constant(input: Tensor, constant: float) -> Tensor:
    output = torch.empty_like(input)
    my_lib.my_lib_mul_constant_forward(input, input.shape, input.dim(), constant, output)
    return output


def mul_constant_backward(grad_output: Tensor, constant: float) -> Tensor:
    grad_input = torch.empty_like(grad_output)
    my_lib.my_lib_mul_constant_backward(grad_output, grad_output.shape, grad_output.dim(), constant, grad_input)
    return grad_input


def add(input1: Tensor, input2: Tensor) -> Tensor:
    output = torch.empty_like(input1)
    my_lib.my_lib_add_forward(input1, input1.shape, input1.dim(), input2, input2.shape, input2.dim(), output)
    return output


def lltm_forward(
    input: Tensor, weights: Tensor, bias: Tensor, old_h: Tensor, old_cell: Tensor
) -> tuple[Tensor, Tensor, Tensor]:
    """new_h, new_cell, gates"""
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


def lltm_backward(
    grad_h: Tensor, grad_cell: Tensor, new_cell: Tensor, gates: Tensor, input: Tensor, old_h: Tensor, weights: Tensor
) -> tuple[Tensor, Tensor, Tensor, Tensor, Tensor]:
    """The gradients of input, weights, bias, old_h and old_cell."""
    batch, input_size = input.shape
    _, state_size = old_h.shape
    found = (
        torch.empty_like(input), torch.empty_like(weights), weights.new_empty(3 * state_size), torch.empty_like(old_h),
        torch.empty_like(old_h),
    )  # fmt: skip
    nbytes = my_lib.lltm_backward_workspace_size(batch, input_size, state_size)
    workspace = torch.empty(nbytes, dtype=torch.uint8)
    my_lib.lltm_backward(
        grad_h, grad_cell, new_cell, gates, input, old_h, weights, batch, input_size, state_size, *found, workspace,
        nbytes,
    )  # fmt: skip
    return found
