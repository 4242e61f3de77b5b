"""tests/derivatives/test_pairs_of_a_user.py: what a user's header with a forward and its backward gives."""

import pickle
from pathlib import Path

import pytest
import torch
from torch.autograd import forward_ad

import torchthaw
from support import derivatives
from support.graphs import captured
from support.messages import names

HERE = Path(__file__).resolve().parent


@pytest.fixture(scope="module")
def functions():
    return torchthaw.load("pairs_of_a_user", sources=[HERE / "pairs.c"], headers=[HERE / "pairs.h"]).functions


def leaf(*shape, dtype=torch.float64):
    return torch.randn(shape, dtype=dtype, generator=torch.Generator().manual_seed(3)).requires_grad_()


def test_what_there_is(functions):
    assert dir(functions) == ["largest", "masked", "minus", "minus_one", "square", "sums", "wrong"]
    assert "x^2, of any shape" in functions.square.__doc__
    with pytest.raises(AttributeError, match=names("functions", "largest", "cube")):
        functions.cube


def test_a_function_is_pickled_by_its_name():
    from _ext.my_lib import functions

    assert pickle.loads(pickle.dumps(functions.cube)) is functions.cube


OF_C = [
    derivatives.gradcheck, derivatives.gradgradcheck, derivatives.forward_mode, derivatives.vmap, derivatives.vmap_of_vmap,
    derivatives.func_grad, derivatives.vmap_of_grad, derivatives.batched_gradients, derivatives.opcheck, derivatives.traced,
    derivatives.fake, derivatives.compiled, derivatives.compiled_vmap, derivatives.exported, derivatives.vmap_of_jvp,
]  # fmt: skip


@pytest.mark.parametrize("check", OF_C, ids=lambda check: check.__name__)
def test_square_has_all_its_derivatives_in_c(functions, check):
    functions.square.expect = torch.square
    check(functions.square, [leaf(3, 4)])


def pushed(function):
    return lambda x: torch.func.jvp(function, (x,), (x,))[1]


OF_TANGENTS = {
    "grad": lambda f, x: torch.func.grad(lambda x: pushed(f)(x).sum())(x),
    "vmap of grad": lambda f, x: torch.vmap(torch.func.grad(lambda x: pushed(f)(x).sum()))(x[None]),
    "grad of vmap": lambda f, x: torch.func.grad(lambda x: torch.vmap(pushed(f))(x).sum())(x[None]),
    "jacrev of jacfwd": lambda f, x: torch.func.jacrev(torch.func.jacfwd(f))(x),
    "backward": lambda f, x: dual(f, x.clone().requires_grad_())[1].sum().backward(),
}


def dual(function, x):
    with forward_ad.dual_level():
        return forward_ad.unpack_dual(function(forward_ad.make_dual(x, x)))


@pytest.mark.parametrize("case", OF_TANGENTS)
def test_a_gradient_of_c_s_tangents_needs_a_formula(functions, case):
    """The tangents themselves are there."""
    x = leaf(3).detach()
    assert torch.equal(dual(functions.square, x.clone().requires_grad_()).tangent, 2 * x * x)
    assert torch.equal(torch.func.grad(lambda x: torch.func.jvp(functions.square, (x,), (x,))[0].sum())(x), 2 * x)
    with pytest.raises(RuntimeError, match=names("square", "gradient", "tangents", "@functions.square.formula")):
        OF_TANGENTS[case](functions.square, x)


@captured
@pytest.mark.parametrize("name", ["minus", "square"])
def test_forward_mode_around_a_compiled_function_needs_a_formula(functions, name):
    """In a graph are the operators of C; that of tangents is not. PyTorch 2.15 refuses a tangent there by itself."""
    function, x = getattr(functions, name), leaf(4, 3).detach()
    compiled = torch.compile(lambda x: function(x), fullgraph=True, backend="aot_eager")
    ours = names("x", "tangent", f"functions.{name}", "graph", "formula")
    with pytest.raises(RuntimeError, match=f"{ours}|forward-mode AD tangent"):
        dual(compiled, x)


@captured
@pytest.mark.parametrize("name", ["minus", "square"])
def test_a_compiled_function_is_called_in_forward_mode_without_a_tangent(functions, name):
    function, x = getattr(functions, name), leaf(4, 3).detach()
    compiled = torch.compile(lambda x: function(x), fullgraph=True, backend="aot_eager")
    with forward_ad.dual_level():
        assert torch.equal(compiled(x), function(x))


def test_the_names_of_operators(functions):
    x = leaf(3)
    space = functions.square.operator.namespace
    assert functions.square.operator is getattr(torch.ops, space).square_differentiable.default
    assert torch.equal(getattr(torch.ops, space).square(x.detach()), x.detach() ** 2)
    (grad,) = torch.autograd.grad(functions.square.Function.apply(x).sum(), [x])
    assert torch.equal(grad, 2 * x)


@pytest.mark.parametrize("name, shape", [("minus", (4, 3)), ("minus_one", ())])
def test_elementwise_of_a_shape_that_the_header_says(functions, name, shape):
    x = leaf(2, *shape)
    y = torch.vmap(getattr(functions, name))(x)
    assert torch.equal(y, -x)
    getattr(functions, name).check(x[0])
    with pytest.raises(RuntimeError, match=names(name, "formula")):
        getattr(functions, name).formula(None)
        torch.func.jvp(getattr(functions, name), (x[0],), (x[0],))


def test_a_result_of_integers(functions):
    x = leaf(3, 4, dtype=torch.float32)
    value, place = functions.largest(x)
    assert torch.equal(place, x.argmax(1)) and not place.requires_grad
    value.square().sum().backward()
    expected = torch.zeros(3, 4)
    expected[range(3), place] = 2 * value.detach()
    assert torch.equal(x.grad, expected)
    batch = torch.stack([x.detach(), -x.detach()])
    assert all(map(torch.equal, torch.vmap(functions.largest)(batch), (batch.amax(2), batch.argmax(2))))


def test_what_needs_a_formula_says_so(functions):
    x = leaf(3, 4, dtype=torch.float32)
    (grad,) = torch.autograd.grad(functions.largest(x)[0].sum(), [x], create_graph=True)
    with pytest.raises(RuntimeError, match=names("largest", "second derivative", "@functions.largest.formula")):
        grad.sum().backward()
    with pytest.raises(RuntimeError, match=names("largest", "forward mode", "formula")):
        torch.func.jvp(functions.largest, (x.detach(),), (x.detach(),))
    assert torch.equal(torch.func.grad(lambda x: functions.largest(x)[0].sum())(x.detach()), grad)
    with pytest.raises(RuntimeError, match=names("largest", "forward mode", "formula")):
        torch.func.hessian(lambda x: functions.largest(x)[0].sum())(x.detach())
    with pytest.raises(RuntimeError, match=names("largest", "functionalize", "@functions.largest.formula")):
        torch.func.functionalize(functions.largest)(x.detach())


TWICE = {
    "forward over reverse": torch.func.hessian,
    "forward over forward": lambda loss: torch.func.jacfwd(torch.func.jacfwd(loss)),
}


@pytest.mark.parametrize("case", TWICE)
def test_what_c_has_no_second_derivative_for_names_the_formula_of_the_function(functions, case):
    with pytest.raises(RuntimeError, match=names("forward mode", "@functions.square.formula")):
        TWICE[case](lambda x: functions.square(x).sum())(leaf(3).detach())


def test_an_input_without_a_gradient(functions):
    x, mask = leaf(4, dtype=torch.float32), torch.tensor([1.0, 0.0, 1.0, 0.5])
    functions.masked(x, mask).sum().backward()
    assert torch.equal(x.grad, mask)
    with pytest.raises(RuntimeError, match=names("masked", "mask", "requires grad", "@functions.masked.formula")):
        functions.masked(x, mask.clone().requires_grad_())
    with pytest.raises(RuntimeError, match=names("masked", "mask", "requires grad", "@functions.masked.formula")):
        torch.func.grad(lambda mask: functions.masked(x.detach(), mask).sum())(mask)


def test_its_gradient_by_a_formula(functions, monkeypatch):
    x, mask = leaf(4, dtype=torch.float32), leaf(4, dtype=torch.float32)
    function = functions.masked.formula(lambda x, mask: x * mask)
    functions.masked(x, mask).sum().backward()
    assert torch.equal(mask.grad, x) and torch.equal(x.grad, mask) and torch.equal(function(x, mask), x * mask)


WRONG = {
    "sums": ("vmap against a loop", "THAW_ELEMENTWISE"),
    "wrong": ("backward against differences", "wrong"),
}


@pytest.mark.parametrize("name", WRONG)
def test_check_finds_a_wrong_word(functions, name):
    with pytest.raises(AssertionError, match=names(name, *WRONG[name])):
        getattr(functions, name).check(leaf(3))


def test_check_finds_a_wrong_formula(functions):
    function = functions.square
    function.check(leaf(2, 3))
    function.formula(lambda x: x * x + 1)
    try:
        with pytest.raises(AssertionError, match=names("square", "formula against C")):
            function.check(leaf(2, 3))
    finally:
        function.formula(None)


BAD = {
    "no tensor": (([1.0],), TypeError, ("x", "torch.Tensor", "list")),
    "None": ((None,), TypeError, ("x", "torch.Tensor", "NoneType")),
    "a wrong dtype": ((torch.ones(3, dtype=torch.int32),), (ValueError, TypeError), ("x", "float64", "int32")),
    "16 bits": ((torch.ones(3).bfloat16(),), (ValueError, TypeError), ("x", "float64", "bfloat16")),
    "too few": ((), TypeError, ("x",)),
    "too many": ((torch.ones(3), torch.ones(3)), TypeError, ("square", "2")),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_arguments(functions, case):
    arguments, error, words = BAD[case]
    with pytest.raises(error, match=names(*words)):
        functions.square(*arguments)


def test_a_tensor_is_no_number():
    from _ext.my_lib import functions

    x = torch.ones(3)
    with pytest.raises(TypeError, match=names("constant", "real number", "Tensor")):
        functions.mul_constant(x, torch.tensor(2.0, requires_grad=True))
    assert torch.equal(functions.mul_constant(x, 2), 2 * x)
