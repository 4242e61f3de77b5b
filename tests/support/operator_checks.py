"""tests/support/operator_checks.py: what has to hold for every operator; each tests/test_<operator>.py picks what
applies."""

import itertools

import pytest
import torch
from hypothesis import HealthCheck, settings, strategies as st
from torch import Tensor

from support.messages import names
from torchthaw.bridge import pytorch

DTYPES = [torch.float32, torch.float64]
# Whether kernels are C functions, which check for themselves; else Python does, and tells whole shapes.
CHECKED_IN_C = tuple(map(int, torch.__version__.split(".")[:2])) >= (2, 10) and pytorch.may_have_kernels()
TOLERANCE = {torch.float32: 5e-5, torch.float64: 1e-10}

# What every operator computes in, as messages have it.
FLOATS = ("torch.float32", "torch.float64")

# 0, 1, primes, and the neighbours of vector widths and register tiles.
SIZES = st.sampled_from([0, 1, 2, 3, 5, 7, 8, 13, 15, 16, 17, 24, 31, 32, 33, 48, 49])
random_shapes = settings(max_examples=30, deadline=None, suppress_health_check=list(HealthCheck))


def wrong_dimensions(array, expected, got, shape):
    """The pattern of the error for an array of ``got`` dimensions where ``expected`` are; shape: what stands for them."""
    return names(array, f"{expected} dimensions", got) if CHECKED_IN_C else names(array, shape)


def no_tensor(array, shape):
    """The pattern of the error for None where a tensor of this shape is expected."""
    return names(array, "torch.Tensor", "NoneType") if CHECKED_IN_C else names(array, shape, "None")


def tensors(*shapes, dtype=torch.float64):
    """Normal random leaves that require grad."""
    return [torch.randn(shape, dtype=dtype, requires_grad=True) for shape in shapes]


def as_tuple(results):
    return results if isinstance(results, tuple) else (results,)


def gradients(function, inputs, grad_outputs=None):
    """The results, and the gradients of all tensors among ``inputs`` that require grad."""
    results = function(*inputs)
    wanted = [input for input in inputs if isinstance(input, Tensor) and input.requires_grad]
    if grad_outputs is None:  # behind .sum(): grad_output comes expanded, all strides 0
        loss = sum(result.sum() for result in as_tuple(results))
        return results, torch.autograd.grad(loss, wanted, allow_unused=True)
    return results, torch.autograd.grad(as_tuple(results), wanted, grad_outputs, allow_unused=True)


def check_values(function, reference, inputs):
    """Results and gradients equal those of ``reference`` in float64, behind .sum() and behind any grad_output."""
    dtype = inputs[0].dtype
    doubles = [
        input.detach().double().requires_grad_(input.requires_grad) if isinstance(input, Tensor) else input
        for input in inputs
    ]
    expected, _ = gradients(reference, doubles)
    directions = [torch.randn_like(result) for result in as_tuple(expected)]
    for grad_outputs in (None, directions):
        expected, expected_gradients = gradients(reference, doubles, grad_outputs)
        low = None if grad_outputs is None else [direction.to(dtype) for direction in grad_outputs]
        actual, actual_gradients = gradients(function, inputs, low)
        assert all(result.is_contiguous() for result in as_tuple(actual))
        for got, want in zip(as_tuple(actual) + actual_gradients, as_tuple(expected) + expected_gradients, strict=True):
            want = torch.zeros_like(got, dtype=torch.float64) if want is None else want
            assert got.dtype is dtype and got.shape == want.shape
            scale = max(1.0, want.abs().max().item() if want.numel() else 1.0)
            torch.testing.assert_close(got.double(), want, rtol=0, atol=TOLERANCE[dtype] * scale, equal_nan=True)


def check_needs_input_grad(function, inputs):
    """Each subset of the inputs may ask for gradients; backward gives these alone, and always the same."""
    _, full = gradients(function, inputs)
    places = [place for place, input in enumerate(inputs) if isinstance(input, Tensor)]
    full = dict(zip(places, full, strict=True))
    for count in range(1, len(places) + 1):
        for subset in itertools.combinations(places, count):
            some = [
                input.detach().clone().requires_grad_(place in subset) if isinstance(input, Tensor) else input
                for place, input in enumerate(inputs)
            ]
            results = as_tuple(function(*some))
            node, ones = results[0].grad_fn, [torch.ones_like(result) for result in results]
            if not hasattr(node, "_forward_cls"):  # a view of what the Function gave
                (((node, _),), ones) = node.next_functions, [ones[0].flatten(0, -2)]
            with torch.no_grad():
                returned = as_tuple(node._forward_cls.backward(node, *ones))
            for place, gradient in enumerate(returned[: len(inputs)]):
                # grad_output itself, passed through, costs nothing
                assert (gradient is not None) == (place in subset) or gradient is ones[0]
            _, got = gradients(function, some)
            for place, gradient in zip(subset, got, strict=True):
                torch.testing.assert_close(gradient, full[place], rtol=1e-6, atol=1e-6)


def check_no_apply_without_grad(function, function_class, inputs, monkeypatch):
    """The Function runs only where autograd has something to record; results are the same either way."""
    expected = as_tuple(function(*inputs))
    assert all(result.requires_grad for result in expected)
    detached = [input.detach() if isinstance(input, Tensor) else input for input in inputs]

    def forward(ctx, *arguments):
        raise AssertionError("the Function ran")

    of_pytorch = next(each for each in function_class.__mro__ if "forward" in vars(each))
    monkeypatch.setattr(of_pytorch, "forward", staticmethod(forward))
    with pytest.raises(AssertionError, match="the Function ran"):
        function(*inputs)
    with torch.no_grad():
        without_grad = as_tuple(function(*inputs))
    with torch.inference_mode():
        inference = as_tuple(function(*detached))
    plain = as_tuple(function(*detached))
    for want, *others in zip(expected, without_grad, inference, plain, strict=True):
        for other in others:
            assert torch.equal(want, other) and not other.requires_grad


def check_unused_result(function, reference, inputs):
    """A result that nobody uses gives no gradient, as if it were multiplied by 0."""
    wanted = [input for input in inputs if isinstance(input, Tensor)]
    for place in range(len(function(*inputs))):
        got = torch.autograd.grad(function(*inputs)[place].sum(), wanted)
        want = torch.autograd.grad(reference(*inputs)[place].sum(), wanted, allow_unused=True)
        for left, right in zip(got, want, strict=True):
            torch.testing.assert_close(left, torch.zeros_like(left) if right is None else right)


def check_refuses(function, function_class, arguments, bad):
    """``bad``: rows of (index of the argument, its value, exception, the pattern of its message); by function and by ``apply``."""
    for place, value, exception, pattern in bad:
        wrong = list(arguments)
        wrong[place] = value
        for call in (function, function_class.apply):
            with pytest.raises((TypeError, ValueError) if exception is TypeError else exception, match=pattern):
                call(*wrong)


def check_refuses_pairs(function, function_class):
    """What an elementwise operator of two tensors does not take."""
    x = torch.zeros(5, 5, requires_grad=True)
    of_integers = names("input1", *FLOATS, "torch.int64", "tensor.to(torch.float32)")
    check_refuses(function, function_class, (x, x), [
        (1, torch.zeros(5, 4), ValueError, names("input2", "(5, 5)", "(5, 4)")),
        (1, torch.zeros(5, 5, 1), ValueError, names("input2", "(5, 5)", "(5, 5, 1)")),
        (1, torch.zeros(5, 5, dtype=torch.float64), TypeError, "input2"),
        (0, torch.zeros(5, 5, dtype=torch.int64), TypeError, of_integers),
        (0, [1.0], TypeError, names("input1", "torch.Tensor", "list")),
        (1, None, TypeError, names("input2", "torch.Tensor", "NoneType")),
        (1, torch.zeros(5, 5, device="meta"), (TypeError, ValueError), "input2"),
    ])  # fmt: skip
