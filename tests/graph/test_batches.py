"""tests/graph/test_batches.py: operators without a backward under vmap: one call where the header says that it is right."""

import pytest
import torch

import torchthaw


@pytest.fixture(scope="module")
def c():
    return torchthaw.load_inline("batches", c_sources="""
#include <stdint.h>
#include <torchthaw/annotate.h>
static int calls;
int counted(void) { int found = calls; calls = 0; return found; }
THAW_BATCH(rows)
void sums(const double *x THAW_SHAPE(rows, n), const double *w THAW_SHAPE(n), int64_t rows, int64_t n,
          double *y THAW_SHAPE(rows), double *most THAW_SHAPE(rows)) {
    ++calls;
    for (int64_t i = 0; i < rows; ++i) {
        y[i] = 0;
        most[i] = x[i * n];
        for (int64_t k = 0; k < n; ++k) {
            y[i] += w[k] * x[i * n + k];
            if (x[i * n + k] > most[i]) most[i] = x[i * n + k];
        }
    }
}
THAW_ELEMENTWISE
void twice(const double *x THAW_LIKE(shape, ndim), const int64_t *shape, int64_t ndim, double *y THAW_LIKE(shape, ndim)) {
    int64_t count = 1;
    for (int64_t i = 0; i < ndim; ++i) count *= shape[i];
    ++calls;
    for (int64_t i = 0; i < count; ++i) y[i] = 2 * x[i];
}
void plain(const double *x THAW_SHAPE(n), int64_t n, double *y THAW_SHAPE(n)) {
    ++calls;
    for (int64_t i = 0; i < n; ++i) y[i] = 2 * x[i];
}
""", functions=["counted", "sums", "twice", "plain"])  # fmt: skip


def rand(*shape):
    return torch.rand(*shape, dtype=torch.float64)


def test_a_size_along_which_entries_are_independent(c):
    x, w = rand(5, 3, 4), rand(4)
    c.counted()
    y, most = torch.vmap(torch.ops.batches.sums, (0, None))(x, w)
    assert c.counted() == 1
    torch.testing.assert_close(y, x @ w)
    assert torch.equal(most, x.amax(-1))
    y, _ = torch.vmap(torch.ops.batches.sums, (1, None))(x, w)
    torch.testing.assert_close(y, (x @ w).t())
    assert c.counted() == 1
    y, _ = torch.vmap(torch.ops.batches.sums)(x, rand(5, 4).copy_(w))  # w varies: a call for each
    torch.testing.assert_close(y, x @ w)
    assert c.counted() == 5
    assert torch.vmap(torch.ops.batches.sums, (0, None))(x[:0], w)[0].shape == (0, 3)


def test_functions_of_elements(c):
    x = rand(5, 3, 4)
    c.counted()
    assert torch.equal(torch.vmap(torch.ops.batches.twice)(x), 2 * x) and c.counted() == 1
    assert torch.equal(torch.vmap(torch.vmap(torch.ops.batches.twice), 1)(x), 2 * x.movedim(1, 0)) and c.counted() == 1


def test_others_are_called_for_each_entry(c):
    x = rand(5, 4)
    c.counted()
    assert torch.equal(torch.vmap(torch.ops.batches.plain)(x), 2 * x) and c.counted() == 5
