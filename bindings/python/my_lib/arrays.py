# my_lib/arrays.py: from NumPy arrays to addresses, with the checks that C cannot make. Nothing is copied.
import ctypes
from functools import lru_cache

import numpy

from .declarations import MY_LIB_ERROR_SHAPE_MISMATCH
from .library import MyLibError


class _ArrayInterface(ctypes.Structure):
    """NumPy's PyArrayInterface, to which the capsule ``__array_struct__`` points."""

    _fields_ = [
        ("two", ctypes.c_int),
        ("nd", ctypes.c_int),
        ("typekind", ctypes.c_char),
        ("itemsize", ctypes.c_int),
        ("flags", ctypes.c_int),
        ("shape", ctypes.c_void_p),
        ("strides", ctypes.c_void_p),
        ("data", ctypes.c_void_p),
    ]


# One sixth of the time of array.ctypes.data and of array.__array_interface__.
_get_pointer = ctypes.PyDLL(None).PyCapsule_GetPointer
_get_pointer.argtypes = [ctypes.py_object, ctypes.c_char_p]
_get_pointer.restype = ctypes.c_void_p
_data_at, _DATA = ctypes.c_void_p.from_address, _ArrayInterface.data.offset


def address_of(array):
    """The address of the first element."""
    capsule = array.__array_struct__  # what it points to lives as long as it does
    return _data_at(_get_pointer(capsule, None) + _DATA).value


def variant(table, name, array):
    """(dtype, what ``table`` has for it) of the array whose type all others of the call must have."""
    if isinstance(array, numpy.ndarray):
        found = table.get(array.dtype)
        if found is not None:
            return array.dtype, found
    expected = " or ".join(map(str, table))
    raise TypeError(f"{name}: expected a NumPy array of {expected}, got {_words(array)}")


def sizes(name, array, *dimensions):
    """The shape of an array that must have these dimensions."""
    if not isinstance(array, numpy.ndarray):
        raise TypeError(f"{name}: expected a NumPy array, got {_words(array)}")
    if array.ndim != len(dimensions):
        raise _mismatch(name, f"({', '.join(dimensions)})", array)
    return array.shape


def read(name, array, shape, dtype):
    """The address of an input."""
    if isinstance(array, numpy.ndarray) and array.dtype == dtype and array.flags.c_contiguous and array.shape == shape:
        capsule = array.__array_struct__
        return _data_at(_get_pointer(capsule, None) + _DATA).value  # address_of(array), for less
    raise _wrong(name, array, shape, dtype)


def read_if_given(name, array, shape, dtype):
    """The address of an input, or None."""
    return None if array is None else read(name, array, shape, dtype)


def written(name, array, shape, dtype):
    """(array, address) of an output, which is made where None is given."""
    if array is None:
        array = numpy.empty(shape, dtype)
    elif not (
        isinstance(array, numpy.ndarray)
        and array.dtype == dtype
        and array.flags.c_contiguous
        and array.flags.writeable
        and array.shape == shape
    ):
        raise _wrong(name, array, shape, dtype, is_written=True)
    return array, address_of(array)


def written_if_wanted(name, array, shape, dtype):
    """(array, address) of an output; (None, None) where False is given."""
    return (None, None) if array is False else written(name, array, shape, dtype)


@lru_cache(maxsize=256)
def c_shape(shape):
    """(address, array) of a shape as C has it; the address is good as long as the array."""
    array = (ctypes.c_int64 * len(shape))(*shape)
    return ctypes.addressof(array), array


def _wrong(name, array, shape, dtype, is_written=False):
    """The error of an array that does not fit."""
    if not isinstance(array, numpy.ndarray) or array.dtype != dtype:
        return TypeError(f"{name}: expected a NumPy array of {dtype}, got {_words(array)}")
    if array.shape != shape:
        return _mismatch(name, shape, array)
    if not array.flags.c_contiguous:
        return ValueError(f"{name}: expected a C-contiguous array, got strides {array.strides}")
    assert is_written
    return ValueError(f"{name}: expected an array that can be written to, got a read-only one")


def _mismatch(name, shape, array):
    return MyLibError(MY_LIB_ERROR_SHAPE_MISMATCH, f"{name}: expected shape {shape}, got {array.shape}")


def _words(array):
    """What was given instead of an array of the right type."""
    return f"one of {array.dtype}" if isinstance(array, numpy.ndarray) else type(array).__name__
