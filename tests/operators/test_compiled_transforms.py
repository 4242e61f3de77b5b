"""tests/operators/test_compiled_transforms.py: torch.compile of code that transforms an operator, in one graph."""

import pytest
import torch

from support.operator_table import OPERATORS, every_operator

TRANSFORMS = {
    "grad": lambda loss, places: torch.func.grad(loss, places),
    "vmap(grad)": lambda loss, places: torch.vmap(torch.func.grad(loss, places), (0,) + (None,) * (len(places) - 1)),
    "jacfwd": lambda loss, places: torch.func.jacfwd(loss, places),
}


@every_operator
@pytest.mark.parametrize("name", TRANSFORMS)
def test_compiled_transform(operator, name):
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


def test_errors_in_a_compiled_transform_are_those_of_the_operator():
    torch.compiler.reset()
    function = torch.compile(torch.vmap(OPERATORS["add"].function), backend="eager")
    with pytest.raises(Exception, match=r"input2: expected shape \(.*3\), got \(.*4\)"):
        function(torch.zeros(2, 3), torch.zeros(2, 4))
