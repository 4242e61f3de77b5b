"""check.py: what each function of annotated.h gave when this was written."""

import json

import torch

import annotated

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
