"""tests/graph/test_in_place.py: operators of functions that change their arrays, and allocate none."""

import pytest
import torch

import torchthaw
from support.graphs import captured
from support.messages import names


@pytest.fixture(scope="module")
def ops():
    torchthaw.load_inline("in_place", c_sources="""
#include <torchthaw/annotate.h>
THAW_STATUS
int fill(double *x THAW_SHAPE(n), int64_t n, double value) {
    for (int64_t i = 0; i < n; i++) x[i] = value;
    return 1;
}
THAW_STATUS
int add_to(double *x THAW_SHAPE(n) THAW_INOUT, double *count THAW_SHAPE() THAW_INOUT THAW_NULLABLE, int64_t n, double y) {
    for (int64_t i = 0; i < n; i++) x[i] += y;
    if (count != NULL) *count += 1;
    return 1;
}
THAW_STATUS
int scale(double *x THAW_SHAPE(n) THAW_INOUT, int64_t n, double by) {
    for (int64_t i = 0; i < n; i++) x[i] *= by;
    return 1;
}
void negate(double *x, int64_t n) {
    for (int64_t i = 0; i < n; i++) x[i] = -x[i];
}
""", functions={"fill": "x = value", "add_to": "x += y", "scale": "x *= by", "negate": "x = -x"})  # fmt: skip
    return torch.ops.in_place


# operator -> (schema, further arguments, what becomes of ones)
IN_PLACE = {
    "fill": ("(Tensor(a!) x, SymInt n, float value) -> ()", (4, 3.0), 3.0),
    "add_to": ("(Tensor(a!) x, Tensor(b!)? count, float y) -> ()", (None, 2.0), 3.0),
    "negate": ("(Tensor(a!) x, SymInt n) -> ()", (4,), -1.0),
}


def ones(*shape):
    return torch.ones(shape, dtype=torch.float64)


@pytest.mark.parametrize("name", IN_PLACE)
def test_the_overload_default_writes_to_its_arguments(ops, name):
    schema, more, value = IN_PLACE[name]
    operator = getattr(ops, name)
    assert str(operator.default._schema) == f"in_place::{name}{schema}"
    for call in operator, operator.default, operator.out:
        x = ones(4)
        assert call(x, *more) is None and torch.equal(x, value * ones(4)) and x._version > 0
    found = torch.library.opcheck(operator.default, (ones(4), *more))
    assert len(found) == 4 and set(found.values()) == {"SUCCESS"}


@pytest.mark.parametrize("name", IN_PLACE)
def test_strides_bits_vmap_and_gradients(ops, name):
    _, more, value = IN_PLACE[name]
    operator = getattr(ops, name).default
    rows = ones(4, 2)
    operator(rows[:, 0], *more)
    assert torch.equal(rows, torch.stack([value * ones(4), ones(4)], 1))
    negative = torch.complex(ones(4), -ones(4)).conj().imag
    assert negative.is_neg() and torch.equal(negative, ones(4))
    operator(negative, *more)
    assert torch.equal(negative, value * ones(4))
    batch = ones(3, 4)
    torch.vmap(lambda x: operator(x, *more) or x)(batch)
    assert torch.equal(batch, value * ones(3, 4))
    with pytest.raises(RuntimeError, match=names(name, "x", "grad", "torch.autograd.Function")):
        operator(ones(4).requires_grad_() * 1, *more)


@pytest.mark.slow
@captured
@pytest.mark.parametrize("name", IN_PLACE)
def test_in_a_graph(ops, name):
    _, more, value = IN_PLACE[name]

    def function(x):
        y = x + 1
        getattr(ops, name).default(y[:4], *more)
        return y, x * y

    x = ones(4)
    expected = function(x)
    for found in (
        torch.compile(function, fullgraph=True, backend="aot_eager")(x),
        torch.export.export(AsModule(function), (x,)).run_decompositions().module()(x),
    ):
        torch.testing.assert_close(tuple(found), expected)
    assert torch.equal(x, ones(4))


class AsModule(torch.nn.Module):
    def __init__(self, function):
        super().__init__()
        self.forward = function


def test_what_is_read_and_written_may_also_be_new(ops):
    """C changes a copy."""
    x = ones(4)
    assert torch.equal(ops.scale(x, 2.0), 2 * ones(4)) and torch.equal(x, ones(4))
    assert ops.scale.out(x, 2.0) is None and torch.equal(x, 2 * ones(4))
