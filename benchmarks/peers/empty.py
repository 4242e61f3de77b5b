"""benchmarks/peers/empty.py: an autograd Function with the LLTM's saved tensors and results, which computes nothing.

Its time is PyTorch's own: what is left of a step that a Function computes when the computing is taken away.
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
