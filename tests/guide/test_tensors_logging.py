"""tests/guide/test_tensors_logging.py: LoggingTensor is a tensor, and every use of it leaves one line."""

import copy
import logging
import pickle

import pytest
import torch

from tensors import LoggingTensor

X = "LoggingTensor(shape=(2, 3), dtype=torch.float32)"


@pytest.fixture
def lines(caplog):
    caplog.set_level(logging.DEBUG, logger="tensors.logging_tensor")
    return caplog


def make():
    return torch.ones(2, 3).as_subclass(LoggingTensor)


@pytest.mark.parametrize(
    "call, line",
    [
        (lambda x: torch.add(x, 1, alpha=2), f"torch.add({X}, 1, alpha=2)"),
        (lambda x: x.add_(1), f"torch.Tensor.add_({X}, 1)"),
        (lambda x: x + 1, f"torch.Tensor.add({X}, 1)"),
        (lambda x: torch.stack([x, x]), f"torch.stack([{X}, {X}])"),
        (
            lambda x: torch.nn.functional.linear(x, torch.ones(1, 3)),
            f"torch.nn.functional.linear({X}, Tensor(shape=(1, 3), dtype=torch.float32))",
        ),
        (lambda x: torch.empty(2, 3).copy_(x), f"torch.Tensor.copy_(Tensor(shape=(2, 3), dtype=torch.float32), {X})"),
        (lambda x: x.shape, f"torch.Tensor.shape.__get__({X})"),
    ],
)
def test_one_call_one_line(lines, call, line):
    call(make())
    assert lines.messages == [line]


def test_results_are_logging_tensors_and_lists_of_them():
    x = make()
    assert type(x + 1) is LoggingTensor and type(torch.ones(3) + x) is LoggingTensor
    assert [type(part) for part in x.unbind()] == [LoggingTensor] * 2
    assert type(x.max(dim=0).values) is LoggingTensor
    assert x.shape == (2, 3) and type(x.tolist()) is list


def test_attributes_are_debug_and_operations_info(caplog):
    caplog.set_level(logging.DEBUG, logger="tensors.logging_tensor")
    x = make()
    x.dtype
    x.sum()
    assert [record.levelname for record in caplog.records] == ["DEBUG", "INFO"]


def test_nothing_is_described_when_nobody_listens(caplog, monkeypatch):
    caplog.set_level(logging.WARNING, logger="tensors.logging_tensor")
    monkeypatch.setattr("tensors.logging_tensor._describe_call", lambda *call: pytest.fail("described"))
    assert make().sum() == 6


def test_a_declined_call_is_not_logged(lines):
    class Other:
        @classmethod
        def __torch_function__(cls, func, types, args=(), kwargs=None):
            return "other"

    assert torch.add(make(), Other()) == "other"
    assert lines.messages == []


def test_functions_of_other_libraries_are_logged_by_module_and_name(lines):
    def double(x):
        if torch.overrides.has_torch_function((x,)):
            return torch.overrides.handle_torch_function(double, (x,), x)
        return 2 * x

    double(make())
    assert lines.messages[0].startswith(f"{__name__}.") and lines.messages[0].endswith(f"double({X})")


def test_autograd_passes_through():
    weight = torch.ones(3, requires_grad=True)
    (make() * weight).sum().backward()
    assert weight.grad.tolist() == [2, 2, 2]


def test_a_model_takes_it(lines):
    output = torch.nn.Sequential(torch.nn.Linear(3, 4), torch.nn.ReLU())(make())
    assert type(output) is LoggingTensor
    assert [line.partition("(")[0] for line in lines.messages if not line.startswith("torch.Tensor")] == [
        "torch.nn.functional.linear",
        "torch.nn.functional.relu",
    ]


def test_shares_memory_and_keeps_any_dtype():
    tensor = torch.zeros(2, dtype=torch.int64)
    tensor.as_subclass(LoggingTensor).add_(1)
    assert tensor.tolist() == [1, 1]
    assert LoggingTensor(tensor).dtype == torch.int64


def test_copies_and_pickles():
    x = make()
    for other in (copy.copy(x), copy.deepcopy(x), pickle.loads(pickle.dumps(x))):
        assert type(other) is LoggingTensor and torch.equal(other, x)
    assert repr(x).startswith("LoggingTensor(")
