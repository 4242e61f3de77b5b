"""tests/graph/test_results.py: what a C function returns, writes and takes is the same in graphs and outside, or an error."""

import pytest
import torch
from torch.fx.experimental.proxy_tensor import make_fx

import torchthaw
from support.graphs import captured
from support.messages import names

FUNCTIONS = "count", "note", "noted", "filled", "status", "addto", "flagged"


@pytest.fixture(scope="module")
def c():
    return torchthaw.load_inline("results", c_sources="""
#include <stdint.h>
#include <torchthaw/annotate.h>
static int sum;
int count(const float *x, long n) { int found = 0; for (long i = 0; i < n; ++i) found += x[i] > 0; return found; }
void note(const float *x, long n) { for (long i = 0; i < n; ++i) sum += (int)x[i]; }
int noted(void) { return sum; }
static int copy(const float *x, int64_t n, float *y, int result) {
    for (int64_t i = 0; i < n; ++i) y[i] = x[i];
    return result;
}
int filled(const float *x THAW_SHAPE(n), int64_t n, int result, float *y THAW_SHAPE(n)) { return copy(x, n, y, result); }
THAW_STATUS
int status(const float *x THAW_SHAPE(n), int64_t n, int result, float *y THAW_SHAPE(n)) { return copy(x, n, y, result); }
void addto(float *w THAW_SHAPE(n) THAW_INOUT, const float *x THAW_SHAPE(n), int64_t n) {
    for (int64_t i = 0; i < n; ++i) w[i] += x[i];
}
void flagged(const float *x THAW_SHAPE(n), int64_t n, _Bool flag, float *y THAW_SHAPE(n)) { copy(x, flag ? n : 0, y, 1); }
""", functions=FUNCTIONS)  # fmt: skip


def compiled(backend):
    return lambda function, *arguments: torch.compile(function, backend=backend)(*arguments)


def exported(function, *arguments):
    class Module(torch.nn.Module):
        forward = staticmethod(function)

    return torch.export.export(Module(), arguments).module()(*arguments)


def recorded(mode):
    return lambda function, *arguments: make_fx(function, tracing_mode=mode)(*arguments)(*arguments)


WAYS = {
    "eager": lambda function, *arguments: function(*arguments), "compiled": compiled("eager"),
    "aot": compiled("aot_eager"), "make_fx": recorded("real"), "make_fx fake": recorded("fake"), "export": exported,
}  # fmt: skip
GRAPHS = {name: way for name, way in WAYS.items() if name != "eager"}
# Where the function that Dynamo leaves out of a graph is called as outside of graphs.
BREAKING = {"eager", "compiled", "aot"}


def everywhere(ways):
    return pytest.mark.parametrize("way", [pytest.param(way, id=name) for name, way in ways.items()])


X = torch.ones(3)


@pytest.mark.parametrize("name", WAYS)
def test_a_function_that_writes_nothing(c, name):
    """PyTorch removes from a graph what nothing depends on."""
    if name in BREAKING:
        assert WAYS[name](lambda x: x * c.count(x, 3), X).tolist() == [3] * 3
        before = c.noted()
        assert WAYS[name](lambda x: (c.note(x, 3), 2 * x)[1], X).tolist() == [2] * 3
        assert c.noted() == before + 3
    else:
        for function in c.count, c.note:
            with pytest.raises(TypeError, match=names(function.__name__, "writes no array")):
                WAYS[name](lambda x: (function(x, 3), x)[1], X)
    assert not hasattr(torch.ops.results, "count") and not hasattr(torch.ops.results, "note")


@everywhere(GRAPHS)
@pytest.mark.parametrize("result", [3, 0, -1])
def test_an_int_that_is_not_1(c, way, result):
    def function(x):
        y = torch.empty(3)
        return y * c.filled(x, 3, result, y)

    assert function(X).tolist() == [result] * 3
    with pytest.raises(RuntimeError, match=names("filled", "1", str(result))):
        way(function, X)


def test_an_operator_checks_an_int(c):
    assert torch.ops.results.filled(X, 1).tolist() == [1] * 3
    for call in torch.ops.results.filled, lambda x, result: torch.ops.results.filled.out(x, result, torch.empty(3)):
        with pytest.raises(RuntimeError, match=names("filled", "1", "2")):
            call(X, 2)


@everywhere(WAYS)
def test_a_status_is_1_or_an_error(c, way):
    def function(x, result):
        y = torch.empty(3)
        return y * c.status(x, 3, result, y)

    for result in 1, 7, -1:
        assert way(lambda x: function(x, result), X).tolist() == [1] * 3
    with pytest.raises(RuntimeError, match=names("status", "0")):
        way(lambda x: function(x, 0), X)


@everywhere(WAYS)
def test_a_leaf_that_requires_grad_is_not_written(c, way):
    leaf = torch.zeros(3, requires_grad=True)
    view = leaf[:2]

    def function(x):
        c.addto(leaf, x, 3)
        return leaf * 1

    with pytest.raises(RuntimeError, match=names("w", "leaf", "requires grad", "torch.no_grad")):
        way(function, X)
    with pytest.raises(RuntimeError, match=names("w", "view of a leaf", "requires grad")):
        way(lambda x: c.addto(view, x[:2], 2), X)
    assert leaf.tolist() == [0] * 3


@captured
@pytest.mark.parametrize("backend", ["eager", "aot_eager"])
def test_a_leaf_is_written_without_grad_mode(c, backend):
    leaf = torch.zeros(3, requires_grad=True)

    def function(leaf, x):
        c.addto(leaf, x, 3)
        return leaf * 1

    with torch.no_grad():
        assert torch.compile(function, backend=backend, fullgraph=True)(leaf, X).tolist() == [1] * 3
    assert leaf.tolist() == [1] * 3


@everywhere(WAYS)
def test_what_is_no_leaf_is_written(c, way):
    if way is GRAPHS.get("export"):
        pytest.skip("torch.export takes no closure over a tensor of autograd's")
    leaf = torch.zeros(3, requires_grad=True)

    def function(leaf, x):
        w = 2 * leaf
        c.addto(w, x, 3)
        return 1 * w

    if way in (GRAPHS.get("make_fx"), GRAPHS.get("make_fx fake")) and keeps_gradients():
        with pytest.raises(RuntimeError, match=names("w", "grad", "derivative")):
            way(function, leaf, X)
    else:
        assert way(function, leaf, X).tolist() == [1] * 3


def keeps_gradients():
    """Whether make_fx writes alias for detach, as from PyTorch 2.15 on: then its graph is not for tensors with gradients."""
    return "alias" in make_fx(lambda x: x.detach())(X).code


@everywhere(WAYS)
@pytest.mark.parametrize("flag", [2, 5, -1, 1.0, None])
def test_a_bool_is_0_or_1(c, way, flag):
    def function(x, flag):
        y = torch.zeros(3)
        c.flagged(x, 3, flag, y)
        return y

    for right, value in ((True, 1), (False, 0), (1, 1), (0, 0)):
        assert way(lambda x: function(x, right), X).tolist() == [value] * 3
    with pytest.raises((TypeError, OverflowError), match=names("flag", "bool")):
        way(lambda x: function(x, flag), X)
