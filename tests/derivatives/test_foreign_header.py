"""tests/derivatives/test_foreign_header.py: a pair of a header that nobody edits, with words in another one."""

from pathlib import Path

import pytest
import torch

import torchthaw
from support import derivatives
from support.graphs import captured

HERE = Path(__file__).resolve().parent


def formula(x, weight, decay):
    state, steps = torch.zeros_like(x[:, 0]), []
    for column, factor in zip(x.unbind(1), weight):
        state = decay * state + factor * column
        steps.append(state)
    return torch.stack(steps, 1)


@pytest.fixture(scope="module")
def library():
    headers = [HERE / "foreign.h", HERE / "foreign_words.h"]
    return torchthaw.load("foreign", sources=[HERE / "foreign.c"], headers=headers)


@pytest.fixture(scope="module")
def leaky(library):
    function = library.functions.leaky
    function.formula(formula)
    function.expect, function.rule = formula, "lower"
    return function


def given():
    generator = torch.Generator().manual_seed(5)
    x, weight = (torch.randn(shape, dtype=torch.float64, generator=generator) for shape in ((3, 4), (4,)))
    return [x.requires_grad_(), weight.requires_grad_(), 0.5]


@pytest.mark.parametrize("check", derivatives.EAGER, ids=lambda check: check.__name__)
def test_in_eager_mode(leaky, check):
    check(leaky, given())


@pytest.mark.slow
@captured
@pytest.mark.parametrize("check", derivatives.COMPILED, ids=lambda check: check.__name__)
def test_in_graphs(leaky, check):
    check(leaky, given())


def test_what_else_the_header_has(library, leaky):
    """Its types, its other functions, and its comments."""
    assert library.foreign_padded(library.FOREIGN_REPEAT, 4) == 8 and "foreign_length" in library.__all__
    assert "decay * y[r][c - 1]" in leaky.__doc__
    leaky.check(*given())
