"""tests/guide/test_tensors_scalar.py: ScalarTensor gives what its dense matrix gives, without it where a rule is
known."""

import copy
import pickle

import numpy
import pytest
import torch

from support.messages import names
from tensors import MetadataTensor, ScalarTensor
from tensors.scalar_tensor import HANDLED_FUNCTIONS

DENSE = torch.arange(1.0, 10.0).reshape(3, 3)


@pytest.fixture
def no_dense(monkeypatch):
    """The dense matrix is out of reach: what still works has a rule of its own."""

    def refuse(self):
        raise AssertionError("the dense matrix was made")

    monkeypatch.setattr(ScalarTensor, "to_dense", refuse)


# Each takes the matrix x and the way to make another, so that it runs on ScalarTensor and on dense matrices alike.
RULES = {
    "add": lambda x, make: x + make(3, 5.0),
    "add with alpha": lambda x, make: torch.add(x, make(3, 5.0), alpha=3),
    "sub with alpha": lambda x, make: x.sub(make(3, 5.0), alpha=3),
    "mul": lambda x, make: x * make(3, 5.0),
    "mul by a number": lambda x, make: x * 5,
    "number times": lambda x, make: 5 * x,
    "div by a number": lambda x, make: x / 4,
    "matmul": lambda x, make: x @ make(3, 5.0),
    "neg": lambda x, make: -x,
    "transpose": lambda x, make: x.transpose(0, -1),
    "T": lambda x, make: x.T,
    "adjoint": lambda x, make: x.adjoint(),
    "relu": lambda x, make: torch.nn.functional.relu(x),
    "sqrt": lambda x, make: torch.sqrt(x),
    "expm1": lambda x, make: torch.special.expm1(x),
    "double": lambda x, make: x.to(torch.float64),
    "inv": lambda x, make: torch.linalg.inv(x),
    "matrix_exp": lambda x, make: torch.matrix_exp(x),
    "clone": lambda x, make: torch.clone(x),
}


@pytest.mark.parametrize("rule", RULES.values(), ids=RULES.keys())
def test_a_rule_keeps_one_number(rule, no_dense):
    result = rule(ScalarTensor(3, 2.0), ScalarTensor)
    assert type(result) is ScalarTensor and result.N == 3
    expected = rule(2 * torch.eye(3), lambda N, value: value * torch.eye(N))
    torch.testing.assert_close(torch.diag(result.value.repeat(3)), expected)


@pytest.mark.parametrize("word", "trace sum mean det diagonal diag shape dtype device ndim requires_grad".split())
def test_a_rule_gives_a_plain_result(word, no_dense):
    def value(x):
        attribute = getattr(x, word)
        return attribute() if callable(attribute) else attribute

    result, expected = value(ScalarTensor(3, 2.0)), value(2 * torch.eye(3))
    assert type(result) is type(expected)
    assert torch.equal(result, expected) if isinstance(result, torch.Tensor) else result == expected


def test_matmul_with_a_dense_matrix_scales_it(no_dense):
    x = ScalarTensor(3, 2.0)
    for product in (x @ DENSE, DENSE @ x, torch.mm(x, DENSE), x @ DENSE.expand(4, 3, 3)):
        torch.testing.assert_close(product, 2 * DENSE.expand(product.shape))
    torch.testing.assert_close(x @ DENSE[0], 2 * DENSE[0])


@pytest.mark.parametrize("shape", [(2, 3), (4,), ()])
def test_matmul_with_a_wrong_shape_is_pytorchs_own_error(shape):
    with pytest.raises(RuntimeError) as ours:
        ScalarTensor(3, 2.0) @ torch.ones(shape)
    with pytest.raises(RuntimeError) as theirs:
        torch.eye(3) @ torch.ones(shape)
    assert str(ours.value) == str(theirs.value)


def test_another_dtype_is_pytorchs_own_error():
    with pytest.raises(RuntimeError, match="dtype|type"):
        ScalarTensor(3, 2.0) @ DENSE.double()
    assert (ScalarTensor(3, 2) + ScalarTensor(3, 0.5)).dtype == torch.float32
    assert (ScalarTensor(3, 2) * 2.5).dtype == torch.float32


def test_sizes_that_differ_broadcast_as_matrices_do():
    torch.testing.assert_close(ScalarTensor(1, 2.0) + ScalarTensor(3, 1.0), torch.eye(3) + 2)
    with pytest.raises(RuntimeError, match="must match"):
        ScalarTensor(2, 2.0) + ScalarTensor(3, 1.0)


@pytest.mark.parametrize("number", [float("inf"), float("nan")])
def test_an_infinite_factor_reaches_the_zeros(number):
    x = ScalarTensor(2, 3.0)
    torch.testing.assert_close(x * number, x.to_dense() * number, equal_nan=True)
    torch.testing.assert_close(number * x, number * x.to_dense(), equal_nan=True)


def test_dividing_by_zero_reaches_the_zeros():
    x = ScalarTensor(2, 3.0)
    torch.testing.assert_close(x / 0, x.to_dense() / 0, equal_nan=True)


def test_an_infinite_value_leaves_the_zeros_alone():
    assert ScalarTensor(2, float("inf")).to_dense().tolist() == [[float("inf"), 0], [0, float("inf")]]


def test_arguments_that_a_rule_does_not_know_go_dense():
    x = ScalarTensor(3, 2.0)
    assert x.sum(dim=0).tolist() == [2, 2, 2]
    assert torch.sum(x, 0, keepdim=True).shape == (1, 3)
    out = torch.empty(3, 3)
    assert torch.add(x, x, out=out) is out and out.trace() == 12


def test_no_rule_goes_dense_also_in_nested_sequences_and_keywords():
    x = ScalarTensor(3, 2.0)
    assert torch.equal(torch.stack([DENSE, x])[1], x.to_dense())
    assert torch.equal(torch.where(DENSE > 5, other=x, input=DENSE), torch.where(DENSE > 5, DENSE, x.to_dense()))
    assert torch.equal(DENSE + x, DENSE + x.to_dense())
    assert torch.equal(DENSE.clone().add_(x), DENSE + x.to_dense())


WRITES = {
    "add_": lambda x: x.add_(1),
    "torch.relu_": torch.relu_,
    "inplace=True": lambda x: torch.nn.functional.relu(x, inplace=True),
    "+=": lambda x: x.__iadd__(1),
    "x[0] = 1": lambda x: x.__setitem__(0, 1),
    "out=": lambda x: torch.add(DENSE, DENSE, out=x),
    "out=(…)": lambda x: torch.max(DENSE, dim=0, out=(x, x)),
    "requires_grad = True": lambda x: setattr(x, "requires_grad", True),
    "requires_grad_": lambda x: x.requires_grad_(),
    "data_ptr": lambda x: x.data_ptr(),
    "register_hook": lambda x: x.register_hook(print),
}


@pytest.mark.parametrize("write", WRITES.values(), ids=WRITES.keys())
def test_writing_is_refused(write):
    with pytest.raises(TypeError, match=names("tensor", "ScalarTensor")):
        write(ScalarTensor(3, 2.0))


def test_gradients_flow_to_the_value_by_rule_and_through_the_dense_matrix():
    value = torch.tensor(3.0, requires_grad=True)
    x = ScalarTensor(2, value)
    assert x.requires_grad
    torch.det(x).backward()
    assert value.grad == 6
    (x.exp() * torch.eye(2)).sum().backward()
    torch.testing.assert_close(value.grad, 6 + 2 * value.detach().exp())


@pytest.mark.parametrize("N", [0, 1])
def test_smallest_sizes(N):
    x, matrix = ScalarTensor(N, 2.0), 2 * torch.eye(N)
    for word in ("trace", "sum", "det", "diagonal"):
        torch.testing.assert_close(getattr(x, word)(), getattr(matrix, word)())
    torch.testing.assert_close(x.mean(), matrix.mean(), equal_nan=True)
    assert len(x) == N and torch.equal(x.to_dense(), matrix)


def test_a_singular_matrix_has_no_inverse():
    with pytest.raises(torch.linalg.LinAlgError):
        torch.linalg.inv(ScalarTensor(3, 0.0))


@pytest.mark.parametrize(
    "arguments, error, message",
    [
        ((2.5, 1.0), TypeError, names("N", "int", "float")),
        ((True, 1.0), TypeError, names("N", "int", "bool")),
        ((-1, 1.0), ValueError, names("N", "size", "-1")),
        ((2, torch.ones(2)), ValueError, names("value", "0-dim", "tensor", "(2,)")),
        ((2, MetadataTensor(1.0)), TypeError, names("value", "0-dim", "tensor", "MetadataTensor")),
    ],
)
def test_bad_arguments_are_named(arguments, error, message):
    with pytest.raises(error, match=message):
        ScalarTensor(*arguments)


def test_unknown_attributes_are_attribute_errors():
    with pytest.raises(AttributeError, match=names("'ScalarTensor'", "'colour'")):
        ScalarTensor(2, 1.0).colour


def test_python_and_numpy_see_a_matrix():
    x = ScalarTensor(2, 3.0)
    assert numpy.asarray(x).tolist() == [[3, 0], [0, 3]]
    assert [row.tolist() for row in x] == [[3, 0], [0, 3]]
    assert float(ScalarTensor(1, 3.0)) == 3 and x[0, 0] == 3 and 3.0 in x
    assert repr(x) == "ScalarTensor(N=2, value=3.0)"
    assert len({x, x}) == 1


def test_copies_and_pickles():
    x = ScalarTensor(2, 3.0)
    for other in (copy.copy(x), copy.deepcopy(x), pickle.loads(pickle.dumps(x))):
        assert type(other) is ScalarTensor and torch.equal(other.to_dense(), x.to_dense())
    assert copy.deepcopy(x).value is not x.value


def test_a_subclass_keeps_its_type():
    class Identity(ScalarTensor):
        pass

    assert type(Identity(2, 1.0) + ScalarTensor(2, 1.0)) is Identity
    assert type(ScalarTensor(2, 1.0) + Identity(2, 1.0)) is Identity


def test_no_conversion_of_python_is_mistaken_for_a_word():
    # Tensor.float() keeps the type; Tensor.__float__() must give a Python number.
    assert torch.Tensor.float in HANDLED_FUNCTIONS and torch.Tensor.__float__ not in HANDLED_FUNCTIONS
