"""tests/operators/test_compiled.py: every operator in graphs, by each way to one: one graph, right numbers.

torch.compile, torch.export, make_fx, AOTInductor and torch.jit.trace. Compiled transforms: test_compiled_transforms.py.
"""

import io
import subprocess
import sys

import pytest
import torch
from torch.fx.experimental import _config as shapes_config
from torch.fx.experimental.proxy_tensor import make_fx
from torch.utils._python_dispatch import TorchDispatchMode

import modules
from _ext import my_lib
from support import ROOT
from support.graphs import captured, full
from support.messages import names
from support.operator_table import OPERATORS, every_operator

every_backend = pytest.mark.parametrize("backend", ["aot_eager", pytest.param("inductor", marks=full)])


@pytest.fixture(autouse=True)
def fresh():
    torch.compiler.reset()


def results_and_gradients(function, inputs, directions):
    results = function(*inputs)
    return results, torch.autograd.grad(results, [x for x in inputs if x.requires_grad], directions)


def nodes(graph):
    """The names of the operators of my_lib in a graph."""
    return {str(node.target) for node in graph.nodes if str(node.target).startswith("my_lib.")}


@captured
@every_operator
@every_backend
def test_forward_and_backward_in_one_graph(operator, backend):
    inputs = operator.tensors(requires_grad=True)
    directions = [torch.randn_like(y) for y in operator.expect(*inputs)]
    compiled = torch.compile(operator.call, fullgraph=True, backend=backend)
    expected = results_and_gradients(operator.expect, inputs, directions)
    torch.testing.assert_close(results_and_gradients(compiled, inputs, directions), expected)
    with torch.no_grad():
        torch.testing.assert_close(compiled(*inputs), expected[0])


@captured
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


@captured
@every_operator
@every_backend
def test_dynamic_shapes(operator, backend):
    """Other sizes of the batch take the same graph."""
    compiled = torch.compile(operator.call, fullgraph=True, backend=backend, dynamic=True)
    for factor in (1, 2, 3):
        inputs = [x.requires_grad_() for x in batches(operator, factor)]
        # Without duck shapes: that two sizes are equal by chance is no reason to compile once more.
        with torch._dynamo.config.patch(error_on_recompile=factor > 1), shapes_config.patch(use_duck_shape=False):
            directions = [torch.ones_like(y) for y in operator.expect(*inputs)]
            actual = results_and_gradients(compiled, inputs, directions)
        torch.testing.assert_close(actual, results_and_gradients(operator.expect, inputs, directions))


def batches(operator, factor, dtype=torch.float64):
    """Arguments with ``factor`` times the usual batch."""
    inputs = operator.tensors(dtype)
    for place, dim in batch_dims(operator).items():
        inputs[place] = torch.cat([inputs[place]] * factor, dim)
    return inputs


def batch_dims(operator):
    """{place of an argument: its dimension that is the batch}."""
    if operator is OPERATORS["lltm_sequence"]:
        return {0: 1, 3: 0, 4: 0}
    if operator is OPERATORS["lltm"]:
        return {0: 0, 3: 0, 4: 0}
    return {0: 0, 1: 0} if operator in (OPERATORS["add"], OPERATORS["scale_add"]) else {0: 0}


@pytest.mark.slow
@captured
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


def as_module(operator):
    """Its call as torch.export takes it."""

    class Module(torch.nn.Module):
        def forward(self, *inputs):
            return operator.call(*inputs)

    return Module()


@every_operator
@pytest.mark.parametrize("strict", [False, pytest.param(True, marks=captured)])
def test_export(operator, strict):
    inputs, batch = tuple(operator.tensors()), torch.export.Dim("batch")
    shapes = [{dim: batch} for dim in [batch_dims(operator).get(place) for place, _ in enumerate(inputs)]]
    shapes = [{} if None in shape else shape for shape in shapes]
    program = torch.export.export(as_module(operator), inputs, dynamic_shapes=(tuple(shapes),), strict=strict)
    for factor in (1, 2):
        inputs = batches(operator, factor)
        torch.testing.assert_close(tuple(program.module()(*inputs)), operator.expect(*inputs))
    if operator.in_c:
        assert nodes(program.graph), program.graph


@every_operator
@pytest.mark.parametrize("mode", ["real", "fake", "symbolic"])
def test_make_fx(operator, mode):
    inputs = operator.tensors()
    graph = make_fx(operator.call, tracing_mode=mode)(*inputs)
    others = operator.tensors()
    torch.testing.assert_close(graph(*others), operator.expect(*others))  # not the values of the traced inputs
    if operator.in_c:
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


@captured
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


GRAPH_IN_NEW_PROCESS = """
import {first}
import {second}
import torch
x = torch.ones(3, requires_grad=True)
y = torch.compile(functions.scale_add.scale_add, fullgraph=True, backend="aot_eager")(x, x)
y.sum().backward()
assert y.tolist() == x.grad.tolist() == [3, 3, 3]
"""


@pytest.mark.slow
@captured
@pytest.mark.parametrize("order", [("functions", "torch._dynamo"), ("torch._dynamo", "functions")])
def test_dynamo_imported_before_or_after(order):
    code = GRAPH_IN_NEW_PROCESS.format(first=order[0], second=order[1])
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


# -- AOTInductor: one package of all operators, because each takes the C++ compiler half a minute

RUN_PACKAGE = """
import sys
import torch
import functions  # with the operators of my_lib, and the fused one, which is Python
package, inputs, results = sys.argv[1:]
torch.save(torch._inductor.aoti_load_package(package)(torch.load(inputs)), results)
"""


class Everything(torch.nn.Module):
    def forward(self, inputs):
        return {name: operator.call(*inputs[name]) for name, operator in OPERATORS.items()}


@pytest.fixture(scope="module")
def from_package(tmp_path_factory):
    """(arguments, results) of each operator, from a process that imported the extension and the package only."""
    folder = tmp_path_factory.mktemp("aotinductor")
    package, given, made = (str(folder / name) for name in ("all.pt2", "given.pt", "made.pt"))
    inputs = {name: operator.tensors(torch.float32) for name, operator in OPERATORS.items()}
    program = torch.export.export(Everything(), (inputs,))
    torch._inductor.aoti_compile_and_package(program, package_path=package)
    inputs = {name: operator.tensors(torch.float32) for name, operator in OPERATORS.items()}
    torch.save(inputs, given)
    subprocess.run([sys.executable, "-c", RUN_PACKAGE, package, given, made], cwd=ROOT, check=True)
    return inputs, torch.load(made)


@full
@pytest.mark.parametrize("name", OPERATORS)
def test_aotinductor(name, from_package):
    inputs, results = from_package
    torch.testing.assert_close(tuple(results[name]), OPERATORS[name].expect(*inputs[name]))


# -- opcheck takes operators of torch.ops, and a function is none: those are checked that it calls, as it calls them


class Calls(TorchDispatchMode):
    """Collects the calls of my_lib's operators."""

    def __init__(self):
        super().__init__()
        self.found = {}

    def __torch_dispatch__(self, function, types, arguments=(), keywords=None):
        if function.namespace == "my_lib":
            self.found.setdefault(function, tuple(x.detach() if torch.is_tensor(x) else x for x in arguments))
        return function(*arguments, **(keywords or {}))


@every_operator
def test_opcheck_of_what_a_function_calls(operator):
    inputs = operator.tensors(torch.float32, requires_grad=True)
    with Calls() as calls:
        loss = sum(y.square().sum() for y in operator.call(*inputs))
        torch.autograd.grad(loss, inputs, retain_graph=True)
        torch.autograd.grad(loss, inputs[:1])
    if operator.in_c:
        assert calls.found
    for function, arguments in calls.found.items():
        found = torch.library.opcheck(function, arguments)
        assert len(found) == 4 and set(found.values()) == {"SUCCESS"}


# -- torch.jit.trace


@every_operator
@pytest.mark.parametrize("requires_grad", [False, True])
@pytest.mark.filterwarnings("ignore:.*torch.jit.*is deprecated", "ignore::torch.jit.TracerWarning")
def test_jit_trace(operator, requires_grad):
    """C is an operator of the trace, also where the arguments are a module's weights; its gradients are there, too."""
    traced = torch.jit.trace(operator.call, tuple(operator.tensors(requires_grad=requires_grad)))
    kinds = {node.kind() for node in traced.graph.nodes()}
    if operator.in_c:
        assert any(kind.startswith("my_lib::") for kind in kinds)
    file = io.BytesIO()
    torch.jit.save(traced, file)
    file.seek(0)
    loaded = torch.jit.load(file)
    for factor in (1, 2):
        inputs = batches(operator, factor)
        results = loaded(*inputs)
        torch.testing.assert_close(results if isinstance(results, tuple) else (results,), operator.expect(*inputs))
    inputs = operator.tensors(requires_grad=True)
    results, expected = loaded(*inputs), operator.expect(*inputs)
    directions = [torch.randn_like(y) for y in expected]
    torch.testing.assert_close(
        torch.autograd.grad(results, inputs, directions), torch.autograd.grad(expected, inputs, directions)
    )


@pytest.mark.filterwarnings("ignore:.*torch.jit.*is deprecated", "ignore::torch.jit.TracerWarning")
def test_jit_trace_of_a_c_function():
    """It records no call of C; sizes are tensors there, and the error says what to call."""

    def add(a, b):
        output = torch.empty_like(a)
        my_lib.my_lib_add_forward(a, a.shape, a.dim(), b, b.shape, b.dim(), output)
        return output

    words = names("shape1", "integers", "Tensor", "torch.jit.trace", "torch.ops")
    with pytest.raises(TypeError, match=words):
        torch.jit.trace(add, (torch.ones(2, 3), torch.ones(2, 3)))
    with pytest.raises(TypeError, match=names("shape1", "integers", "Tensor") + "(?!.*torch.jit)"):
        my_lib.my_lib_add_forward(torch.ones(1), (torch.tensor(1),), 1, torch.ones(1), (1,), 1, torch.ones(1))
