"""tests/operators/test_fused_conv_batch_norm2d.py: functions/fused_conv_batch_norm2d.py: same numbers as the pair, half
the memory."""

import pytest
import torch

from functions.batch_norm2d import batch_norm2d
from functions.conv2d import conv2d
from functions.fused_conv_batch_norm2d import FusedConvBatchNorm2DFunction, fused_conv_batch_norm2d
from support import operator_checks as check, references
from support.messages import names

SHAPES = (2, 3, 7, 6), (4, 3, 3, 2)


@pytest.mark.parametrize("dtype", check.DTYPES)
@pytest.mark.parametrize("shapes", [SHAPES, ((1, 1, 5, 5), (2, 1, 1, 1)), ((0, 3, 5, 5), (4, 3, 3, 3))])
def test_values(shapes, dtype):
    inputs = check.tensors(*shapes, dtype=dtype)
    check.check_values(fused_conv_batch_norm2d, references.fused_conv_batch_norm2d, inputs)


@pytest.mark.parametrize("dtype", check.DTYPES)
def test_equals_the_unfused_pair(dtype):
    inputs = check.tensors((4, 3, 9, 9), (5, 3, 3, 3), dtype=dtype)
    fused, fused_gradients = check.gradients(fused_conv_batch_norm2d, inputs)
    pair, pair_gradients = check.gradients(lambda input, weight: batch_norm2d(conv2d(input, weight)), inputs)
    assert torch.equal(fused, pair)
    torch.testing.assert_close(fused_gradients, pair_gradients)


def saved_bytes(function, *inputs):
    saved = {}

    def pack(tensor):
        saved[tensor.data_ptr()] = tensor.numel() * tensor.element_size()
        return tensor

    with torch.autograd.graph.saved_tensors_hooks(pack, lambda tensor: tensor):
        function(*inputs)
    return sum(saved.values())


@pytest.mark.parametrize("kernel_size", [1, 3])
def test_saves_half_the_bytes(kernel_size):
    inputs = check.tensors((16, 64, 32, 32), (64, 64, kernel_size, kernel_size), dtype=torch.float32)
    fused = saved_bytes(fused_conv_batch_norm2d, *inputs)
    pair = saved_bytes(lambda input, weight: batch_norm2d(conv2d(input, weight)), *inputs)
    assert fused >= inputs[0].numel() * 4
    assert fused <= 0.55 * pair


def test_input_changed_in_place_before_backward_is_an_error():
    input, weight = check.tensors(*SHAPES)
    input = input.detach()
    output = fused_conv_batch_norm2d(input, weight)
    input.mul_(2)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        output.sum().backward()


def test_bad_input():
    input, weight = check.tensors(*SHAPES, dtype=torch.float32)
    check.check_refuses(
        fused_conv_batch_norm2d,
        FusedConvBatchNorm2DFunction,
        (input, weight, 1e-3),
        [
            (
                0,
                torch.zeros(3, 7, 6),
                ValueError,
                names("input", "(batch, in_channels, height, width)", "(3, 7, 6)"),
            ),
            (
                0,
                input.half(),
                TypeError,
                names("conv_weight", "torch.float16", "torch.float32", "tensor.to(torch.float16)"),
            ),
            (
                0,
                input.long(),
                TypeError,
                names("input", *check.FLOATS, "torch.int64", "tensor.to(torch.float32)"),
            ),
            (1, None, TypeError, names("conv_weight", "torch.Tensor", "NoneType")),
            (
                1,
                torch.zeros(4, 2, 3, 3),
                ValueError,
                names("conv_weight", "(out_channels, 3, at most 7, at most 6)", "(4, 2, 3, 3)"),
            ),
            (2, -1.0, ValueError, "eps"),
        ],
    )
