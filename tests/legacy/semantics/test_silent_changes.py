# tests/legacy/semantics/test_silent_changes.py: what PyTorch changed without a word, as C and scripts of those days
# meet it.
import warnings

import pytest
import torch
from torch.autograd import Function

import torchthaw.legacy
from support.legacy_project import output, python
from torchthaw.legacy.ffi import debug
from torchthaw.legacy.run import patches


@pytest.fixture
def items():
    """torchthaw.legacy.enable, undone afterwards."""
    yield torchthaw.legacy.enable
    torchthaw.legacy.disable()


def doubled(calls, tensor):
    """By C that reads memory as an array."""
    output = torch.FloatTensor()
    calls.double_raw(tensor, output)
    return output


@pytest.mark.parametrize("make", [
    pytest.param(lambda x: x.t().clone(), id="clone"),
    pytest.param(lambda x: x.t() + 1, id="add"),
    pytest.param(lambda x: x.t().sort(0)[0], id="sort"),
    pytest.param(lambda x: x.t().double().float(), id="cast"),
    pytest.param(lambda x: torch.relu(x.t()), id="relu"),
    pytest.param(lambda x: (x.view(2, 3) > 2).nonzero().float(), id="nonzero"),
    pytest.param(lambda x: torch.inverse(x[:, 1:] + x.new([[0, 1], [2, 0]])), id="inverse"),
])  # fmt: skip
def test_memory_format(make, calls, items):
    """The item "contiguous" makes results contiguous, where C would compute garbage."""
    x = torch.arange(6.0).view(2, 3)
    today = make(x)
    assert not today.is_contiguous() and not torch.allclose(doubled(calls, today), 2 * today)
    items("contiguous")
    then = make(x)
    assert torch.allclose(doubled(calls, then), 2 * then)


def test_debug_mode_names_arguments(calls, monkeypatch):
    """It names each argument that is not contiguous, once for each call site."""
    from legacy_calls.calls._calls import ffi, lib

    from torchthaw.legacy.ffi.import_old_extension import wrap_function

    monkeypatch.setenv("TORCHTHAW_DEBUG", "1")
    monkeypatch.setattr(debug, "_warned", set())
    add, keyword = wrap_function(lib.add_forward, ffi), wrap_function(lib.keyword_names, ffi)
    a, t, out = torch.ones(2, 2), torch.ones(2, 2).t(), torch.FloatTensor()
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        for _ in range(3):
            assert add(a, t, out) == 1
        keyword(t, t)
    texts = [str(warning.message).partition(" is not contiguous")[0] for warning in caught]
    assert texts == ["add_forward: input2", "keyword_names: lambda_", "keyword_names: argument2"]


def test_zero_size_dimensions(calls):
    """C sees the empty tensor."""
    x = torch.empty(0, 4)
    assert calls.dimensions(x) == 0 and x.shape == (0, 4)
    calls.resize2d(x, 0, 4)
    assert x.shape == (0, 4)
    assert doubled(calls, x).shape == (0,)


TRAINING = """
from torch._six import inf, string_classes
import torch
import torch.nn.functional as F
from torch.autograd import Variable
from torch.utils.ffi import _wrap_function

loss = Variable(torch.ones(3)).sum()
print(loss.data[0], inf, isinstance("text", string_classes))
x = torch.ones(2)
x.mul(3, out=x)
print(x.tolist(), torch.arange(3).type(), torch.testing.get_all_dtypes()[0])
print(torch.nn.Parameter(torch.LongTensor([1])).requires_grad, x.index((torch.LongTensor([0]),)).tolist())
grid = torch.ones(1, 1, 1, 2)
print(F.grid_sample(torch.arange(4).view(1, 1, 2, 2), grid).tolist())
"""
PRINTED = "3.0 inf True\n[3.0, 3.0] torch.FloatTensor torch.uint8\nFalse [3.0]\n[[[[3.0]]]]\n"


@pytest.mark.slow
def test_script_that_uses_removed_and_renamed_names(tmp_path):
    """x.data[0], torch._six, mul(out=) and more: the items restore them."""
    assert output(tmp_path, TRAINING, TORCHTHAW_LEGACY_SEMANTICS="1") == PRINTED
    result = python(tmp_path, "script.py", TORCHTHAW_LEGACY_SEMANTICS="0")
    assert result.returncode == 1 and "No module named 'torch._six'" in result.stderr


def test_integer_division(items):
    """The item "integer_division" restores it, also in place."""
    x = torch.LongTensor([7, -7])
    assert (x / 2).tolist() == [3.5, -3.5]
    items("integer_division")
    assert (x / 2).tolist() == [3, -3] and x.div(2).tolist() == [3, -3] and x.div_(2).tolist() == [3, -3]
    x /= 2
    assert x.tolist() == [1, -1] and x.dtype is torch.int64


def test_instance_kept_by_a_module(calls):
    """Called for each batch, forward then backward, on batches of other sizes."""

    class Add(Function):
        def forward(self, a, b):
            self.size = a.size()
            out = a.new()
            calls.add_forward(a, b, out)
            return out

        def backward(self, grad_output):
            return grad_output.clone().view(self.size), grad_output

    patches.install()
    try:
        add = Add()
        for count in (2, 5, 3):
            a, b = torch.ones(count, requires_grad=True), torch.ones(count)
            add(a, b).sum().backward()
            assert a.grad.tolist() == [1] * count
    finally:
        patches.uninstall()
