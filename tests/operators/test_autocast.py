"""tests/operators/test_autocast.py: torch.autocast, and 16-bit tensors, as the layers of torch.nn take them."""

import pytest
import torch

import modules
from support.messages import names
from support.operator_table import OPERATORS, every_operator

LOW_PRECISION = ["linear", "linear without bias", "conv2d", "fused_conv_batch_norm2d", "lltm", "lltm_sequence"]
every_16_bits = pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16])
LAYERS = {
    "Linear": (modules.Linear, (4, 5), [(3, 4)]),
    "LLTM": (modules.LLTM, (4, 5), [(3, 4), ((3, 5), (3, 5))]),
    "LLTMLayer": (modules.LLTMLayer, (4, 5), [(7, 3, 4)]),
    "Conv2D": (modules.Conv2D, (2, 3, 3), [(2, 2, 5, 5)]),
    "BatchNorm2D": (modules.BatchNorm2D, (), [(2, 3, 4, 4)]),
    "FusedConvBatchNorm2D": (modules.FusedConvBatchNorm2D, (2, 3, 3), [(2, 2, 5, 5)]),
    "Cube": (modules.Cube, (), [(3, 4)]),
    "MyAddModule": (modules.MyAddModule, (), [(3, 4), (3, 4)]),
    "ScaleAdd": (modules.ScaleAdd, (), [(3, 4), (3, 4)]),
    "MulConstant": (modules.MulConstant, (2.5,), [(3, 4)]),
}


def close(actual, expected, dtype):
    tolerance = 0.06 if dtype is torch.bfloat16 else 0.01
    for left, right in zip(actual, expected, strict=True):
        scale = max(1.0, right.abs().max().item())
        torch.testing.assert_close(left.double(), right.double(), rtol=0, atol=tolerance * scale)


def results_and_gradients(function, inputs):
    results = function(*inputs)
    loss = sum(result.double().square().sum() for result in results)
    return results, torch.autograd.grad(loss, inputs)


@pytest.mark.parametrize("name", OPERATORS)
@every_16_bits
def test_autocast(name, dtype):
    """float32 goes in; linear layers and cells compute in 16 bits, the rest as it came; gradients are float32."""
    operator = OPERATORS[name]
    inputs = operator.tensors(torch.float32, requires_grad=True)
    with torch.autocast("cpu", dtype=dtype):
        results = operator.call(*inputs)
        with torch.no_grad():
            without_grad = operator.call(*inputs)
    expected = dtype if name in LOW_PRECISION else torch.float32
    assert {result.dtype for result in (*results, *without_grad)} == {expected}
    gradients = torch.autograd.grad(sum(y.double().square().sum() for y in results), inputs)
    assert all(gradient.dtype is torch.float32 for gradient in gradients)
    double = [x.detach().double().requires_grad_() for x in inputs]
    reference, reference_gradients = results_and_gradients(operator.expect, double)
    close(results, reference, dtype)
    if name != "fused_conv_batch_norm2d":  # its statistics are of very few numbers
        close(gradients, reference_gradients, dtype)


@pytest.mark.parametrize("name", LOW_PRECISION)
def test_autocast_leaves_float64_and_other_devices_alone(name):
    operator = OPERATORS[name]
    with torch.autocast("cpu", dtype=torch.bfloat16):
        assert {result.dtype for result in operator.call(*operator.tensors())} == {torch.float64}
    with torch.autocast("cpu", dtype=torch.bfloat16, enabled=False):
        assert {y.dtype for y in operator.call(*operator.tensors(torch.float32))} == {torch.float32}


@pytest.mark.parametrize("name", ["add", "scale_add"])
def test_autocast_promotes(name):
    operator = OPERATORS[name]
    first, second = operator.tensors(torch.float32)
    with torch.autocast("cpu", dtype=torch.bfloat16):
        (result,) = operator.call(first.bfloat16(), second)
    assert result.dtype is torch.float32
    torch.testing.assert_close(result, operator.call(first.bfloat16().float(), second)[0])
    with pytest.raises(ValueError, match=names("input2", "torch.bfloat16", "torch.float32", "tensor.to")):
        operator.call(first.bfloat16(), second)  # without autocast, as before


@every_16_bits
def test_autocast_of_a_sequence_without_steps(dtype):
    inputs = OPERATORS["lltm_sequence"].tensors(torch.float32, requires_grad=True)
    inputs[0] = torch.randn(0, *inputs[0].shape[1:], requires_grad=True)
    inputs[4] = inputs[4].detach().to(dtype).requires_grad_()  # of the step before
    with torch.autocast("cpu", dtype=dtype):
        output, h, cell = results = OPERATORS["lltm_sequence"].call(*inputs)
    assert {y.dtype for y in results} == {dtype} and output.shape == (0, *h.shape)
    assert torch.equal(h, inputs[3].to(dtype)) and torch.equal(cell, inputs[4])
    gradients = torch.autograd.grad(h.sum() + cell.sum(), inputs)
    assert [g.dtype for g in gradients] == [x.dtype for x in inputs]
    assert torch.equal(gradients[3], torch.ones_like(h, dtype=torch.float32)) and not gradients[1].any()


def test_autocast_inside_transforms():
    operator = OPERATORS["linear"]
    inputs = operator.tensors(torch.float32)
    with torch.autocast("cpu", dtype=torch.bfloat16):
        batched = torch.vmap(operator.call, (0, None, None))(torch.stack([inputs[0]] * 2), *inputs[1:])[0]
        _, tangent = torch.func.jvp(operator.call, tuple(inputs), tuple(inputs))
        assert batched.dtype is torch.bfloat16 and tangent[0].dtype is torch.bfloat16
        torch.testing.assert_close(batched[1], operator.call(*inputs)[0])


@every_operator
@every_16_bits
def test_16_bits(operator, dtype):
    """Values and gradients of 16-bit tensors, rounded; in both directions of the graph."""
    inputs = operator.tensors(dtype, requires_grad=True)
    double = [x.detach().double().requires_grad_() for x in inputs]
    results, gradients = results_and_gradients(operator.call, inputs)
    assert {x.dtype for x in (*results, *gradients)} == {dtype}
    reference, reference_gradients = results_and_gradients(operator.expect, double)
    close(results, reference, dtype)
    if operator is not OPERATORS["fused_conv_batch_norm2d"]:
        close(gradients, reference_gradients, dtype)
    tangents = tuple(torch.ones_like(x) for x in inputs)
    _, actual = torch.func.jvp(operator.call, tuple(x.detach() for x in inputs), tangents)
    assert {tangent.dtype for tangent in actual} == {dtype}


@every_16_bits
def test_batch_norm_keeps_statistics_in_float32(dtype):
    """In 16 bits, the mean 100 would be off by a quarter of the standard deviation."""
    x = (100 + torch.randn(8, 2, 4, 4)).to(dtype).requires_grad_()
    direction = torch.randn(8, 2, 4, 4).to(dtype)
    operator = OPERATORS["batch_norm2d"]
    (actual,) = torch.autograd.grad(operator.function(x), x, direction)
    double = x.detach().double().requires_grad_()
    (expected,) = torch.autograd.grad(operator.reference(double), double, direction.double())
    close([actual], [expected], torch.float16 if dtype is torch.float16 else torch.bfloat16)


@pytest.mark.parametrize("name", LAYERS)
@every_16_bits
def test_modules_in_16_bits(name, dtype):
    make, sizes, shapes = LAYERS[name]
    module = make(*sizes)

    def tensors(shape, dtype):
        if isinstance(shape[0], tuple):
            return tuple(tensors(part, dtype) for part in shape)
        return torch.linspace(-1, 1, torch.Size(shape).numel()).sin().reshape(shape).to(dtype)

    expected = flat(module(*[tensors(shape, torch.float32) for shape in shapes]))
    low = module.bfloat16() if dtype is torch.bfloat16 else module.half()
    actual = flat(low(*[tensors(shape, dtype) for shape in shapes]))
    assert {result.dtype for result in actual} == {dtype}
    close(actual, expected, dtype)


def flat(results):
    return [results] if isinstance(results, torch.Tensor) else [tensor for part in results for tensor in flat(part)]


@every_operator
def test_mixed_dtypes_are_refused(operator):
    for place in range(1, len(operator.shapes)):
        for dtype in (torch.float32, torch.bfloat16):
            inputs = operator.tensors(dtype)
            inputs[place] = inputs[place].to(torch.float64 if dtype is torch.float32 else torch.float32)
            with pytest.raises((TypeError, ValueError), match=r"expected .*(dtype|float).*, got .*float"):
                operator.call(*inputs)
