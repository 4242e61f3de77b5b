"""tests/operators/test_derivatives.py: first and second derivatives, backward, forward mode and by torch.func."""

import pytest
import torch
from torch.autograd import forward_ad, gradcheck, gradgradcheck

from functions.batch_norm2d import batch_norm2d
from functions.lltm import lltm
from functions.lltm_sequence import lltm_sequence
from support.operator_table import OPERATORS, every_operator


@every_operator
def test_gradcheck_in_both_modes(operator):
    inputs = operator.tensors(requires_grad=True)
    assert gradcheck(operator.call, inputs, check_forward_ad=True)


@every_operator
def test_gradgradcheck_in_both_modes(operator):
    inputs = operator.tensors(requires_grad=True)
    assert gradgradcheck(operator.call, inputs, fast_mode=True, check_fwd_over_rev=True, check_rev_over_rev=True)


@every_operator
def test_second_derivative_in_slow_mode(operator):
    """Each element of the second derivative behind .sum(), where grad_output does not require grad."""
    inputs = operator.tensors(requires_grad=True)

    def gradient(function):
        loss = sum(result.square().sum() for result in function(*inputs))
        first = torch.autograd.grad(loss, inputs, create_graph=True)
        return first, torch.autograd.grad(sum(x.square().sum() for x in first), inputs)

    torch.testing.assert_close(gradient(operator.call), gradient(operator.expect))


@every_operator
def test_gradient_with_create_graph_is_the_usual_one(operator):
    inputs = operator.tensors(requires_grad=True)
    directions = [torch.randn_like(result) for result in operator.call(*inputs)]
    usual = torch.autograd.grad(operator.call(*inputs), inputs, directions)
    created = torch.autograd.grad(operator.call(*inputs), inputs, directions, create_graph=True)
    torch.testing.assert_close(created, usual)


@every_operator
def test_torch_func_agrees_with_the_reference(operator):
    inputs = operator.tensors()
    tangents = tuple(torch.randn_like(x) for x in inputs)

    def everything(function):
        def loss(*inputs):
            return sum(result.square().sum() for result in function(*inputs))

        places = tuple(range(len(inputs)))
        primals, pull = torch.func.vjp(function, *inputs)
        return {
            "grad": torch.func.grad(loss, places)(*inputs),
            "vjp": (primals, pull(tuple(torch.ones_like(x) for x in primals))),
            "jvp": torch.func.jvp(function, tuple(inputs), tangents),
            "jacrev": torch.func.jacrev(function, places)(*inputs),
            "jacfwd": torch.func.jacfwd(function, places)(*inputs),
            "hessian": torch.func.hessian(loss, places)(*inputs),
            "forward over forward": torch.func.jacfwd(torch.func.jacfwd(loss))(*inputs),
            "reverse over reverse": torch.func.jacrev(torch.func.jacrev(loss))(*inputs),
        }

    actual, expected = everything(operator.call), everything(operator.expect)
    for name, value in expected.items():
        torch.testing.assert_close(actual[name], value, msg=lambda text: f"{name}: {text}")


@every_operator
def test_only_some_arguments_have_a_tangent(operator):
    inputs = operator.tensors()
    for place, primal in enumerate(inputs):
        tangent = torch.randn_like(primal)

        def of_one(function):
            def one(x):
                return function(*inputs[:place], x, *inputs[place + 1 :])

            return torch.func.jvp(one, (primal,), (tangent,))

        torch.testing.assert_close(of_one(operator.call), of_one(operator.expect))


@every_operator
def test_a_dual_gradient_keeps_its_tangent(operator):
    """The graph is recorded outside of the dual level, so that backward alone meets a tangent."""
    inputs = operator.tensors(requires_grad=True)
    directions = [torch.randn_like(result) for result in operator.call(*inputs)]
    tangents = [torch.randn_like(result) for result in directions]

    def tangents_of_gradients(function):
        results = function(*inputs)
        with forward_ad.dual_level():
            duals = [forward_ad.make_dual(*pair) for pair in zip(directions, tangents)]
            gradients = torch.autograd.grad(results, inputs, duals)
            return [forward_ad.unpack_dual(gradient).tangent for gradient in gradients]

    torch.testing.assert_close(tangents_of_gradients(operator.call), tangents_of_gradients(operator.expect))


@every_operator
def test_apply_serves_as_the_function_does(operator):
    inputs = operator.tensors()

    def apply(*inputs):
        results = operator.function_class.apply(*inputs, *operator.constants)
        return results if isinstance(results, tuple) else (results,)

    tangents = tuple(torch.randn_like(x) for x in inputs)
    _, actual = torch.func.jvp(apply, tuple(inputs), tangents)
    _, expected = torch.func.jvp(operator.expect, tuple(inputs), tangents)
    torch.testing.assert_close(actual[: len(expected)], expected)


@every_operator
def test_results_in_forward_mode(operator):
    inputs = operator.tensors(torch.float32)
    results, _ = torch.func.jvp(operator.call, tuple(inputs), tuple(inputs))
    torch.testing.assert_close(results, operator.call(*inputs))


@pytest.mark.parametrize("shared", [(3, 4), (4, 3)])
def test_one_tensor_as_two_arguments_has_the_sum_of_both_gradients(shared):
    inputs = OPERATORS["lltm"].tensors(requires_grad=True)

    def second(function):
        arguments = list(inputs)
        arguments[shared[0]] = arguments[shared[1]]
        loss = sum(result.square().sum() for result in function(*arguments))
        (first,) = torch.autograd.grad(loss, arguments[shared[1]], create_graph=True)
        return first, *torch.autograd.grad(first.square().sum(), inputs, allow_unused=True)

    torch.testing.assert_close(second(lltm), second(OPERATORS["lltm"].expect))


def test_second_derivative_of_a_sequence_without_steps():
    inputs = OPERATORS["lltm_sequence"].tensors(requires_grad=True)
    inputs[0] = torch.randn(0, 2, 3, dtype=torch.float64, requires_grad=True)
    _, h, _ = lltm_sequence(*inputs)
    (first,) = torch.autograd.grad(h.square().sum(), inputs[3], create_graph=True)
    (second,) = torch.autograd.grad(first.sum(), inputs[3])
    torch.testing.assert_close(second, torch.full_like(second, 2))


def test_second_derivative_of_a_constant_channel_is_finite():
    x = torch.full((2, 1, 2, 2), 3.0, dtype=torch.float64, requires_grad=True)
    (first,) = torch.autograd.grad(batch_norm2d(x, 0.5)[0].square().sum(), x, create_graph=True)
    (second,) = torch.autograd.grad(first.square().sum(), x)
    assert first.isfinite().all() and second.isfinite().all()
