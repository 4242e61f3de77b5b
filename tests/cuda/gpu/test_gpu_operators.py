"""tests/cuda/gpu/test_gpu_operators.py: functions/ and modules/ on a GPU, and with CUDA on the CPU
(tests/cuda_on_cpu/test_libraries.py)."""

import pytest
import torch
from torch.autograd import gradcheck

from functions.add import add
from functions.batch_norm2d import batch_norm2d
from functions.cube import cube
from functions.fused_conv_batch_norm2d import fused_conv_batch_norm2d
from functions.linear import linear
from functions.lltm import lltm
from functions.lltm_sequence import lltm_sequence
from functions.mul_constant import mul_constant
from functions.scale_add import scale_add
from modules import LLTM, LLTMLayer
from support import references
from support.operator_checks import check_values

ON_GPU = torch.cuda.is_available()
DEVICE = "cuda" if ON_GPU else "cpu"

LLTM_SHAPES = [[(3, 5), (12, 9), (12,), (3, 4), (3, 4)], [(2, 8), (96, 40), (96,), (2, 32), (2, 32)]]
SEQUENCE_SHAPES = [
    [(4, 3, 5), (12, 9), (12,), (3, 4), (3, 4)],
    [(3, 2, 3), (399, 136), (399,), (2, 133), (2, 133)],  # goes step by step
]
CASES = [
    (add, references.add, [(7, 5), (7, 5)]),
    (scale_add, references.scale_add, [(33,), (33,)]),
    (cube, references.cube, [(3, 11)]),
    (lambda x: mul_constant(x, 0.3), lambda x: references.mul_constant(x, 0.3), [(3, 11)]),
    (linear, references.linear, [(6, 5), (4, 5), (4,)]),
    (linear, references.linear, [(2, 3, 5), (4, 5)]),
    (batch_norm2d, references.batch_norm2d, [(3, 2, 5, 4)]),
    (fused_conv_batch_norm2d, references.fused_conv_batch_norm2d, [(2, 3, 7, 6), (4, 3, 2, 2)]),
    *((lltm, references.lltm, shapes) for shapes in LLTM_SHAPES),
    *((lltm_sequence, references.lltm_sequence, shapes) for shapes in SEQUENCE_SHAPES),
]


def leaves(shapes, dtype=torch.float64, scale=0.3):
    return [(torch.randn(shape, dtype=dtype, device=DEVICE) * scale).requires_grad_() for shape in shapes]


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
@pytest.mark.parametrize("function, reference, shapes", CASES)
def test_values_and_gradients(function, reference, shapes, dtype):
    check_values(function, reference, leaves(shapes, dtype))


@pytest.mark.parametrize("function, reference, shapes", CASES)
def test_gradcheck(function, reference, shapes):
    small = [shape for shape in shapes]
    if function is lltm_sequence and shapes[0] != (4, 3, 5):
        pytest.skip("thousands of weights, and compared with the reference above")
    assert gradcheck(function, leaves(small), fast_mode=True)


@pytest.mark.parametrize("module, shapes", [(LLTM, [(3, 5), (3, 8), (3, 8)]), (LLTMLayer, [(4, 3, 5)])])
def test_modules(module, shapes):
    torch.manual_seed(0)
    made = module(5, 8).to(DEVICE)
    input, *state = leaves(shapes, torch.float32)
    first = made(input, tuple(state)) if state else made(input)
    first[0].sum().backward()
    assert made.weights.grad.shape == made.weights.shape and made.weights.grad.abs().sum() > 0


def test_other_dtypes_are_refused():
    with pytest.raises(ValueError, match="input1: expected dtype torch.float32.*, got torch.int64"):
        add(torch.ones(2, dtype=torch.int64, device=DEVICE), torch.ones(2, device=DEVICE))


@pytest.mark.parametrize("dtype, tolerance", [(torch.bfloat16, 2**-6), (torch.float16, 2**-8)], ids=str)
def test_sequences_of_16_bits(dtype, tolerance):
    """Of a state that the blocks of a grid share: the results of float32, up to TF32 and one rounding."""
    narrow = leaves([(5, 17, 3), (3 * 160, 163), (3 * 160,), (17, 160), (17, 160)], dtype, 0.1)
    wide = [each.detach().float().requires_grad_() for each in narrow]
    found = []
    for arguments in narrow, wide:
        results = lltm_sequence(*arguments)
        found.append([*results, *torch.autograd.grad(results, arguments, [torch.ones_like(y) for y in results])])
    for got, want in zip(*found, strict=True):
        assert got.dtype is dtype
        torch.testing.assert_close(got.float(), want, rtol=0, atol=tolerance * want.abs().max().item())
