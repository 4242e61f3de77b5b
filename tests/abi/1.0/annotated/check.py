"""check.py: what each function of annotated.h gave when this was written."""

import json

import annotated
import pytest
import torch

description = json.loads(annotated._extension.description)


def test_shapes_that_parameters_say():
    x, out = torch.arange(6.0).view(2, 3), torch.empty(2, 3)
    assert annotated.scale(x, x.shape, 2, 0.5, out) == 1
    assert torch.equal(out, x / 2)
    assert annotated.scale(input=x, shape=x.shape, ndim=2, factor=3, output=x) == 1
    assert torch.equal(x, 6 * out)
    out = torch.empty(2, dtype=torch.float64)
    assert annotated.scale_f64(torch.ones(2, dtype=torch.float64), (2,), 1, 3, out) == 1 and out.tolist() == [3, 3]
    assert annotated.scale_backward(x, x.shape, 2, 1, None) == 1


def test_workspace_and_what_is_read_too():
    x, sums, largest = torch.tensor([[1.0, 2.0], [3.0, 4.0]]), torch.tensor([10.0, 20.0]), torch.empty(())
    size = annotated.row_sums_workspace_size(2, 2)
    assert size == 8
    assert annotated.row_sums(x, None, 2, 2, sums, largest, torch.empty(size, dtype=torch.uint8), size) is None
    assert (sums.tolist(), largest.item()) == ([13, 27], 27)
    annotated.row_sums(x, torch.tensor([1.0, 0.0]), 2, 2, sums, largest, torch.empty(8, dtype=torch.uint8), 8)
    assert (sums.tolist(), largest.item()) == ([14, 30], 30)


def test_shapes_that_broadcast():
    a, b, out = torch.ones(2, 3), torch.arange(3.0), torch.empty(2, 3)
    annotated.plus(a, a.shape, 2, b, b.shape, 1, out, 6)
    assert torch.equal(out, a + b)


def test_bfloat16():
    out = torch.empty(3, dtype=torch.int32)
    annotated.exponents(torch.tensor([1.0, 2.0, 0.5], dtype=torch.bfloat16), 3, out)
    assert out.tolist() == [0, 1, -1]


def test_the_description():
    assert (description["version"], description["namespace"]) == (1, "annotated")
    found = {function["name"]: function for function in description["functions"]}
    assert found["scale_f64"]["operator"] == "scale" and found["scale_backward"]["backward_of"] == "scale"
    assert found["scale"]["status"] and found["scale"]["forms"] == ["out", "default"]


X, OUT, ROWS = torch.ones(2, 3), torch.empty(2, 3), torch.ones(2, 2)
MEMORY = torch.zeros(7)
WORKSPACE = torch.empty(8, dtype=torch.uint8)
READ_ONLY = annotated._extension.ffi.from_buffer("float[]", bytes(24))
EXPECTED = "expected a contiguous float32 CPU tensor"


def scaled(input=X, shape=(2, 3), ndim=2, factor=1, output=OUT):
    return annotated.scale, input, shape, ndim, factor, output


def summed(input=ROWS, weights=None, sums=None, largest=None, workspace=WORKSPACE, size=8):
    sums, largest = torch.ones(2) if sums is None else sums, torch.empty(()) if largest is None else largest
    return annotated.row_sums, input, weights, 2, 2, sums, largest, workspace, size


@pytest.mark.parametrize("call, error, message", [
    (scaled(output=torch.empty(2, 2)), ValueError, "output: expected shape (2, 3), got (2, 2)"),
    (scaled(shape=(2, 4), output=torch.empty(2, 4)), ValueError, "input: expected shape (2, 4), got (2, 3)"),
    (scaled(shape=[2, -3]), ValueError, "input: expected sizes that give its shape, got shape=(2, -3), ndim=2"),
    (scaled(ndim=3), ValueError, "shape: expected shape (3,), got 2 elements"),
    (summed(weights=torch.ones(3)), ValueError, "weights: expected shape (2,), got (3,)"),
    (summed(largest=torch.empty(1)), ValueError, "largest: expected shape (), got (1,)"),
    ((annotated.plus, X, X.shape, 2, torch.ones(3), (3,), 1, torch.empty(3), 6), ValueError,
     "output: expected shape (2, 3), got (3,)"),
    ((annotated.plus, X, X.shape, 2, torch.ones(2), (2,), 1, OUT, 6), ValueError,
     "output: expected sizes that give its shape, got shape1=(2, 3), ndim1=2, shape2=(2,), ndim2=1, count=6"),
    (scaled(input=None), TypeError, "input: expected shape (2, 3), got None"),
    (scaled(output=None), TypeError, "output: expected shape (2, 3), got None"),
    (summed(workspace=None), ValueError, "workspace: expected at least 8 bytes, got None"),
    (summed(workspace=WORKSPACE[:7], size=7), ValueError, "workspace: expected at least 8 bytes, got 7"),
    (summed(size=7), ValueError, "workspace_size: expected at least 8 bytes, got 7"),
    (scaled(input=X.double()), TypeError, f"input: {EXPECTED}, got torch.float64; pass tensor.to(torch.float32)"),
    (scaled(output=OUT.long()), TypeError,
     f"output: {EXPECTED}, got torch.int64; pass copy = tensor.to(torch.float32), then tensor.copy_(copy)"),
    ((annotated.scale_f64, X, X.shape, 2, 1, OUT), TypeError,
     "input: expected a contiguous float64 CPU tensor, got torch.float32; pass tensor.to(torch.float64)"),
    ((annotated.exponents, X, 3, torch.empty(3, dtype=torch.int32)), TypeError,
     "input: expected a contiguous bfloat16 CPU tensor, got torch.float32; pass tensor.to(torch.bfloat16)"),
    (scaled(input=3), TypeError, f"input: {EXPECTED}, got int"),
    (scaled(output=OUT.t()), ValueError,
     f"output: {EXPECTED}, got one of shape (3, 2) with strides (1, 3); "
     "pass copy = tensor.contiguous(), then tensor.copy_(copy)"),
    (scaled(output=torch.empty(2, 3, device="meta")), TypeError,
     f"output: {EXPECTED}, got a meta tensor, which has no memory"),
    (scaled(input=MEMORY[:6].view(2, 3), output=MEMORY[1:].view(2, 3)), ValueError,
     "output: expected memory of its own or input's, got memory that overlaps a part of input"),
    (summed(sums=ROWS[0]), ValueError, "sums: expected memory of its own, got memory that overlaps input"),
    (scaled(output=READ_ONLY), ValueError, f"output: {EXPECTED}, got a read-only buffer"),
    (scaled(output=[0.0] * 6), ValueError, f"output: {EXPECTED}, got list, which does not change"),
    (scaled(output=torch.empty(2, 3, requires_grad=True)), RuntimeError,
     f"output: {EXPECTED}, got a leaf that requires grad; the call would write to it: use torch.no_grad()"),
    (scaled(factor="1"), TypeError, "factor: expected a number, got str"),
    (scaled(ndim=2**70), OverflowError, "ndim: expected an integer that fits int64_t, got 1180591620717411303424"),
    (scaled()[:-1], TypeError, "scale: expected 5 arguments, got 4; missing: output"),
    (scaled(factor=-1), ValueError, "factor: expected 0 or more"),
    (scaled(factor=99), RuntimeError, "no device"),
])  # fmt: skip
def test_wrong_calls(call, error, message):
    function, *arguments = call
    with pytest.raises(error) as raised:
        function(*arguments)
    assert (type(raised.value), str(raised.value)) == (error, message)
