"""tests/guide/test_torch_function_subclass.py: lessons on subclasses of torch.Tensor."""

import logging

import pytest
import torch

from tensors import LoggingTensor


class Base(torch.Tensor):
    pass


class Left(Base):
    pass


class Right(Base):
    pass


class Deepest(Left):
    pass


def ones(type_):
    return torch.ones(2).as_subclass(type_)


def test_results_have_the_type_of_the_subclass():
    x = ones(Base)
    for result in (x + 1, 1 + x, torch.ones(2) + x, x.sum(), x[0], torch.cat([x, torch.ones(2)]), x.max(dim=0).values):
        assert type(result) is Base


def test_results_that_are_no_tensors_stay_what_they_are():
    assert type(ones(Base).shape) is torch.Size and ones(Base).tolist() == [1, 1]


@pytest.mark.parametrize("types", [(Base, Deepest), (Deepest, Base), (Left, Deepest), (torch.Tensor, Deepest)])
def test_the_deepest_subclass_wins_in_any_order(types):
    left, right = map(ones, types)
    assert type(left + right) is type(right + left) is Deepest


@pytest.mark.parametrize("call", [torch.add, torch.Tensor.add, lambda x, y: x + y, lambda x, y: torch.stack([x, y])])
def test_siblings_raise_type_error(call):
    # Neither is the other's subclass: both return NotImplemented.
    with pytest.raises(TypeError, match="(?s)(NotImplemented|unsupported operand).*Left.*Right"):
        call(ones(Left), ones(Right))


def test_an_attribute_reaches_results_only_where_torch_function_hands_it_on():
    class Tagged(torch.Tensor):
        tag = "none"

        @classmethod
        def __torch_function__(cls, func, types, args=(), kwargs=None):
            result = super().__torch_function__(func, types, args, kwargs or {})
            if isinstance(result, cls):
                result.tag = next(arg.tag for arg in args if isinstance(arg, cls))
            return result

    tagged, lost = ones(Tagged), ones(Base)
    tagged.tag = lost.tag = "kept"
    assert (tagged + 1).tag == "kept"
    assert not hasattr(lost + 1, "tag")


def test_super_inside_torch_function_does_not_come_back():
    calls = []

    class Counting(torch.Tensor):
        @classmethod
        def __torch_function__(cls, func, types, args=(), kwargs=None):
            calls.append(func.__name__)
            return super().__torch_function__(func, types, args, kwargs or {})

    # einsum is made of other functions; those inside are not reported again.
    torch.einsum("i,i", ones(Counting), ones(Counting))
    assert calls == ["einsum"]


def test_logging_tensor_logs_each_call_and_computes_what_a_tensor_does(caplog):
    caplog.set_level(logging.INFO, logger="tensors.logging_tensor")
    x = torch.tensor([-1.0, 2.0]).as_subclass(LoggingTensor)
    result = torch.relu(x) * 2
    assert type(result) is LoggingTensor and result.tolist() == [0, 4]
    assert [message.partition("(")[0] for message in caplog.messages] == [
        "torch.relu",
        "torch.Tensor.mul",
        "torch.Tensor.tolist",
    ]


def test_disable_torch_function_gives_plain_tensors():
    with torch._C.DisableTorchFunctionSubclass():
        assert type(ones(Base) + 1) is torch.Tensor
