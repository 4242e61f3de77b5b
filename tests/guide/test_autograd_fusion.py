"""tests/guide/test_autograd_fusion.py: the lesson of fusing convolution and batch norm to save memory."""

import pytest
import torch
from torch import nn
from torch.autograd import gradcheck

import functions
from functions.batch_norm2d import batch_norm2d
from functions.conv2d import conv2d
from modules import FusedConvBatchNorm2D


def leaf(*shape, dtype=torch.float64):
    return torch.randn(shape, dtype=dtype, requires_grad=True)


@pytest.mark.slow
def test_each_part_passes_gradcheck_before_they_are_fused():
    assert gradcheck(functions.Conv2DFunction.apply, (leaf(2, 3, 5, 5), leaf(4, 3, 2, 2)))
    assert gradcheck(functions.BatchNorm2DFunction.apply, (leaf(2, 3, 4, 4), 1e-3))


@pytest.mark.slow
def test_fused_passes_gradcheck():
    assert gradcheck(functions.FusedConvBatchNorm2DFunction.apply, (leaf(2, 3, 5, 5), leaf(4, 3, 2, 2), 1e-3))


def shapes_saved_by(function, *inputs):
    shapes = []

    def pack(tensor):
        shapes.append(tuple(tensor.shape))
        return tensor

    with torch.autograd.graph.saved_tensors_hooks(pack, lambda tensor: tensor):
        function(*inputs)
    return shapes


def test_fused_saves_no_image_but_the_input():
    input, weight = leaf(2, 3, 6, 6), leaf(4, 3, 3, 3)
    conv_output = (2, 4, 4, 4)
    assert conv_output in shapes_saved_by(lambda input, weight: batch_norm2d(conv2d(input, weight)), input, weight)
    fused = shapes_saved_by(functions.FusedConvBatchNorm2DFunction.apply, input, weight)
    assert sorted(fused) == sorted([(2, 3, 6, 6), (4, 3, 3, 3), (4,), (4,)])


def test_a_network_trains_alike_with_and_without_fusion():
    class Pair(nn.Module):
        def __init__(self, conv_weight):
            super().__init__()
            self.conv_weight = nn.Parameter(conv_weight.detach().clone())

        def forward(self, x):
            return batch_norm2d(conv2d(x, self.conv_weight))

    torch.manual_seed(0)
    fused = FusedConvBatchNorm2D(1, 8, 3)
    heads = [
        nn.Sequential(layer, nn.ReLU(), nn.Flatten(), nn.Linear(8 * 36, 4))
        for layer in (fused, Pair(fused.conv_weight))
    ]
    heads[1][3].load_state_dict(heads[0][3].state_dict())
    x, target = torch.randn(32, 1, 8, 8), torch.randint(4, (32,))
    losses = []
    for head in heads:
        optimizer = torch.optim.SGD(head.parameters(), lr=0.1)
        for _ in range(10):
            optimizer.zero_grad()
            loss = nn.functional.cross_entropy(head(x), target)
            loss.backward()
            optimizer.step()
        losses.append(loss.item())
    assert losses[0] < 0.5
    torch.testing.assert_close(losses[0], losses[1], rtol=1e-3, atol=1e-4)
