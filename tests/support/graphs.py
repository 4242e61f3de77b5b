# tests/support/graphs.py: functions that call C as users do, and arguments for every operator.
import os

import pytest
import torch

# The larger matrix: make compile-check.
full = pytest.mark.skipif("TORCHTHAW_COMPILE_CHECK" not in os.environ, reason="make compile-check runs it")
# Elsewhere a graph ends before such a call and goes on behind it: tests/graph/test_laziness.py.
captured = pytest.mark.skipif(
    not hasattr(torch.compiler, "substitute_in_graph"), reason="PyTorch 2.4 takes no substitutes: calls break the graph"
)


def add(a, b):
    """Twice the sum, by the trampoline."""
    from _ext import my_lib

    output = torch.empty_like(a)
    assert my_lib.my_lib_add_forward(a, a.shape, a.dim(), b, b.shape, b.dim(), output)
    return 2 * output


def lltm(input, weights, bias, old_h, old_cell):
    """All that the trampoline gives, with a workspace as its header asks for it."""
    from _ext import my_lib

    (batch, input_size), state_size = input.shape, old_h.shape[1]
    new_h, new_cell = torch.empty_like(old_h), torch.empty_like(old_cell)
    gates = old_h.new_empty(batch, 3 * state_size)
    nbytes = my_lib.lltm_forward_workspace_size(batch, input_size, state_size)
    workspace = torch.empty(nbytes, dtype=torch.uint8)
    if not my_lib.lltm_forward(
        input, weights, bias, old_h, old_cell, batch, input_size, state_size, new_h, new_cell, gates, workspace, nbytes
    ):
        raise ValueError("lltm_forward failed")
    return new_h, new_cell, gates


def lltm_arguments(batch=2, dtype=torch.float32):
    shapes = (batch, 3), (12, 7), (12,), (batch, 4), (batch, 4)
    return tuple(torch.randn(shape, dtype=dtype) for shape in shapes)


def batch_norm2d_gradient():
    input, statistics = torch.randn(2, 3, 4, 5), torch.rand(2, 3) + 0.5
    return torch.randn(2, 3, 4, 5), input, statistics[0], statistics[1], 1e-3


def lltm_gradient():
    input, weights, _, old_h, _ = lltm_arguments()
    return *(torch.randn(2, 4) for _ in range(3)), torch.rand(2, 12), input, old_h, weights


def lltm_sequence_gradient():
    _, weights, _, old_h, old_cell = lltm_arguments()
    input, grad_h, cells, h = (torch.randn(6, 2, size) for size in (3, 4, 4, 4))
    return grad_h, None, torch.randn(2, 4), cells, torch.rand(6, 2, 12), input, h, old_h, old_cell, weights


# operator -> arguments of its overload default, for each operator of torch.ops.my_lib
ARGUMENTS = {
    "my_lib_add_forward": lambda: (torch.randn(3, 4), torch.randn(4, 3).t()),
    "my_lib_add_backward": lambda: (torch.randn(3, 4),),
    "my_lib_scale_add_forward": lambda: (torch.randn(3, 4), torch.randn(3, 4)),
    "my_lib_scale_add_backward": lambda: (torch.randn(3, 4),),
    "my_lib_mul_constant_forward": lambda: (torch.randn(5), 2.5),
    "my_lib_mul_constant_backward": lambda: (torch.randn(5), 2.5),
    "my_lib_cube_forward": lambda: (torch.randn(3, 4),),
    "my_lib_cube_backward": lambda: (torch.randn(3, 4), None, torch.randn(3, 4)),
    "my_lib_linear_forward": lambda: (torch.randn(3, 4), torch.randn(5, 4), None),
    "my_lib_linear_backward": lambda: (torch.randn(3, 5), torch.randn(3, 4), torch.randn(5, 4), 4),
    "my_lib_batch_norm2d_forward": lambda: (torch.randn(2, 3, 4, 5), 1e-3),
    "my_lib_batch_norm2d_backward": batch_norm2d_gradient,
    "lltm_forward": lltm_arguments,
    "lltm_backward": lltm_gradient,
    "lltm_sequence_forward": lambda: (torch.randn(6, 2, 3), *lltm_arguments()[1:]),
    "lltm_sequence_backward": lltm_sequence_gradient,
}
