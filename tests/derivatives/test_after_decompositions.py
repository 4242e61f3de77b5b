"""tests/derivatives/test_after_decompositions.py: what an exported program can do, and cannot, after run_decompositions."""

import pytest
import torch

from functions.cube import cube
from support.derivatives import assert_close
from support.messages import names

pytestmark = pytest.mark.skipif(
    not hasattr(torch.compiler, "is_exporting"), reason="this PyTorch does not say whether it exports"
)


class Cube(torch.nn.Module):
    def forward(self, x):
        return cube(x) * 2


@pytest.fixture(scope="module")
def decomposed():
    x = torch.rand(4, dtype=torch.float64)
    return torch.export.export(Cube(), (x,)).run_decompositions().module()


@pytest.mark.slow
def test_second_derivatives(decomposed):
    x = torch.rand(4, dtype=torch.float64, requires_grad=True)
    assert torch.autograd.gradgradcheck(decomposed, (x,))


def test_vmap(decomposed):
    batch = torch.rand(3, 4, dtype=torch.float64)
    assert_close(torch.vmap(decomposed)(batch), 2 * batch**3)


@pytest.mark.slow
def test_a_transform_that_differentiates_is_refused(decomposed):
    x = torch.rand(4, dtype=torch.float64)
    for transform in (
        lambda: torch.func.grad(lambda x: decomposed(x).sum())(x),
        lambda: torch.func.jvp(decomposed, (x,), (x,)),
        lambda: torch.vmap(torch.func.grad(lambda x: decomposed(x).sum()))(x.expand(3, 4)),
    ):
        with pytest.raises(RuntimeError, match=names("cube", "before run_decompositions", "after")):
            transform()
    assert_close(torch.func.grad(lambda y: (decomposed(x) * y).sum())(x), 2 * x**3)
