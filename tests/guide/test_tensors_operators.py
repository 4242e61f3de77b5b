"""tests/guide/test_tensors_operators.py: the operators of this repository take the tensor-like types, as PyTorch's own
do."""

import logging

import pytest
import torch

import functions
import modules
from functions.add import add
from functions.batch_norm2d import batch_norm2d
from functions.conv2d import conv2d
from functions.cube import cube
from functions.fused_conv_batch_norm2d import fused_conv_batch_norm2d
from functions.linear import linear
from functions.lltm import lltm
from functions.lltm_sequence import lltm_sequence
from functions.mul_constant import mul_constant
from functions.scale_add import scale_add
from support.messages import names
from tensors import LoggingTensor, MetadataTensor, ScalarTensor

STATE = torch.randn(12, 7), torch.randn(12), torch.randn(3, 4), torch.randn(3, 4)  # weights, bias, old_h, old_cell

# Operators on a 3 × 3 matrix, which a ScalarTensor can be.
MATRIX = {
    "add": lambda x: add(x, torch.ones(3, 3)),
    "add, second argument": lambda x: add(torch.ones(3, 3), x),
    "scale_add": lambda x: scale_add(torch.ones(3, 3), x),
    "mul_constant": lambda x: mul_constant(x, 2.5),
    "cube": cube,
    "linear": lambda x: linear(x, torch.ones(2, 3)),
    "linear, weight": lambda x: linear(torch.ones(2, 3), x, torch.ones(3)),
    "lltm": lambda x: lltm(x, *STATE),
    "MyAddModule": lambda x: modules.MyAddModule()(x, torch.ones(3, 3)),
    "ScaleAdd": lambda x: modules.ScaleAdd()(x, torch.ones(3, 3)),
    "MulConstant": lambda x: modules.MulConstant(2.5)(x),
    "Cube": lambda x: modules.Cube()(x),
    "Linear": lambda x: seeded(modules.Linear, 3, 2)(x),
    "LLTM": lambda x: seeded(modules.LLTM, 3, 4)(x, STATE[2:]),
}

# Operators on what a matrix cannot be.
LARGER = {
    "lltm_sequence": (lambda x: lltm_sequence(x, *STATE), (5, 3, 3)),
    "batch_norm2d": (batch_norm2d, (2, 3, 4, 4)),
    "conv2d": (lambda x: conv2d(x, torch.ones(2, 3, 2, 2)), (2, 3, 4, 4)),
    "fused_conv_batch_norm2d": (lambda x: fused_conv_batch_norm2d(x, torch.ones(2, 3, 2, 2)), (2, 3, 4, 4)),
    "LLTMLayer": (lambda x: seeded(modules.LLTMLayer, 3, 4)(x), (5, 2, 3)),
    "BatchNorm2D": (lambda x: modules.BatchNorm2D()(x), (2, 3, 4, 4)),
    "Conv2D": (lambda x: seeded(modules.Conv2D, 3, 2, 2)(x), (2, 3, 4, 4)),
    "FusedConvBatchNorm2D": (lambda x: seeded(modules.FusedConvBatchNorm2D, 3, 2, 2)(x), (2, 3, 4, 4)),
}

EVERY = {name: (call, (3, 3)) for name, call in MATRIX.items()} | LARGER
every_operator = pytest.mark.parametrize("call, shape", EVERY.values(), ids=EVERY.keys())


def seeded(module, *arguments):
    torch.manual_seed(0)
    return module(*arguments)


def flat(result):
    """The tensors of a result that may be nested, as LLTMLayer's is."""
    return [leaf for part in result for leaf in flat(part)] if isinstance(result, tuple) else [result]


@pytest.mark.parametrize("call", MATRIX.values(), ids=MATRIX.keys())
def test_scalar_tensor_counts_as_its_matrix(call):
    x = ScalarTensor(3, 2.0)
    for result, expected in zip(flat(call(x)), flat(call(x.to_dense())), strict=True):
        assert type(result) is torch.Tensor and torch.equal(result, expected)


@every_operator
def test_metadata_goes_through(call, shape):
    x = torch.randn(shape)
    results, expected = flat(call(MetadataTensor(x, {"unit": "m"}))), flat(call(x))
    for result, plain in zip(results, expected, strict=True):
        assert result.metadata == {"unit": "m"} and torch.equal(result.tensor, plain)


@every_operator
def test_logging_tensor_goes_through(call, shape, caplog):
    x = torch.randn(shape)
    expected = flat(call(x))
    caplog.set_level(logging.INFO, logger="tensors.logging_tensor")
    results = flat(call(x.as_subclass(LoggingTensor)))
    assert any(message.startswith("functions.") for message in caplog.messages)
    for result, plain in zip(results, expected, strict=True):
        assert type(result) is LoggingTensor and torch.equal(result.as_subclass(torch.Tensor), plain)


@every_operator
def test_gradients_reach_what_a_wrapper_holds(call, shape):
    x = torch.randn(shape, requires_grad=True)
    torch.stack([result.sum() for result in flat(call(MetadataTensor(x, {"unit": "m"})))]).sum().backward()
    (expected,) = torch.autograd.grad(sum(result.sum() for result in flat(call(x))), x)
    assert torch.equal(x.grad, expected)


def test_gradients_reach_the_one_number_of_a_scalar_tensor():
    value = torch.tensor(2.0, requires_grad=True)
    cube(ScalarTensor(3, value)).sum().backward()
    assert value.grad == 3 * 3 * 2**2


def test_metadata_of_both_arguments_merges():
    a, b = MetadataTensor(torch.ones(2), {"unit": "m"}), MetadataTensor(torch.ones(2), {"unit": "s", "who": "b"})
    assert add(a, b).metadata == modules.MyAddModule()(a, b).metadata == {"unit": "m", "who": "b"}


@pytest.mark.parametrize("x", [ScalarTensor(3, 1.0), MetadataTensor(torch.eye(3))], ids=["scalar", "metadata"])
def test_apply_takes_what_the_function_takes(x):
    assert type(functions.MulConstantFunction.apply(x, 3.0)) is type(mul_constant(x, 3.0))


def test_apply_takes_a_logging_tensor_which_is_one():
    x = torch.ones(3, 3).as_subclass(LoggingTensor).requires_grad_()
    functions.MulConstantFunction.apply(x, 3.0).sum().backward()
    assert torch.equal(x.grad.as_subclass(torch.Tensor), torch.full((3, 3), 3.0))


def test_wrong_shapes_inside_a_wrapper_are_named_as_ever():
    with pytest.raises(ValueError, match=names("input2", "(3, 3)", "(2, 2)")):
        add(ScalarTensor(3, 1.0), ScalarTensor(2, 1.0))


def test_siblings_are_a_type_error():
    with pytest.raises(TypeError, match="add.*(ScalarTensor|MetadataTensor)"):
        add(ScalarTensor(3, 1.0), MetadataTensor(torch.ones(3, 3)))
