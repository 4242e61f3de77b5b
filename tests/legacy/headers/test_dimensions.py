# tests/legacy/headers/test_dimensions.py: what C sees as the dimensions of a tensor from Python.
import torch


def test_dimensions_of_a_tensor_from_python(calls):
    """An empty one has no dimension in C, a number has one of size 1."""
    assert calls.dimensions(torch.tensor(5.0)) == 1
    assert calls.dimensions(torch.empty(0, 4)) == 0
    assert calls.dimensions(torch.empty(2, 3, 4)) == 3
    transposed = torch.ones(2, 3).t()
    assert [calls.stride(transposed, 0), calls.stride(transposed, 1)] == [1, 3]
    tensor = torch.ones(2, 2)
    calls.resize1d(tensor, 0)
    assert tensor.shape == (0,)
