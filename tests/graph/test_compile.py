# tests/graph/test_compile.py: torch.compile of code that calls C: the trampolines become operators by themselves.
import pytest
import torch
from torch._dynamo.exc import TorchRuntimeError, Unsupported
from torch._dynamo.utils import counters

import functions
from _ext import my_lib
from support.graphs import ARGUMENTS, add, captured, full, lltm, lltm_arguments
from support.messages import names

ops = torch.ops.my_lib
KNOWS_SYMBOLS = hasattr(torch.fx.experimental.symbolic_shapes, "has_static_value")
BACKENDS = ["aot_eager", pytest.param("inductor", marks=full)]


def compiled(function, backend="aot_eager", **options):
    counters.clear()
    return torch.compile(function, backend=backend, fullgraph=True, **options)


@pytest.mark.slow
@captured
@pytest.mark.parametrize("backend", ["aot_eager", "inductor"])
def test_add(backend):
    function = compiled(add, backend, dynamic=True)
    for rows in 3, 5:
        a, b = torch.randn(rows, 4), torch.randn(rows, 4)
        torch.testing.assert_close(function(a, b), 2 * (a + b))
    assert counters["stats"]["unique_graphs"] == 1


@pytest.mark.slow
@captured
@pytest.mark.parametrize("backend", ["aot_eager", "inductor"])
def test_lltm(backend):
    function = compiled(lltm, backend)
    arguments = lltm_arguments()
    for got, want in zip(function(*arguments), lltm(*arguments)):
        torch.testing.assert_close(got, want)
    assert counters["stats"]["unique_graphs"] == 1


@pytest.mark.slow
@captured
@pytest.mark.parametrize("backend", BACKENDS)
def test_workspace_size_of_sizes_that_change(backend):
    """It is a symbol of one graph for any batch size."""
    function = compiled(lltm, backend, dynamic=True)
    for batch in 2, 5, 3:
        arguments = lltm_arguments(batch)
        with torch._dynamo.config.patch(error_on_recompile=batch != 2 and KNOWS_SYMBOLS):
            results = function(*arguments)
        for got, want in zip(results, lltm(*arguments)):
            torch.testing.assert_close(got, want)


def size(x):
    """A workspace's size as a result, by which code branches where it is known."""
    nbytes = my_lib.lltm_forward_workspace_size(len(x), 3, 4)
    return x.new_empty(nbytes)


@pytest.mark.slow
@captured
def test_workspace_size_is_what_c_says():
    x, y = torch.randn(2), torch.randn(500)
    assert len(ops.lltm_forward_workspace_size(500, 3, 4)) == my_lib.lltm_forward_workspace_size(500, 3, 4) > 0
    for dynamic in False, True:
        function = compiled(size, dynamic=dynamic)
        assert function(x).shape == size(x).shape and function(y).shape == size(y).shape
    branching = compiled(lambda x: x + 1 if my_lib.lltm_forward_workspace_size(len(x), 3, 4) else x, dynamic=False)
    assert torch.equal(branching(x), x + 1)
    with pytest.raises(ValueError, match=names("arrays", "(1, 4, 4611686018427387904)")):
        ops.lltm_forward_workspace_size(1, 4, 2**62)


@pytest.mark.parametrize("dynamic", [False, pytest.param(True, marks=full)])
@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("name", ARGUMENTS)
def test_functional_operators(name, backend, dynamic):
    operator, arguments = getattr(ops, name), ARGUMENTS[name]()
    got = compiled(lambda *given: operator(*given), backend, dynamic=dynamic)(*arguments)
    torch.testing.assert_close(got, operator(*arguments))


@captured
def test_raw_calls_take_what_requires_grad_and_give_no_gradient():
    """As outside of a graph."""
    a, b = torch.randn(3, requires_grad=True), torch.randn(3)
    result = compiled(lambda a, b: add(a, b) + 0 * a)(a, b)
    torch.testing.assert_close(result.detach(), 2 * (a + b).detach())
    result.sum().backward()
    assert torch.equal(a.grad, torch.zeros(3))
    with pytest.raises(TorchRuntimeError, match=names("input1", "grad", "operator", "derivative")):
        compiled(lambda a, b: ops.my_lib_add_forward(a, b))(a, b)


@captured
def test_by_keyword_without_what_is_determined():
    def function(a, b):
        output = torch.empty_like(a)
        assert my_lib.my_lib_add_forward(input1=a, input2=b, output=output) == 1
        return output

    a, b = torch.randn(3), torch.randn(3)
    assert torch.equal(compiled(function)(a, b), a + b)


@pytest.mark.slow
@captured
def test_wrong_shapes_are_errors():
    a = torch.randn(3, 4)
    with pytest.raises(TorchRuntimeError, match=names("input2", "(3, 4)", "(2, 4)")):
        torch.compile(add, backend="aot_eager")(a, a[:2])

    for call in functions.add.add, ops.my_lib_add_forward, ops.add:
        for dynamic in False, True:  # numbers also where sizes are symbols
            torch.compiler.reset()
            with pytest.raises((TorchRuntimeError, Unsupported), match=names("input2", "(3, 4)", "(2, 5)")):
                compiled(lambda a, b: call(a, b), dynamic=dynamic)(a, torch.ones(2, 5))

    def contradiction(a):
        output = torch.empty_like(a)
        my_lib.my_lib_add_forward(a, (4, 3), 2, a, a.shape, a.dim(), output)
        return output

    with pytest.raises(Unsupported, match=names("sizes", "header", "derives") if REASONS else None):
        compiled(contradiction)(a)
    with pytest.raises(ValueError, match=r"shape"):
        torch.compile(contradiction, backend="aot_eager")(a)


def test_what_is_no_tensor_breaks_the_graph():
    def function(a):
        output = torch.empty_like(a)
        my_lib.my_lib_add_forward([1.0, 2.0], (2,), 1, a, a.shape, a.dim(), output)
        return output

    a = torch.randn(2)
    with pytest.raises(Unsupported, match="my_lib_add_forward: its arguments must be tensors" if REASONS else None):
        compiled(function)(a)
    assert torch.equal(torch.compile(function, backend="aot_eager")(a), a + torch.tensor([1.0, 2.0]))


@pytest.mark.slow
def test_state_is_no_constant():
    """A header cannot say that a function's result stays, so a version breaks the graph as an error's code does."""
    for name in "my_lib_last_error_code", "my_lib_version", "my_lib_build_info", "my_lib_get_num_threads":
        function = getattr(my_lib, name)
        reason = REASON.format(name) if REASONS else ""
        with pytest.raises(Unsupported, match=reason or None):
            compiled(lambda: function())()
        x = torch.ones(2)
        result = torch.compile(lambda x: (2 * x, function(), x + 1), backend="aot_eager")(x)
        assert torch.equal(result[0], 2 * x) and result[1] == function() and len(counters["graph_break"]) == 1
        assert reason in str(counters["graph_break"])


REASON = "{}: it has no array, and may give another result at each call"
REASONS = tuple(map(int, torch.__version__.split(".")[:2])) >= (2, 8)  # PyTorch before gives none
