# tests/legacy/functions/test_choice_of_c_functions.py: how old projects choose among their C functions, and what they
# do with results.
import pytest
import torch


def scale(calls, tensor):
    """As a module of a project that was written for several types."""
    prefix = "THCuda" if tensor.is_cuda else "TH" + torch.typename(tensor).split(".")[-1].replace("Tensor", "")
    return getattr(calls, prefix + "_double_it")(tensor)


def test_is_cuda_chooses_the_function(calls):
    x, y, out = torch.ones(3), torch.ones(3), torch.FloatTensor()
    if x.is_cuda:
        calls.add_forward_cuda(x, y, out)
    else:
        calls.add_forward(x, y, out)
    assert out.tolist() == [2, 2, 2]


@pytest.mark.parametrize("kind", [torch.FloatTensor, torch.DoubleTensor])
def test_typename_builds_the_name_of_the_function(kind, calls):
    x = kind([1, 2])
    assert x.type() == torch.typename(x) == f"torch.{kind.__name__}"
    scale(calls, x)
    assert x.tolist() == [2, 4]


def test_status_codes_are_returned(calls):
    """They are not raised."""
    a, out = torch.ones(2), torch.FloatTensor()
    assert calls.add_forward(a, a, out) == 1
    assert calls.add_forward(a, torch.ones(3), out) == 0
