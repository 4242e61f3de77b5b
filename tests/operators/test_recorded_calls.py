"""tests/operators/test_recorded_calls.py: what autograd records of each operator, and which gradients it asks for."""

import pytest

from support import operator_checks as check
from support.operator_table import OPERATORS


def with_constants(operator):
    return [*operator.tensors(requires_grad=True), *operator.constants]


FUNCTIONS = [name for name in OPERATORS if name != "conv2d"]  # which is PyTorch's


@pytest.mark.parametrize("name", [name for name in FUNCTIONS if name != "cube"])  # whose forward gives two results
def test_needs_input_grad(name):
    operator = OPERATORS[name]
    check.check_needs_input_grad(operator.function, with_constants(operator))


@pytest.mark.parametrize("name", FUNCTIONS)
def test_no_apply_without_grad(name, monkeypatch):
    operator = OPERATORS[name]
    check.check_no_apply_without_grad(operator.function, operator.function_class, with_constants(operator), monkeypatch)


@pytest.mark.parametrize("name", ["add", "scale_add", "mul_constant", "linear"])
def test_none_gradient_passes_through(name):
    inputs = with_constants(OPERATORS[name])
    function_class = OPERATORS[name].function_class
    assert function_class.backward(function_class.apply(*inputs).grad_fn, None) == (None,) * len(inputs)
