"""tests/derivatives/test_convolutions.py: all ways to differentiate conv2d, which is PyTorch's, and the fused operator."""

import pytest
import torch
from torch.nn import functional as F

from functions import fused_conv_batch_norm2d
from functions.conv2d import conv2d
from support import derivatives
from support.graphs import captured


class Conv2D:
    """conv2d with the attributes that the checks ask for, and a name for PyTorch 2.7, where vmap in a graph asks for it."""

    expect, rule, operator = staticmethod(F.conv2d), "lower", torch.ops.aten.conv2d.default
    __name__ = "conv2d"

    def __call__(self, input, weight):
        return conv2d(input, weight)


def fused():
    function = fused_conv_batch_norm2d.fused
    function.expect, function.rule = fused_conv_batch_norm2d.formula, "lower"
    return function


OPERATORS = {"conv2d": (Conv2D, ()), "fused_conv_batch_norm2d": (fused, (1e-2,))}
every_operator = pytest.mark.parametrize("name", OPERATORS)


def operator_and_arguments(name):
    make, numbers = OPERATORS[name]
    generator = torch.Generator().manual_seed(2)
    shapes = (2, 2, 5, 4), (3, 2, 2, 2)
    tensors = [torch.randn(shape, generator=generator, dtype=torch.float64).requires_grad_() for shape in shapes]
    return make(), [*tensors, *numbers]


@every_operator
@pytest.mark.parametrize("check", derivatives.EAGER, ids=lambda check: check.__name__)
def test_in_eager_mode(name, check):
    if name == "conv2d" and check is derivatives.vmap_of_nothing:
        pytest.skip("PyTorch's own convolution takes no vmap without entries")
    torch.manual_seed(0)
    check(*operator_and_arguments(name))


@pytest.mark.slow
@captured
@every_operator
@pytest.mark.parametrize("check", derivatives.COMPILED, ids=lambda check: check.__name__)
def test_in_graphs(name, check):
    torch.manual_seed(0)
    check(*operator_and_arguments(name))


def test_an_exported_conv2d_needs_no_operator_of_ours():
    operator, (input, weight) = operator_and_arguments("conv2d")

    class Module(torch.nn.Module):
        def forward(self, input, weight):
            return operator(input, weight)

    program = torch.export.export(Module(), (input.detach(), weight.detach()))
    called = {str(node.target) for node in program.graph.nodes if node.op == "call_function"}
    assert called == {"aten.conv2d.default"}


def test_a_trace_of_conv2d_fits_other_sizes(recwarn):
    _, (input, weight) = operator_and_arguments("conv2d")
    traced = torch.jit.trace(conv2d, (input.detach(), weight.detach()))
    assert not [each for each in recwarn if each.category is torch.jit.TracerWarning]
    other = torch.randn(3, 2, 7, 6, dtype=torch.float64)
    torch.testing.assert_close(traced(other, weight), F.conv2d(other, weight))
