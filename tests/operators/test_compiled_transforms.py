"""tests/operators/test_compiled_transforms.py: torch.compile of code that transforms an operator, in one graph."""

import functools

import pytest
import torch

from support.graphs import captured
from support.messages import names
from support.operator_table import OPERATORS, every_operator

TRANSFORMS = {
    "grad": lambda loss, places: torch.func.grad(loss, places),
    "vmap(grad)": lambda loss, places: torch.vmap(torch.func.grad(loss, places), (0,) + (None,) * (len(places) - 1)),
    "jacfwd": lambda loss, places: torch.func.jacfwd(loss, places),
}


@functools.cache
def compiles_jacfwd_of_two():
    """Whether this PyTorch compiles jacfwd of several arguments at all; 2.10 does not."""
    torch.compiler.reset()
    x = torch.ones(2)
    try:
        torch.compile(torch.func.jacfwd(torch.add, (0, 1)), fullgraph=True, backend="eager")(x, x)
    except torch._dynamo.exc.Unsupported:
        return False
    return True


@pytest.mark.slow
@captured
@every_operator
@pytest.mark.parametrize("name", TRANSFORMS)
def test_compiled_transform(operator, name):
    if name == "jacfwd" and len(operator.shapes) > 1 and not compiles_jacfwd_of_two():
        pytest.skip("this PyTorch compiles no jacfwd of several arguments")
    torch.compiler.reset()
    inputs = operator.tensors()
    if name == "vmap(grad)":
        inputs[0] = torch.stack([inputs[0], 2 * inputs[0]])
    places = tuple(range(len(inputs)))

    def transformed(function):
        def loss(*inputs):
            return sum(result.square().sum() for result in function(*inputs))

        return TRANSFORMS[name](loss, places)

    compiled = torch.compile(transformed(operator.call), fullgraph=True, backend="aot_eager")
    torch.testing.assert_close(compiled(*inputs), transformed(operator.expect)(*inputs))


@captured
def test_errors_in_a_compiled_transform_are_those_of_the_operator():
    torch.compiler.reset()
    function = torch.compile(torch.vmap(OPERATORS["add"].function), backend="eager")
    with pytest.raises(Exception, match=names("input2", "3", "4")):
        function(torch.zeros(2, 3), torch.zeros(2, 4))
