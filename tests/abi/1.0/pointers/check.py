"""check.py: what each function of pointers.h gave when this was written."""

import errno
import inspect

import pointers
import pytest
import torch

extension = pointers._extension
ffi = extension.ffi


def test_tensors():
    a, b, out = torch.arange(6.0), torch.ones(6), torch.empty(6)
    version = out._version
    assert pointers.add(a, b, out, 6) == 1
    assert out.tolist() == [1, 2, 3, 4, 5, 6] and out._version == version + 1 and a._version == 0
    assert pointers.add(input1=a, input2=b, count=6, output=out) == 1


def test_sizes_and_memory():
    values = torch.tensor([[1.0, 2.0], [3.0, 4.0]], dtype=torch.float64)
    assert pointers.product(values, values.shape, 2) == 24
    assert pointers.product(values, torch.tensor([2, 2]), 2) == 24
    assert pointers.product(values, [3], 1) == 6
    assert pointers.extent(torch.zeros(3, dtype=torch.int8), 3) == 3 and pointers.extent(None, 3) == -1


def test_what_cffi_converts():
    assert pointers.add(ffi.new("float[]", [1, 2]), [3, 4], out := ffi.new("float[2]"), 2) == 1
    assert list(out) == [4, 6]
    shape = ffi.new("shape_of *", {"rows": 7})
    assert pointers.rows_of(shape) == 7 and pointers.rows_of(None) == -1
    made = pointers.scaled(2, 0.5)
    assert (made.rows, made.scale) == (2, 0.5)
    assert pointers.sum_of(3, *(ffi.cast("int", i) for i in (1, 2, 3))) == 6


def test_text():
    assert pointers.describe(1) == "eins, zwei, drei" and pointers.describe(0) is None


def test_callbacks():
    @ffi.callback("double(double, void *)")
    def square(x, data):
        assert data == ffi.NULL
        return x * x

    assert pointers.integrate(square, None, 1000) == pytest.approx(1 / 3, abs=1e-6)


def test_numbers():
    assert pointers.invert(False) is True
    for bits in (8, 16, 32, 64):
        assert getattr(pointers, f"next_int{bits}")(-(2 ** (bits - 1))) == 1 - 2 ** (bits - 1)
        assert getattr(pointers, f"next_uint{bits}")(2**bits - 2) == 2**bits - 1
        with pytest.raises(OverflowError, match="^value: expected an integer that fits"):
            getattr(pointers, f"next_int{bits}")(2 ** (bits - 1))
    assert pointers.half_of_float(3) == 1.5 and pointers.half_of_double(3.0) == 1.5


def test_refusals():
    a = torch.ones(4)
    with pytest.raises(TypeError, match="^input2: .*float32.*, got torch.float64"):
        pointers.add(a, a.double(), a, 4)
    with pytest.raises(TypeError, match="4 arguments, got 2"):
        pointers.add(a, a)


def test_errors():
    pointers.fail_with(errno.EDOM)
    assert ffi.errno == errno.EDOM
    with pytest.raises(RuntimeError, match="^three$"):
        pointers.fail_in_region(2)
    with pytest.raises(RuntimeError, match="^three$"):
        pointers.fail_in_region(1)


def test_what_help_shows():
    assert str(inspect.signature(pointers.add)) == "(input1, input2, output, count)"
    assert "int add(const float *" in pointers.add.__doc__
    assert pointers.add.__name__ == "add" and pointers.add.__module__ == "pointers"
    assert {"add", "describe"} <= set(pointers.__all__)
