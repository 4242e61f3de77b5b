"""tests/derivatives/test_pairs_of_any_arrays.py: pairs whose arrays are of several dtypes, complex, or left out."""

import inspect

import pytest
import torch

import torchthaw
from support.messages import names

HEADER = """
#include <complex.h>
#include <stddef.h>
#include <stdint.h>
#include <torchthaw/annotate.h>
"""
# Pair -> its text. Each is of a module by itself and of one with all others.
PAIRS = {
    "scaled": """
THAW_STATUS
int scaled_forward(const double *a THAW_SHAPE(n), const double *bias THAW_SHAPE(n) THAW_NULLABLE, double by, int64_t n,
                   double *y THAW_SHAPE(n)) {
    for (int64_t i = 0; i < n; ++i) y[i] = by * a[i] + (bias ? bias[i] : 0);
    return 1;
}
THAW_STATUS THAW_BACKWARD_OF(scaled_forward)
int scaled_backward(const double *grad_y THAW_SHAPE(n), double by, int64_t n, double *grad_a THAW_SHAPE(n),
                    double *grad_bias THAW_SHAPE(n) THAW_NULLABLE) {
    for (int64_t i = 0; i < n; ++i) {
        grad_a[i] = by * grad_y[i];
        if (grad_bias) grad_bias[i] = grad_y[i];
    }
    return 1;
}
""",
    "mixed": """
THAW_STATUS
int mixed_forward(const float *a THAW_SHAPE(n), const double *b THAW_SHAPE(n), int64_t n, double *y THAW_SHAPE(n)) {
    for (int64_t i = 0; i < n; ++i) y[i] = a[i] * b[i];
    return 1;
}
THAW_STATUS THAW_BACKWARD_OF(mixed_forward)
int mixed_backward(const double *grad_y THAW_SHAPE(n), const float *a THAW_SHAPE(n), const double *b THAW_SHAPE(n),
                   int64_t n, float *grad_a THAW_SHAPE(n), double *grad_b THAW_SHAPE(n)) {
    for (int64_t i = 0; i < n; ++i) {
        grad_a[i] = (float)(b[i] * grad_y[i]);
        grad_b[i] = a[i] * grad_y[i];
    }
    return 1;
}
""",
    "squared": """
THAW_STATUS
int squared_forward(const double _Complex *a THAW_SHAPE(n), int64_t n, double _Complex *y THAW_SHAPE(n)) {
    for (int64_t i = 0; i < n; ++i) y[i] = a[i] * a[i];
    return 1;
}
THAW_STATUS THAW_BACKWARD_OF(squared_forward)
int squared_backward(const double _Complex *grad_y THAW_SHAPE(n), const double _Complex *a THAW_SHAPE(n), int64_t n,
                     double _Complex *grad_a THAW_SHAPE(n)) {
    for (int64_t i = 0; i < n; ++i) grad_a[i] = 2 * conj(a[i]) * grad_y[i];
    return 1;
}
""",
    "weighted": """
THAW_STATUS
int weighted_forward(const double *a THAW_SHAPE(n) THAW_NULLABLE, const int64_t *k THAW_SHAPE(n), int64_t n,
                     double *y THAW_SHAPE(n)) {
    for (int64_t i = 0; i < n; ++i) y[i] = (a ? a[i] : 1) * k[i];
    return 1;
}
THAW_STATUS THAW_BACKWARD_OF(weighted_forward)
int weighted_backward(const double *grad_y THAW_SHAPE(n), const int64_t *k THAW_SHAPE(n), int64_t n,
                      double *grad_a THAW_SHAPE(n)) {
    for (int64_t i = 0; i < n; ++i) grad_a[i] = k[i] * grad_y[i];
    return 1;
}
""",
}  # fmt: skip


@pytest.fixture(scope="module")
def functions():
    names = [f"{name}_{part}" for name in PAIRS for part in ("forward", "backward")]
    source = HEADER + "".join(PAIRS.values())
    return torchthaw.load_inline("any_arrays", c_sources=source, functions=names).functions


def real(*values):
    return torch.tensor(values, dtype=torch.float64)


COUNTS = torch.tensor([1, 2, 3])
ARGUMENTS = {
    "scaled": (real(1, 2, 3), None, 2.0), "mixed": (torch.tensor([1.0, 2, 3]), real(4, 5, 6)),
    "squared": (torch.tensor([1 + 2j, 3 - 1j], dtype=torch.complex128),), "weighted": (real(1, 2, 3), COUNTS),
}  # fmt: skip
SAME = {
    "scaled": lambda a, bias, by: by * a + (0 if bias is None else bias), "mixed": lambda a, b: a * b,
    "squared": lambda a: a * a, "weighted": lambda a, k: (1.0 if a is None else a) * k,
}  # fmt: skip


@pytest.mark.parametrize("name", PAIRS)
def test_results_and_gradients(functions, name):
    found = []
    for call in getattr(functions, name), SAME[name]:
        given = [x.clone().requires_grad_() if torch.is_tensor(x) and x is not COUNTS else x for x in ARGUMENTS[name]]
        result = call(*given)
        result.abs().sum().backward()
        found.append([result.detach(), *(x.grad for x in given if torch.is_tensor(x) and x is not COUNTS)])
    torch.testing.assert_close(*found)


@pytest.mark.parametrize("name", PAIRS)
def test_check(functions, name):
    getattr(functions, name).check(*ARGUMENTS[name])


@pytest.mark.parametrize("name", PAIRS)
def test_arrays_of_numpy(functions, name):
    given = [x.numpy() if torch.is_tensor(x) else x for x in ARGUMENTS[name]]
    expected = SAME[name](*ARGUMENTS[name])
    assert getattr(functions, name)(*given).tolist() == expected.tolist()


def test_what_may_be_left_out_stands_at_the_end(functions):
    assert [each.default for each in inspect.signature(functions.scaled).parameters.values()] == [inspect._empty] * 3
    assert functions.scaled(real(1, 2), bias=real(5, 6), by=2.0).tolist() == [7, 10]
    assert functions.weighted(None, COUNTS).tolist() == [1, 2, 3]


def test_wrong_dtypes(functions):
    for given, wrong in (((real(1), real(1)), "a"), ((torch.ones(1), torch.ones(1)), "b")):
        with pytest.raises(ValueError, match=names(wrong, "torch.float32", "torch.float64")):
            functions.mixed(*given)
