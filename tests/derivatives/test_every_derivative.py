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
