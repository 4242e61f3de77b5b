"""tests/operators/test_robust_backward.py: a saved tensor that changed between forward and backward is an error.

C trusts the sizes that it is given. A backward that takes them from one tensor and the memory from another would read
and write outside of it.
"""

import subprocess
import sys

import pytest
import torch
from torch.autograd.graph import saved_tensors_hooks

from support import ROOT
from support.operator_table import OPERATORS, every_operator

ERRORS = ValueError, TypeError, RuntimeError
SHAPES = {
    "longer": lambda x: x.new_ones(10**5),
    "one row more": lambda x: torch.cat([x, x[:1]]),
    "one row less": lambda x: x[1:].clone(),
    "transposed": lambda x: x.new_ones(*reversed(x.shape)),
    "without elements": lambda x: x.new_ones(0),
}


@every_operator
@pytest.mark.parametrize("change", SHAPES)
def test_data_of_another_shape(operator, change):
    """``x.data = y`` gives x another shape, which neither its version counter nor its graph notices."""
    for place in range(len(operator.shapes)):
        inputs = operator.tensors(requires_grad=True)
        results = operator.call(*inputs)
        expected = torch.autograd.grad(results, inputs, [torch.ones_like(y) for y in results], retain_graph=True)
        other = SHAPES[change](inputs[place].detach())
        if other.shape == inputs[place].shape:
            continue
        inputs[place].data = other
        try:
            actual = torch.autograd.grad(results, inputs, [torch.ones_like(y) for y in results])
        except ERRORS:
            continue
        for index, (left, right) in enumerate(zip(actual, expected)):  # nothing read it
            assert index == place or torch.equal(left, right)
        assert place not in reads(operator)


def reads(operator):
    """The arguments whose values backward needs."""
    if operator.function.__name__ in ("add", "scale_add", "mul_constant"):
        return ()
    if operator is OPERATORS["linear without bias"]:  # of three dimensions: it reads a view, which keeps the memory
        return (1,)
    return {"lltm": (0, 1, 3), "lltm_sequence": (0, 1, 3, 4)}.get(operator.function.__name__, range(2))


@every_operator
@pytest.mark.parametrize("create_graph", [False, True])
def test_hooks_that_give_another_shape(operator, create_graph):
    """Each saved tensor in turn, whatever it is: an argument, a result, gates, statistics."""
    inputs = operator.tensors(requires_grad=True)
    number, saved = 0, 1
    while number < saved:
        packed = []

        def pack(x):
            packed.append(x)
            return len(packed) - 1

        def unpack(index):
            return torch.cat([packed[index], packed[index]]) if index == number else packed[index]

        with saved_tensors_hooks(pack, unpack):
            results = operator.call(*inputs)
        saved = len(packed)
        if saved:
            ones = [torch.ones_like(result) for result in results]
            try:
                gradients = torch.autograd.grad(results, inputs, ones, create_graph=create_graph)
            except ERRORS:
                pass
            else:
                expected = torch.autograd.grad(operator.expect(*inputs), inputs, ones)
                torch.testing.assert_close(gradients, expected)
        number += 1


SCRIPT = """
import torch
from support.operator_table import OPERATORS
operator = OPERATORS[{name!r}]
for place in range(len(operator.shapes)):
    inputs = operator.tensors(torch.float32, requires_grad=True)
    results = operator.call(*inputs)
    inputs[place].data = torch.ones(10**7)
    try:
        torch.autograd.backward(results, [torch.ones_like(y) for y in results])
    except (RuntimeError, ValueError) as error:
        print(place, error)
"""


@pytest.mark.slow
@pytest.mark.parametrize("name", ["cube", "linear", "batch_norm2d", "lltm", "lltm_sequence"])
def test_memory_that_is_not_there_is_an_error_and_no_crash(name):
    script = f"import sys; sys.path.insert(0, 'tests')\n{SCRIPT.format(name=name)}"
    done = subprocess.run([sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, (done.returncode, done.stderr)
    assert "expected" in done.stdout and "10000000" in done.stdout
