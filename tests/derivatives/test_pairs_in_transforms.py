"""tests/derivatives/test_pairs_in_transforms.py: pairs without a formula whose backward takes NULL for a gradient, in
transforms, in batches of gradients and in compiled autograd."""

import itertools

import pytest
import torch
from torch import func

import torchthaw
from support.graphs import captured

SOURCE = """
#include <stdint.h>
#include <torchthaw/annotate.h>
THAW_STATUS
int product_forward(const double *a THAW_SHAPE(n), const double *b THAW_SHAPE(n), const double *c THAW_SHAPE(n), int64_t n,
                    double *y THAW_SHAPE(n)) {
    for (int64_t i = 0; i < n; ++i) y[i] = a[i] * b[i] * c[i];
    return 1;
}
THAW_STATUS THAW_BACKWARD_OF(product_forward)
int product_backward(const double *grad_y THAW_SHAPE(n), const double *a THAW_SHAPE(n), const double *b THAW_SHAPE(n),
                     const double *c THAW_SHAPE(n), int64_t n, double *grad_a THAW_SHAPE(n) THAW_NULLABLE,
                     double *grad_b THAW_SHAPE(n) THAW_NULLABLE, double *grad_c THAW_SHAPE(n) THAW_NULLABLE) {
    for (int64_t i = 0; i < n; ++i) {
        if (grad_a) grad_a[i] = grad_y[i] * b[i] * c[i];
        if (grad_b) grad_b[i] = grad_y[i] * a[i] * c[i];
        if (grad_c) grad_c[i] = grad_y[i] * a[i] * b[i];
    }
    return 1;
}
THAW_STATUS
int sum_forward(const double *a THAW_SHAPE(n), const double *b THAW_SHAPE(n), int64_t n, double *y THAW_SHAPE(n)) {
    for (int64_t i = 0; i < n; ++i) y[i] = a[i] + b[i];
    return 1;
}
THAW_STATUS THAW_BACKWARD_OF(sum_forward)
int sum_backward(const double *grad_y THAW_SHAPE(n), int64_t n, double *grad_a THAW_SHAPE(n) THAW_NULLABLE,
                 double *grad_b THAW_SHAPE(n) THAW_NULLABLE) {
    for (int64_t i = 0; i < n; ++i) {
        if (grad_a) grad_a[i] = grad_y[i];
        if (grad_b) grad_b[i] = grad_y[i];
    }
    return 1;
}
"""
# Name -> the same of PyTorch's operators.
SAME = {"product": lambda a, b, c: a * b * c, "sum": lambda a, b: a + b}
COUNTS = {"product": 3, "sum": 2}


@pytest.fixture(scope="module")
def functions():
    names = [f"{name}_{part}" for name in SAME for part in ("forward", "backward")]
    return torchthaw.load_inline("in_transforms", c_sources=SOURCE, functions=names).functions


def tensors(name, *shape):
    generator = torch.Generator().manual_seed(3)
    return [torch.rand(*shape, generator=generator, dtype=torch.float64) for _ in range(COUNTS[name])]


def subsets(name):
    """Which arguments a gradient is wanted of."""
    return [each for n in range(1, COUNTS[name] + 1) for each in itertools.combinations(range(COUNTS[name]), n)]


@pytest.mark.parametrize("name", SAME)
def test_vmap_of_grad(functions, name):
    ours, theirs = getattr(functions, name), SAME[name]
    for wanted in subsets(name):
        for dims in itertools.product([0, None], repeat=COUNTS[name]):
            if dims != (None,) * COUNTS[name]:
                given = [x if dim == 0 else x[0] for x, dim in zip(tensors(name, 3, 4), dims)]
                ours_found, theirs_found = (
                    torch.vmap(func.grad(lambda *x: call(*x).sum(), wanted), dims)(*given)  # noqa: B023
                    for call in (ours, theirs)
                )
                torch.testing.assert_close(ours_found, theirs_found)


@pytest.mark.parametrize("name", SAME)
def test_jacobians(functions, name):
    ours, theirs = getattr(functions, name), SAME[name]
    for wanted in subsets(name):
        row, batch = tensors(name, 4), tensors(name, 3, 4)
        torch.testing.assert_close(func.jacrev(ours, wanted)(*row), func.jacrev(theirs, wanted)(*row))
        both = [torch.vmap(func.jacrev(call, wanted))(*batch) for call in (ours, theirs)]
        torch.testing.assert_close(*both)
        both = [torch.vmap(torch.vmap(func.jacrev(call, wanted)))(*tensors(name, 2, 3, 4)) for call in (ours, theirs)]
        torch.testing.assert_close(*both)


@pytest.mark.parametrize("name", SAME)
def test_a_batch_of_gradients(functions, name):
    for wanted in subsets(name):
        given = [x.requires_grad_(i in wanted) for i, x in enumerate(tensors(name, 4))]
        both = [
            torch.autograd.grad(
                call(*given), [given[i] for i in wanted], torch.eye(4, dtype=torch.float64), is_grads_batched=True
            )
            for call in (getattr(functions, name), SAME[name])
        ]
        torch.testing.assert_close(*both)


@pytest.mark.slow
@captured
@pytest.mark.skipif(not hasattr(torch._dynamo.config, "compiled_autograd"), reason="PyTorch has no compiled autograd")
@pytest.mark.parametrize("name", SAME)
def test_compiled_autograd_in_one_graph(functions, name):
    for wanted in subsets(name):
        given = [x.requires_grad_(i in wanted) for i, x in enumerate(tensors(name, 4))]
        results = []
        for call in getattr(functions, name), SAME[name]:
            with torch._dynamo.compiled_autograd._enable(torch.compile(backend="eager", fullgraph=True)):
                call(*given).square().sum().backward()
            results.append([given[i].grad for i in wanted])
            for x in given:
                x.grad = None
        torch.testing.assert_close(*results)


@pytest.mark.parametrize("name", SAME)
def test_check(functions, name):
    getattr(functions, name).check(*tensors(name, 4))
