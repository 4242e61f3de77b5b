"""tests/bridge/test_bridge_dlpack.py: arrays without a buffer reach C by DLPack, or by a view of their bits."""

import ctypes
import sys

import ml_dtypes
import numpy as np
import pytest
import torch

from support import bridge_probe, checks_probe
from support.messages import names

probe, checks = bridge_probe.probe(), checks_probe.probe()


class Producer:
    """An array that has no buffer."""

    def __init__(self, array):
        self.array, self.dtype = array, str(array.dtype).removeprefix("torch.")

    def __dlpack__(self, **keywords):
        return self.array.__dlpack__(**keywords)

    def __dlpack_device__(self):
        return self.array.__dlpack_device__()


class Older(Producer):
    """One of DLPack before version 1.0."""

    def __dlpack__(self, stream=None):
        return self.array.__dlpack__()


class Elsewhere(Producer):
    def __dlpack_device__(self):
        return 2, 1

    def __dlpack__(self, **keywords):
        raise BufferError("no memory for you")


def ones(*sizes, writeable=True):
    x = np.ones(sizes, np.float32)
    x.flags.writeable = writeable
    return x


def address(x):
    return x.__array_interface__["data"][0]


@pytest.mark.parametrize("kind", [Producer, Older])
def test_c_reads_the_memory(kind):
    x = ones(2, 3)
    assert probe.read_float(kind(x)) == probe.read_void(kind(x)) == address(x)
    tensor = torch.ones(3, dtype=torch.bfloat16)
    assert checks.bfloat16_bits(kind(tensor), 3) == 0x3F80
    for function in (probe.read_double, probe.read_int32):
        with pytest.raises(TypeError, match=names("array", "contiguous", "float32")):
            function(kind(x))


def test_c_writes_where_the_producer_says_so():
    x, y = ones(2, 3), ones(2, 3)
    assert checks.scale(Producer(x), (2, 3), 2, 2.0, Producer(y)) == 1 and (y == 2).all()
    for output in (Older(y), Producer(ones(2, 3, writeable=False))):
        with pytest.raises(ValueError, match=names("output", "array", "only to read")):
            checks.scale(x, (2, 3), 2, 3.0, output)
    assert (y == 2).all()


def test_shapes_and_overlap():
    x = ones(6)
    with pytest.raises(ValueError, match=names("input", "(3, 2)", "(2, 3)")):
        checks.scale(Producer(x.reshape(2, 3)), (3, 2), 2, 2.0, ones(3, 2))
    with pytest.raises(ValueError, match=names("output", "overlaps", "input")):
        checks.scale(Producer(x[:5]), (5,), 1, 2.0, Producer(x[1:]))
    number = np.zeros((), np.float32)
    assert checks.scale(Producer(ones()), (), 0, 2.0, Producer(number)) == 1 and number == 2


def test_a_later_dlpack_is_refused():
    """A second major version may have other fields."""

    class Later(Producer):
        def __dlpack__(self, **keywords):
            capsule = super().__dlpack__(**keywords)
            address = pointer_of(capsule, b"dltensor_versioned")
            ctypes.c_uint32.from_address(address).value += self.by
            return capsule

    pointer_of = ctypes.PYFUNCTYPE(ctypes.c_void_p, ctypes.py_object, ctypes.c_char_p)(
        ("PyCapsule_GetPointer", ctypes.pythonapi)
    )
    x = Later(ones(3))
    x.by = 0
    assert probe.read_float(x) == address(x.array)
    x.by = 1
    with pytest.raises(ValueError, match=names("array", "contiguous", "float32", "memory")):
        probe.read_float(x)


def test_what_is_refused():
    for x, parts in (
        (Producer(ones(8)[::2]), ("float32",)), (Elsewhere(ones(2)), ("cuda:1",)), (Producer(ones(2)[:0].view("i2")), ("int16",)),
    ):  # fmt: skip
        with pytest.raises((TypeError, ValueError), match=names("array", "contiguous", "float32", *parts)):
            probe.read_float(x)


def test_no_capsule_is_kept():
    x = ones(3)
    before = sys.getrefcount(x)
    for _ in range(10):
        checks.scale(Producer(x), (3,), 1, 1.0, Producer(x))
        with pytest.raises(ValueError):
            checks.scale(Older(x), (3,), 1, 1.0, Older(x))
    assert sys.getrefcount(x) == before


def test_a_serious_error_of_the_producer_is_raised():
    class Stopped(Producer):
        def __dlpack__(self, **keywords):
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        probe.read_float(Stopped(ones(2)))


def test_bfloat16_of_numpy():
    """Its arrays of ml_dtypes have no buffer and no DLPack."""
    x = np.array([1, 2, 3], ml_dtypes.bfloat16)
    assert checks.bfloat16_bits(x, 3) == 0x3F80
    assert probe.read_void(x) == probe.write_void(x) == address(x)
    with pytest.raises(ValueError, match=names("input", "(2,)", "(3,)")):
        checks.bfloat16_bits(x, 2)
    for function in (probe.read_float, probe.read_uint16):
        with pytest.raises(TypeError, match=names("array", "contiguous", "bfloat16")):
            function(x)
    x.flags.writeable = False
    assert probe.read_void(x) == address(x)
    with pytest.raises(ValueError, match=names("array", "contiguous")):
        probe.write_void(x)
    with pytest.raises(TypeError, match=names("input", "bfloat16", "float8_e5m2")):
        checks.bfloat16_bits(np.zeros(3, ml_dtypes.float8_e5m2), 3)
