"""tests/bridge/test_bridge_memory.py: memory that is not what it seems: misaligned, huge, or changed while C has it."""

import cffi
import pytest
import torch

import torchthaw
from support.messages import names

HEADER = """
#include <stdint.h>
#include <torchthaw/annotate.h>
typedef int (*visit)(int i);
void set_visit(visit f);
void copy(const float *x THAW_SHAPE(n), int64_t n, float *y THAW_SHAPE(n));
int64_t each(const float *x THAW_LIKE(shape, ndim), const int64_t *shape, int64_t ndim, visit f,
             float *y THAW_LIKE(shape, ndim));
void total(const float *x THAW_SHAPE(n), int64_t n, double *sum THAW_SHAPE() THAW_INOUT);
void total_complex(const float _Complex *x THAW_SHAPE(n), int64_t n, double *sum THAW_SHAPE() THAW_INOUT);
void spaced(const float *spacing THAW_SHAPE(ndim), const float *image THAW_LIKE(shape, ndim), const int64_t *shape,
            int64_t ndim, float *out THAW_LIKE(shape, ndim));
"""
SOURCE = """
static visit kept;
void set_visit(visit f) { kept = f; }
void copy(const float *x, int64_t n, float *y) {
    for (int64_t i = 0; i < n; i++) { if (kept) kept((int)i); y[i] = x[i]; }
}
int64_t each(const float *x, const int64_t *shape, int64_t ndim, visit f, float *y) {
    int64_t count = 0;
    for (int64_t d = 0; d < ndim; d++) { if (f) f((int)d); count = count * 1000 + shape[d]; }
    y[0] = x[0];
    return count;
}
void total(const float *x, int64_t n, double *sum) { for (int64_t i = 0; i < n; i++) *sum += x[i]; }
void total_complex(const float _Complex *x, int64_t n, double *sum) { *sum = n; }
void spaced(const float *spacing, const float *image, const int64_t *shape, int64_t ndim, float *out) { *out = 0; }
"""


@pytest.fixture(scope="module")
def module(tmp_path_factory):
    folder = tmp_path_factory.mktemp("memory")
    return torchthaw.load_inline("memory_probe", c_sources=SOURCE, headers=HEADER, build_directory=folder)


@pytest.fixture(scope="module")
def ops(module):
    return torch.ops.memory_probe


def called_back(function):
    return cffi.FFI().callback("int(int)", function)


@pytest.fixture
def visit(module):
    """Makes C call this function back; none again at the end."""
    callbacks = []  # C does not keep them alive

    def keep(function):
        callbacks.append(called_back(function))
        module.set_visit(callbacks[-1])

    yield keep
    module.set_visit(cffi.FFI().NULL)


def misaligned(count=4):
    tensor = torch.frombuffer(bytearray(4 * count + 1), dtype=torch.float32, offset=1)
    assert tensor.data_ptr() % 4 == 1
    return tensor.fill_(1)


def test_a_tensor_that_is_not_aligned(module, ops):
    sum = torch.zeros((), dtype=torch.float64)
    with pytest.raises(ValueError, match=names("x", "aligned", "tensor.clone()")):
        module.total(misaligned(), 4, sum)
    with pytest.raises(ValueError, match=names("y", "aligned", "tensor.copy_(copy)")):
        module.copy(torch.ones(4), 4, misaligned())
    module.total(misaligned().clone(), 4, sum)
    assert sum.item() == 4
    assert ops.total(misaligned(), sum).item() == 8  # a kernel gets a copy


@pytest.mark.parametrize("count", [2**62, 2**62 + 3])
def test_one_element_that_stands_for_more_than_any_memory(ops, count):
    sum = torch.zeros((), dtype=torch.float64)
    with pytest.raises((MemoryError, RuntimeError)):
        ops.total(torch.ones(1).expand(count), sum)
    assert sum.item() == 0


def test_what_a_callback_raises_in_a_kernel(module, ops, visit):
    x = torch.arange(4.0)
    assert ops.copy(x).equal(x)

    def refuse(i):
        if i == 0:
            raise KeyError(i)
        return 0

    visit(refuse)
    with pytest.raises(KeyError, match="0"):
        ops.copy(x)
    with pytest.raises(KeyError, match="0"):
        module.copy(x, 4, torch.empty(4))


@pytest.mark.parametrize("times", [1, 5])
def test_a_callback_that_takes_the_memory_of_a_kernel(ops, visit, times):
    """C goes on with the memory that it got."""
    for _ in range(times):
        x = torch.arange(100000.0)
        expected = x.clone()

        def resize(i):
            if i == 1:
                x.resize_(10**6).fill_(7)
            return 0

        visit(resize)
        assert ops.copy(x).equal(expected) and x.numel() == 10**6


def test_a_callback_that_changes_sizes_that_were_left_out(module):
    """C goes on with the sizes that it got."""
    x, y = torch.ones(2, 3, 4), torch.zeros(2, 3, 4)

    def resize(d):
        x.resize_(7, 8, 9, 10, 11, 12, 1)
        return 0

    assert module.each(x=x, f=called_back(resize), y=y) == 2003004
    assert x.shape == (7, 8, 9, 10, 11, 12, 1)


def test_sizes_of_one_array_and_their_number_of_another(ops):
    for spacing in (torch.ones(3), torch.ones(64), torch.ones(1)):
        with pytest.raises(ValueError, match=names("shape", f"({len(spacing)},)", "2 elements")):
            ops.spaced(spacing, torch.ones(4, 5))
    assert ops.spaced(torch.ones(2), torch.ones(4, 5)).shape == (4, 5)


def test_a_complex_tensor_with_the_negative_bit(module):
    negative = torch.full((4,), 1 + 2j, dtype=torch.complex64).conj().imag
    tensor = torch.view_as_complex(negative.as_strided((2, 2), (2, 1), 0))
    assert tensor.is_neg() and not tensor.is_conj()
    sum = torch.zeros((), dtype=torch.float64)
    with pytest.raises(ValueError, match=names("x", "negative bit", "resolve_neg")):
        module.total_complex(tensor, 2, sum)
    module.total_complex(tensor.resolve_neg(), 2, sum)
    assert sum.item() == 2
