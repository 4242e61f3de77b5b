"""tests/operators/test_vmap.py: torch.vmap over any argument, nested, of gradients, and how often C is called."""

import itertools

import pytest
import torch
from torch.utils._python_dispatch import TorchDispatchMode

from functions.lltm import lltm
from support.messages import names
from support.operator_table import OPERATORS, every_operator

SIZE = 3


def batched(operator, places, dims, dtype=torch.float64):
    """The arguments, those at ``places`` with a batch as dimension ``dims[place]``; and in_dims."""
    inputs = operator.tensors(dtype)
    for place in places:
        stacked = torch.stack([torch.randn_like(inputs[place]) for _ in range(SIZE)])
        inputs[place] = stacked.movedim(0, dims[place])
    return inputs, tuple(dims[place] if place in places else None for place in range(len(inputs)))


@every_operator
def test_any_arguments_and_in_dims(operator):
    count = len(operator.shapes)
    for number in range(1, count + 1):
        for places in itertools.combinations(range(count), number):
            for dims in ([0] * count, [1] * count, [-1] * count):
                inputs, in_dims = batched(operator, places, dims)
                actual = torch.vmap(operator.call, in_dims)(*inputs)
                expected = torch.vmap(operator.expect, in_dims)(*inputs)
                torch.testing.assert_close(actual, expected)


@every_operator
def test_nested(operator):
    inputs = [torch.randn(2, SIZE, *shape, dtype=torch.float64) for shape in operator.shapes]
    inputs[0] = inputs[0].movedim(0, -1)
    outer = -1, *[0] * (len(inputs) - 1)

    def twice(function):
        return torch.vmap(torch.vmap(function), outer)(*inputs)

    torch.testing.assert_close(twice(operator.call), twice(operator.expect))


@every_operator
def test_of_leaves_that_require_grad(operator):
    inputs, in_dims = batched(operator, (0,), [0] * len(operator.shapes))
    inputs = [x.requires_grad_() for x in inputs]

    def gradients(function):
        loss = sum(result.square().sum() for result in torch.vmap(function, in_dims)(*inputs))
        return torch.autograd.grad(loss, inputs)

    torch.testing.assert_close(gradients(operator.call), gradients(operator.expect))


@every_operator
def test_per_sample_gradients(operator):
    """vmap(grad), grad(vmap) and jacobians under vmap."""
    inputs, in_dims = batched(operator, (0,), [0] * len(operator.shapes))
    places = tuple(range(len(inputs)))

    def everything(function):
        def loss(*inputs):
            return sum(result.square().sum() for result in function(*inputs))

        def summed(*inputs):
            return torch.vmap(loss, in_dims)(*inputs).sum()

        return {
            "vmap(grad)": torch.vmap(torch.func.grad(loss, places), in_dims)(*inputs),
            "grad(vmap)": torch.func.grad(summed, places)(*inputs),
            "vmap(jacfwd)": torch.vmap(torch.func.jacfwd(loss), in_dims)(*inputs),
            "vmap(jacrev)": torch.vmap(torch.func.jacrev(loss), in_dims)(*inputs),
            "vmap(hessian)": torch.vmap(torch.func.hessian(loss), in_dims)(*inputs),
        }

    actual, expected = everything(operator.call), everything(operator.expect)
    for name, value in expected.items():
        torch.testing.assert_close(actual[name], value, msg=lambda text: f"{name}: {text}")


@every_operator
@pytest.mark.parametrize("create_graph", [False, True])
def test_is_grads_batched(operator, create_graph):
    inputs = operator.tensors(requires_grad=True)
    directions = [torch.randn(SIZE, *result.shape, dtype=result.dtype) for result in operator.call(*inputs)]

    def gradients(function):
        return torch.autograd.grad(
            function(*inputs), inputs, directions, is_grads_batched=True, create_graph=create_graph
        )

    torch.testing.assert_close(gradients(operator.call), gradients(operator.expect))


@every_operator
def test_vectorized_jacobian(operator):
    inputs = tuple(operator.tensors(requires_grad=True))
    for strategy in ("reverse-mode", "forward-mode"):
        actual = torch.autograd.functional.jacobian(operator.call, inputs, vectorize=True, strategy=strategy)
        expected = torch.autograd.functional.jacobian(operator.expect, inputs)
        torch.testing.assert_close(actual, expected)


@every_operator
def test_one_call_where_the_words_allow(operator):
    """As many calls of the operator as there are entries for some arguments, and one for those in ``batches``."""
    if not operator.in_c:
        pytest.skip("computed by PyTorch's own operators")
    calls = []

    class Count(TorchDispatchMode):
        def __torch_dispatch__(self, function, types, arguments=(), named=None):
            calls.extend([function] * (function.namespace == "my_lib"))
            return function(*arguments, **(named or {}))

    for place in range(len(operator.shapes)):
        inputs, in_dims = batched(operator, (place,), [0] * len(operator.shapes))
        calls.clear()
        with Count():
            torch.vmap(operator.call, in_dims)(*inputs)
        assert len(calls) == (1 if place in operator.batches else SIZE), place


def test_zero_rows_and_randomness():
    inputs = OPERATORS["lltm"].tensors()
    inputs[0], inputs[3], inputs[4] = (
        torch.zeros(SIZE, 0, 3).double(),
        torch.zeros(0, 4).double(),
        torch.zeros(0, 4).double(),
    )
    new_h, _ = torch.vmap(lltm, (0, None, None, None, None), randomness="different")(*inputs)
    assert new_h.shape == (SIZE, 0, 4)


def test_errors_are_those_of_one_entry():
    inputs, in_dims = batched(OPERATORS["lltm"], (1,), [0] * 5)
    inputs[2] = torch.zeros(11, dtype=torch.float64)
    with pytest.raises(ValueError, match=names("bias", "(12,)", "(11,)")):
        torch.vmap(lltm, in_dims)(*inputs)
