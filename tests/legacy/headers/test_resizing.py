# tests/legacy/headers/test_resizing.py: a resize in C as Python sees it.
import numpy as np
import pytest
import torch


def test_resized_in_c_is_seen_in_python(calls):
    """The tensor has its new shape when the call returns."""
    tensor = torch.arange(6.0)
    view, first = tensor.view(2, 3), tensor[:2]
    calls.resize1d(first, 4)
    assert first.tolist() == [0, 1, 2, 3], "what lay behind it in the storage"
    calls.resize2d(tensor, 50, 40)
    assert tensor.shape == (50, 40) and tensor.view(-1)[:7].tolist() == [0, 1, 2, 3, 4, 5, 0]
    tensor.fill_(3)
    assert view.tolist() == [[3, 3, 3]] * 2


@pytest.mark.parametrize("make", [
    pytest.param(lambda: torch.from_numpy(np.ones(2, dtype=np.float32)), id="numpy"),
    pytest.param(lambda: torch.ones(2).share_memory_(), id="shared-memory"),
    pytest.param(lambda: torch.ones(2).requires_grad_(), id="requires-grad"),
])  # fmt: skip
def test_growth_refused(make, calls):
    """Of memory that is not the tensor's own to resize."""
    tensor = make()
    with pytest.raises(RuntimeError, match="[rR]esize"):
        calls.resize1d(tensor, 1000)
    assert tensor.tolist() == [1, 1] and calls.dimensions(tensor) == 1
