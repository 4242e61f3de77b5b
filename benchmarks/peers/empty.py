"""benchmarks/peers/empty.py: autograd Functions with the LLTM's saved tensors and results, which compute nothing, or little.

The time of the first is PyTorch's own: what is left of a step that a Function computes when the computing is taken away.
That of the second is the least that a backward pass takes with PyTorch's matrix products.
"""

import torch


class EmptyFunction(torch.autograd.Function):
    """``EmptyFunction.apply(input, weights, bias, old_h, old_cell) -> (new_h, new_cell)``, uninitialised."""

    @staticmethod
    def forward(ctx, input, weights, bias, old_h, old_cell):
        new_h, new_cell = torch.empty_like(old_h), torch.empty_like(old_cell)
        gates = torch.empty(old_h.shape[0], 3 * old_h.shape[1])
        ctx.save_for_backward(input, weights, bias, old_h, old_cell, new_cell, gates)
        return new_h, new_cell

    @staticmethod
    def backward(ctx, grad_h, grad_cell):
        *arguments, _, _ = ctx.saved_tensors
        return tuple(torch.empty_like(x) if need else None for x, need in zip(arguments, ctx.needs_input_grad))


class ProductsFunction(torch.autograd.Function):
    """The same, whose backward pass has the matrix products of the LLTM's, of ones, and nothing else."""

    @staticmethod
    def forward(ctx, input, weights, bias, old_h, old_cell):
        batch, state_size = old_h.shape
        ctx.save_for_backward(input, weights, bias, old_h, old_cell)
        ctx.gates, ctx.rows = torch.ones(batch, 3 * state_size), torch.ones(batch, weights.shape[1])
        return torch.empty_like(old_h), torch.empty_like(old_cell)

    @staticmethod
    def backward(ctx, grad_h, grad_cell):
        input, weights, bias, old_h, old_cell = ctx.saved_tensors
        of_state, of_input = weights.split([old_h.shape[1], input.shape[1]], 1)
        d_input = ctx.gates @ of_input if ctx.needs_input_grad[0] else None
        d_weights = ctx.gates.t() @ ctx.rows
        return d_input, d_weights, torch.empty_like(bias), ctx.gates @ of_state, torch.empty_like(old_cell)
