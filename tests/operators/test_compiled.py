"""tests/operators/test_compiled.py: torch.compile, torch.export and make_fx of every operator: one graph, right numbers."""

import pytest
import torch
from torch.fx.experimental.proxy_tensor import make_fx

import modules
from support.operator_table import OPERATORS, every_operator


@pytest.fixture(autouse=True)
def fresh():
    torch.compiler.reset()


def results_and_gradients(function, inputs, directions):
    results = function(*inputs)
    return results, torch.autograd.grad(results, [x for x in inputs if x.requires_grad], directions)


def nodes(graph):
    """The names of the operators of my_lib in a graph."""
    return {str(node.target) for node in graph.nodes if str(node.target).startswith("my_lib.")}


@every_operator
def test_forward_and_backward_in_one_graph(operator):
    inputs = operator.tensors(requires_grad=True)
    directions = [torch.randn_like(y) for y in operator.expect(*inputs)]
    compiled = torch.compile(operator.call, fullgraph=True, backend="aot_eager")
    expected = results_and_gradients(operator.expect, inputs, directions)
    torch.testing.assert_close(results_and_gradients(compiled, inputs, directions), expected)
    with torch.no_grad():
        torch.testing.assert_close(compiled(*inputs), expected[0])


@every_operator
def test_only_needed_gradients(operator):
    for place in range(len(operator.shapes)):
        torch.compiler.reset()
        inputs = operator.tensors()
        inputs[place].requires_grad_()
        directions = [torch.randn_like(y) for y in operator.expect(*inputs)]
        compiled = torch.compile(operator.call, fullgraph=True, backend="aot_eager")
        actual = results_and_gradients(compiled, inputs, directions)
        torch.testing.assert_close(actual, results_and_gradients(operator.expect, inputs, directions))


@every_operator
def test_dynamic_shapes(operator):
    """Other sizes of the batch take the same graph."""
    compiled = torch.compile(operator.call, fullgraph=True, backend="aot_eager", dynamic=True)
    for factor in (1, 2, 3):
        inputs = operator.tensors(requires_grad=True)
        for place in batch_places(operator):
            x = inputs[place].detach()
            dim = 1 if x.dim() == 3 and operator is OPERATORS["lltm_sequence"] else 0
            inputs[place] = torch.cat([x] * factor, dim).requires_grad_()
        with torch._dynamo.config.patch(error_on_recompile=factor > 2):
            directions = [torch.ones_like(y) for y in operator.expect(*inputs)]
            actual = results_and_gradients(compiled, inputs, directions)
        torch.testing.assert_close(actual, results_and_gradients(operator.expect, inputs, directions))


def batch_places(operator):
    name = operator.function_class.__name__
    if name.startswith("LLTM"):
        return 0, 3, 4
    return (0, 1) if name in ("MyAddFunction", "ScaleAddFunction") else (0,)


def test_all_operators_in_one_function():
    """One compilation for all: none counts against another's limit of recompilations."""
    images = torch.randn(3, 1, 8, 8, dtype=torch.float64)
    parts = torch.nn.ModuleDict({
        "fused": modules.FusedConvBatchNorm2D(1, 2, 3), "conv": modules.Conv2D(2, 2, 3), "norm": modules.BatchNorm2D(),
        "cube": modules.Cube(), "layer": modules.LLTMLayer(4, 5, batch_first=True), "cell": modules.LLTM(5, 6),
        "linear": modules.Linear(6, 3), "scale": modules.MulConstant(0.5), "add": modules.MyAddModule(),
        "scale_add": modules.ScaleAdd(),
    }).double()  # fmt: skip

    def everything(images):
        rows = parts["scale"](parts["cube"](parts["norm"](parts["conv"](parts["fused"](images))))).mean(1)
        _, (h, _) = parts["layer"](rows)
        zeros = h.new_zeros(len(h), 6)
        h, cell = parts["cell"](h, (zeros, zeros))
        return parts["linear"](parts["scale_add"](parts["add"](h, cell), h))

    def gradients(function):
        parameters = list(parts.parameters())
        return torch.autograd.grad(function(images).square().sum(), parameters)

    compiled = torch.compile(everything, fullgraph=True, backend="aot_eager")
    torch.testing.assert_close(gradients(compiled), gradients(everything))


@every_operator
@pytest.mark.parametrize("strict", [False, True])
def test_export(operator, strict):
    class Module(torch.nn.Module):
        def forward(self, *inputs):
            return operator.call(*inputs)

    inputs = tuple(operator.tensors())
    program = torch.export.export(Module(), inputs, strict=strict)
    torch.testing.assert_close(tuple(program.module()(*inputs)), operator.expect(*inputs))
    if operator.function_class.plain is not None:
        assert nodes(program.graph), program.graph


@every_operator
@pytest.mark.parametrize("mode", ["real", "fake", "symbolic"])
def test_make_fx(operator, mode):
    inputs = operator.tensors()
    graph = make_fx(operator.call, tracing_mode=mode)(*inputs)
    others = operator.tensors()
    torch.testing.assert_close(graph(*others), operator.expect(*others))  # not the values of the traced inputs
    if operator.function_class.plain is not None:
        assert nodes(graph.graph)


@every_operator
def test_fake_tensors(operator):
    inputs = operator.tensors(torch.float32, requires_grad=True)
    with torch._subclasses.FakeTensorMode(allow_non_fake_inputs=False) as mode:
        fakes = [mode.from_tensor(x) for x in inputs]
        results = operator.call(*fakes)
        gradients = torch.autograd.grad(results, fakes, [torch.ones_like(y) for y in results])
    assert [y.shape for y in results] == [y.shape for y in operator.expect(*inputs)]
    assert [g.shape for g in gradients] == [x.shape for x in inputs]


@pytest.mark.parametrize("name", ["add", "scale_add", "lltm"])
def test_one_tensor_as_two_arguments(name):
    operator = OPERATORS[name]

    def twice(function):
        return lambda *inputs: function(*inputs, inputs[-1])

    inputs = operator.tensors(requires_grad=True)[:-1]
    directions = [torch.randn_like(y) for y in twice(operator.expect)(*inputs)]
    compiled = torch.compile(twice(operator.call), fullgraph=True, backend="aot_eager")
    actual = results_and_gradients(compiled, inputs, directions)
    torch.testing.assert_close(actual, results_and_gradients(twice(operator.expect), inputs, directions))
