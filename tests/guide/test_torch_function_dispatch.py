"""tests/guide/test_torch_function_dispatch.py: lessons on who is asked, in which order, and about which function."""

import operator

import pytest
import torch

from tensors import MetadataTensor, ScalarTensor


def asked(record, name, bases=(), answer=NotImplemented):
    """A new class that notes each call in ``record`` and gives ``answer``."""

    def __torch_function__(cls, func, types, args=(), kwargs=None):
        record.append(cls.__name__)
        return answer

    return type(name, bases, {"__torch_function__": classmethod(__torch_function__)})


def test_left_to_right_among_unrelated_types():
    record = []
    A, B = asked(record, "A"), asked(record, "B")
    for call, order in ((lambda: torch.add(A(), B()), "AB"), (lambda: torch.add(B(), A()), "BA")):
        record.clear()
        with pytest.raises(TypeError):
            call()
        assert "".join(record) == order


def test_subclass_first_then_left_to_right():
    record = []
    Parent, Other = asked(record, "P"), asked(record, "O")
    Child = asked(record, "C", (Parent,))
    with pytest.raises(TypeError):
        torch.addcmul(Parent(), Other(), Child())
    # Child stands before its parent, wherever the arguments stand; Other keeps its place.
    assert "".join(record) == "CPO"


def test_each_type_is_asked_once():
    record = []
    A = asked(record, "A", answer="answer")
    assert torch.stack([A(), A(), A()]) == "answer"
    assert record == ["A"]


def test_the_first_answer_ends_the_search():
    record = []
    A, B = asked(record, "A", answer=None), asked(record, "B", answer="B")
    assert torch.add(A(), B()) is None  # None is an answer; only NotImplemented declines
    assert record == ["A"]


def test_not_implemented_by_all_is_a_type_error_that_names_function_and_types():
    A = asked([], "A")
    with pytest.raises(TypeError, match="(?s)'torch.add'.*NotImplemented.*A"):
        torch.add(A(), torch.ones(2))
    x, y = MetadataTensor(1.0), ScalarTensor(2, 1.0)
    for call in (lambda: x + y, lambda: y + x, lambda: x.add(y)):
        with pytest.raises(TypeError, match="no implementation found for 'torch.Tensor.*add.*(Metadata|Scalar)Tensor"):
            call()


class Table:
    """A type after PyTorch's guide: a table of handled functions, NotImplemented for the rest."""

    HANDLED = {}

    def __init__(self, value):
        self.value = value

    @classmethod
    def implements(cls, *functions):
        def register(rule):
            cls.HANDLED.update(dict.fromkeys(functions, rule))
            return rule

        return register

    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        if func not in cls.HANDLED or not all(issubclass(type_, (torch.Tensor, cls)) for type_ in types):
            return NotImplemented
        return cls.HANDLED[func](*args, **(kwargs or {}))

    def __add__(self, other):
        return torch.add(self, other)


@Table.implements(torch.add, torch.Tensor.add, torch.Tensor.__add__, torch.Tensor.add_)
def table_add(input, other, *, out=None):
    values = [x.value if isinstance(x, Table) else x.item() for x in (input, other)]
    result = out if isinstance(out, Table) else Table(0)
    result.value = sum(values)
    return result


TENSOR = torch.tensor(2.0)


@pytest.mark.parametrize(
    "call",
    [
        lambda x: torch.add(x, TENSOR),
        lambda x: torch.add(TENSOR, x),
        lambda x: TENSOR.add(x),
        lambda x: TENSOR + x,
        lambda x: x + TENSOR,
        lambda x: torch.Tensor.__add__(TENSOR, x),
        lambda x: TENSOR.clone().add_(x),
        lambda x: torch.add(x, TENSOR, out=Table(0)),
    ],
)
def test_one_operation_in_all_its_spellings(call):
    result = call(Table(3))
    assert type(result) is Table and result.value == 5


def test_out_comes_back_as_the_object_that_was_passed():
    out = Table(0)
    assert torch.add(Table(1), Table(2), out=out) is out and out.value == 3


@pytest.mark.parametrize("spelling", [torch.add, torch.Tensor.add, torch.Tensor.__add__])
def test_a_spelling_that_is_left_out_is_a_type_error(spelling, monkeypatch):
    arrives = torch.Tensor.add if spelling is torch.Tensor.__add__ else spelling  # TENSOR + x arrives as Tensor.add
    monkeypatch.delitem(Table.HANDLED, arrives)
    with pytest.raises(TypeError, match="NotImplemented|unsupported operand"):
        operator.add(TENSOR, Table(3)) if spelling is torch.Tensor.__add__ else spelling(TENSOR, Table(3))


def test_an_unexpected_alpha_is_an_error_never_ignored():
    with pytest.raises(TypeError, match="unexpected keyword argument 'alpha'"):
        torch.add(Table(1), Table(2), alpha=3)
    # A rule that knows alpha uses it, as does the dense fallback.
    assert torch.add(ScalarTensor(2, 1.0), ScalarTensor(2, 2.0), alpha=3).value == 7
    assert torch.add(ScalarTensor(2, 1.0), torch.ones(2, 2), alpha=3).tolist() == [[4, 3], [3, 4]]


def test_no_rule_is_a_type_error_in_one_type_and_the_dense_matrix_in_the_other():
    with pytest.raises(TypeError, match="torch.exp"):
        torch.exp(Table(1))
    assert torch.equal(torch.exp(ScalarTensor(2, 1.0)), torch.exp(torch.eye(2)))


def test_a_rule_leaves_what_it_cannot_do_to_the_dense_matrix():
    x = ScalarTensor(2, 3.0)
    assert type(x * 2) is ScalarTensor
    assert torch.equal(x * torch.ones(2, 2), x.to_dense())


def test_functions_of_our_own_take_part():
    def double(x):
        if torch.overrides.has_torch_function_unary(x):
            return torch.overrides.handle_torch_function(double, (x,), x)
        return 2 * x

    assert double(torch.ones(1)).item() == 2
    assert double(MetadataTensor([1.0], {"unit": "m"})).metadata == {"unit": "m"}
    assert torch.equal(double(ScalarTensor(2, 1.0)), 2 * torch.eye(2))
    Table.implements(double)(lambda x: Table(2 * x.value))
    assert double(Table(4)).value == 8


def test_functions_that_make_tensors_from_nothing_never_ask():
    assert torch.zeros in torch.overrides.get_ignored_functions()
    assert torch.add not in torch.overrides.get_ignored_functions()
