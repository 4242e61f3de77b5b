"""tests/derivatives/test_from_python.py: torchthaw.differentiable, operators from functions of Python."""

import pytest
import torch

import torchthaw
from support import derivatives
from support.graphs import captured
from support.messages import names


def scaled(x, weight, factor: float, bias=None):
    """x * weight * factor + bias"""
    y = x * weight * factor
    return (y if bias is None else y + bias), x.tanh()


def scaled_backward(grad_outputs, arguments, outputs, needs):
    (grad,), (x, weight, factor, _) = grad_outputs, arguments
    return (
        grad * weight * factor if needs[0] else None, grad * x * factor if needs[1] else None, None,
        grad if needs[3] else None,
    )  # fmt: skip


def formula(x, weight, factor, bias=None):
    return scaled(x, weight, factor, bias)[0]


@pytest.fixture(scope="module")
def function():
    made = torchthaw.differentiable(scaled, scaled_backward, formula, saved=1, vmap="elementwise", autocast="lower")
    made.expect, made.rule = formula, "lower"
    return made


def given():
    generator = torch.Generator().manual_seed(4)
    x, weight, bias = (torch.randn(3, 4, dtype=torch.float64, generator=generator).requires_grad_() for _ in range(3))
    return [x, weight, 1.5, bias]


@pytest.mark.parametrize("check", derivatives.EAGER, ids=lambda check: check.__name__)
def test_in_eager_mode(function, check):
    check(function, given())


@pytest.mark.slow
@captured
@pytest.mark.parametrize("check", derivatives.COMPILED, ids=lambda check: check.__name__)
def test_in_graphs(function, check):
    check(function, given())


def test_its_names(function):
    assert function.__doc__ == "x * weight * factor + bias" and function.__name__ == "scaled"
    assert function.operator.namespace == "torchthaw" and "scaled" in str(function.operator)
    function.check(*given())


def test_without_a_bias(function):
    x, weight, factor, _ = given()
    (found,) = torch.autograd.grad(function(x, weight, factor).sum(), [x])
    torch.testing.assert_close(found, weight * factor)


def test_without_a_formula():
    def twice(x):
        return 2 * x

    function = torchthaw.differentiable(twice, lambda grads, arguments, outputs, needs: 2 * grads[0])
    derivatives.gradcheck(function, given()[:1])
    x = given()[0]
    (grad,) = torch.autograd.grad(function(x).sum(), [x], create_graph=True)
    with pytest.raises(RuntimeError, match=names("twice", "second derivative", "formula=", "torchthaw.differentiable")):
        grad.sum().backward()
    again = torchthaw.differentiable(twice, lambda grads, arguments, outputs, needs: 2 * grads[0])
    assert torch.equal(again(x), function(x.detach()))


def nothing(x):
    return x


BAD = {
    "forward": (TypeError, ("forward", "function", "int"), (3, nothing), {}),
    "backward": (TypeError, ("backward", "function", "NoneType"), (nothing, None), {}),
    "vmap": (ValueError, ("vmap", "elementwise", "rows"), (nothing, nothing), {"vmap": "rows"}),
    "autocast": (ValueError, ("autocast", "lower", "half"), (nothing, nothing), {"autocast": "half"}),
    "name": (ValueError, ("name", "namespace::operator", "a.b"), (nothing, nothing), {"name": "a.b"}),
    "name twice": (ValueError, ("name", "torchthaw::taken"), (nothing, nothing), {"name": "torchthaw::taken"}),
    "results": (ValueError, ("results", "0"), (nothing, nothing), {"results": 0}),
    "default": (TypeError, ("forward", "eps", "1"), (lambda x, eps=1: x, nothing), {}),
    "more": (TypeError, ("forward", "more"), (lambda *more: more, nothing), {}),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_definitions(case):
    error, words, arguments, options = BAD[case]
    if case == "name twice":
        torchthaw.differentiable(*arguments, **options)
    with pytest.raises(error, match=names(*words)):
        torchthaw.differentiable(*arguments, **options)


def test_wrong_numbers_of_tensors():
    x = given()[0]
    function = torchthaw.differentiable(nothing, lambda *_: (None, None), results=2)
    with pytest.raises(TypeError, match=names("nothing", "2", "1", "results")):
        function(x.detach())
    function = torchthaw.differentiable(nothing, lambda grads, *_: (grads[0], None), name="torchthaw::other_nothing")
    with pytest.raises(TypeError, match=names("nothing", "1", "2", "backward")):
        function(x).sum().backward()
