"""tests/graph/test_fake_arguments.py: fake and meta tensors in calls: what does not fit is an error as with memory."""

import pytest
import torch
from torch._subclasses.fake_tensor import FakeTensorMode

import torchthaw
from support.messages import names


@pytest.fixture(scope="module")
def c():
    return torchthaw.load_inline("fake_arguments", c_sources="""
#include <stdint.h>
#include <torchthaw/annotate.h>
void copy(const float *x THAW_SHAPE(n), int n, float *y THAW_SHAPE(n)) { for (int i = 0; i < n; ++i) y[i] = x[i]; }
void scale(const float *x THAW_SHAPE(n), double by, unsigned char times, int64_t n, float *y THAW_SHAPE(n)) {
    for (int64_t i = 0; i < n; ++i) y[i] = (float)by * times * x[i];
}
void plain(float *x, int n) { (void)x, (void)n; }
int64_t total(const float *x, int n) { (void)x; return n; }
""", functions=["copy", "scale", "plain", "total"])  # fmt: skip


def fake(*shape, mode=None):
    with mode or FakeTensorMode():
        return torch.empty(shape)


def test_fake_tensors_of_one_mode(c):
    mode = FakeTensorMode()
    x, y = fake(3, mode=mode), fake(3, mode=mode)
    assert c.copy(x, 3, y) is None and c.scale(x, 2.0, 3, 3, y) is None and c.plain(y, 3) is None
    assert c.copy(x=x).shape == (3,)


def test_a_fake_tensor_beside_another(c):
    x, y = fake(3), torch.ones(3)
    for given, name in (((x, 3, y), "y"), ((y, 3, x), "x"), ((x, 3, fake(3)), "y")):
        with pytest.raises(TypeError, match=names(name, "fake tensor")):
            c.copy(*given)
    with pytest.raises(TypeError, match=names("y", "tensor", "ndarray")):
        c.copy(x, 3, y.numpy())
    with FakeTensorMode(allow_non_fake_inputs=True) as mode:
        assert c.copy(fake(3, mode=mode), 3, y) is None


def test_a_fake_tensor_for_a_number(c):
    mode = FakeTensorMode()
    x, y, number = fake(3, mode=mode), fake(3, mode=mode), fake(mode=mode)
    for given, name in (
        ((x, number, 3, 3, y), "by"), ((x, 2.0, number.int(), 3, y), "times"), ((x, 2.0, 3, number.long(), y), "n"),
    ):  # fmt: skip
        with pytest.raises(TypeError, match=names(name, "number", "tensor.item")):
            c.scale(*given)


def test_a_fake_tensor_of_too_few_dimensions(c):
    mode = FakeTensorMode()
    with pytest.raises(ValueError, match=names("x", "n", "0")):
        c.copy(fake(mode=mode), 3, fake(3, mode=mode))
    with pytest.raises(ValueError, match=names("n", "3", "4")):
        c.copy(fake(3, mode=mode), 4, fake(3, mode=mode))


def test_what_no_operator_can_be(c):
    with pytest.raises(TypeError, match=names("total", "int64_t")):
        c.total(fake(3), 3)


@pytest.mark.parametrize("device", ["meta", "fake"])
def test_an_integer_that_c_s_type_does_not_hold(c, device):
    def big(count):
        return torch.empty(count, device="meta") if device == "meta" else fake(count, mode=mode)

    mode, ops = FakeTensorMode(), torch.ops.fake_arguments
    assert ops.copy(big(2**31 - 1)).shape == (2**31 - 1,)
    calls = (
        lambda: ops.copy(big(2**31)), lambda: ops.copy.out(big(2**31), big(2**31)), lambda: ops.plain(big(3), 2**31),
    )  # fmt: skip
    for call in calls:
        with pytest.raises(OverflowError, match=names("n", "int32_t", 2**31)):
            call()
    for times in -1, 256:
        for x in big(3), torch.ones(3):
            with pytest.raises(OverflowError, match=names("times", "uint8_t", times)):
                ops.scale(x, 2.0, times)
