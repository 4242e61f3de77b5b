"""tests/derivatives/test_every_derivative.py: all ways to differentiate the operators that my_lib.h declares."""

import pytest
import torch

from support import derivatives
from support.derivative_table import arguments, every_pair, pair
from support.graphs import captured


@every_pair
@pytest.mark.parametrize("check", derivatives.EAGER, ids=lambda check: check.__name__)
def test_in_eager_mode(name, check):
    torch.manual_seed(0)
    check(pair(name), arguments(name))


@pytest.mark.slow
@captured
@every_pair
@pytest.mark.parametrize("check", derivatives.COMPILED, ids=lambda check: check.__name__)
def test_in_graphs(name, check):
    torch.manual_seed(0)
    check(pair(name), arguments(name))


@every_pair
def test_its_own_check_finds_nothing(name):
    torch.manual_seed(0)
    pair(name).check(*arguments(name))


@every_pair
def test_a_large_array_without_a_gradient(name):
    """Outputs that only the backward reads are not computed."""
    shapes = {"lltm": [(4000, 3), (15, 8), (15,), (4000, 5), (4000, 5)], "batch_norm2d": [(8, 3, 32, 32), 1e-3]}
    shapes["lltm_sequence"] = [(2, *shapes["lltm"][0]), *shapes["lltm"][1:]]
    shapes["linear"] = [(4000, 3), (5, 3), (5,)]
    given = shapes.get(name) or [(100, 200) if isinstance(x, torch.Tensor) else x for x in arguments(name)]
    given = [torch.randn(x) if isinstance(x, tuple) else x for x in given]
    function = pair(name)
    with_gradient = function(*(x.requires_grad_() if isinstance(x, torch.Tensor) else x for x in given))
    with torch.no_grad():
        without = function(*given)
    for one, other in zip(derivatives.as_tuple(with_gradient), derivatives.as_tuple(without), strict=True):
        assert torch.equal(one, other)


@pytest.mark.parametrize("name", ["add", "scale_add", "mul_constant"])
def test_what_no_gradient_depends_on_is_not_kept(name):
    """Nothing is saved, and what was added may change in place, as with PyTorch's own operators."""
    given, saved = arguments(name), []
    changing = [x * 1 if isinstance(x, torch.Tensor) else x for x in given]
    with torch.autograd.graph.saved_tensors_hooks(saved.append, lambda _: pytest.fail("was saved")):
        result = pair(name)(*changing)
    assert not saved
    for i in derivatives.places(changing):
        changing[i].zero_()
    weights = torch.linspace(1, 2, 12, dtype=result.dtype).view(3, 4).requires_grad_()
    found = torch.autograd.grad(result, [given[i] for i in derivatives.places(given)], weights, create_graph=True)
    torch.testing.assert_close(found, derivatives.gradients(pair(name).expect, given))
    (by_weights,) = torch.autograd.grad(sum(found).sum(), weights)
    torch.testing.assert_close(by_weights * weights, sum(found))
