"""torchthaw/bridge/arrays.py: arrays that are no tensors: memory of those without a buffer, and why one was refused."""

import sys

from ..base import config
from . import _bridge

# The dtypes that an element in C can have, by DLPack's code and the bits.
WIDTHS = {
    "float": (32, 64, 16), "int": (64, 32, 16, 8), "uint": (8, 16, 32, 64), "bfloat": (16,), "complex": (64, 128),
}  # fmt: skip
DTYPES = {
    (getattr(_bridge, f"DLPACK_{word.upper()}"), bits): f"{word}{bits}" for word in WIDTHS for bits in WIDTHS[word]
}
DTYPES[_bridge.DLPACK_BOOL, 8] = "bool"

# Read here, where nobody takes its ValueError for one of NumPy's.
USES_FIELDS = not config.switch("TORCHTHAW_NO_NUMPY_FIELDS")

# DLPack's devices in words; others by their number. C reads the memory of the first two.
CPU, CUDA_HOST = 1, 3
DEVICES = {CPU: "the CPU", 2: "cuda", CUDA_HOST: "the CPU", 8: "metal", 10: "rocm", 14: "oneapi"}
# What an array gives where its own dtype has no format of a buffer, by the bytes of an element.
BITS = {1: "uint8", 2: "uint16", 4: "uint32", 8: "uint64"}


def export(array):
    """(capsule of DLPack, 0), or (array of the same memory that has a buffer, DLPack's code of the elements, -1 for
    what no C type is); None for an object that has neither, or whose buffer is what was refused.
    """
    if _is_tensor(array) or _view(array) is not None:
        return None
    try:
        return _capsule(array)
    except BufferError:
        if not _is_numpy(array) or array.dtype.itemsize not in BITS or array.dtype.hasobject:
            raise
    code = _bridge.DLPACK_BFLOAT if array.dtype.name == "bfloat16" else -1
    return array.view(BITS[array.dtype.itemsize]), code


def _capsule(array):
    if not hasattr(type(array), "__dlpack__"):
        return None
    try:
        capsule = array.__dlpack__(max_version=(1, 0))
    except TypeError:  # of a producer from before version 1.0
        capsule = array.__dlpack__()
    return capsule, 0


def wrong(array, dtype, written, cause):
    """(exception type, what came) for an array that was refused; ``cause``: what it raised. None for no array."""
    view = _view(array)
    if is_number(array) or (view is None and not hasattr(type(array), "__dlpack__")):
        return None
    if is_masked(array):
        return TypeError, f"a {type(array).__name__}, whose mask C does not see; pass array.filled() or array.data"
    if view is None:
        kind, number = array.__dlpack_device__()
        if kind not in (CPU, CUDA_HOST):
            return TypeError, f"one on {DEVICES.get(kind, f'device type {int(kind)}')}:{number}"
    name = str(array.dtype) if hasattr(array, "dtype") else _name(view)
    if dtype is not None and name != dtype:
        to = f"array.astype({dtype!r})"
        advice = f"; pass copy = {to}, then array[...] = copy" if written else f"; pass {to}"
        return TypeError, f"one of {name}{advice if hasattr(array, 'astype') else ''}"
    if view is None:
        return ValueError, f"one whose memory it does not give{f' ({cause})' if cause else ', or only to read'}"
    if written and view.readonly:
        return ValueError, "a read-only array"
    copy = "copy = array.copy(), then array[...] = copy" if written else "array.copy()"
    advice = f"; pass {copy}" if _is_numpy(array) else ""
    if not view.c_contiguous:
        return ValueError, f"one of shape {view.shape} with strides of {view.strides} bytes{advice}"
    if dtype is not None:
        return ValueError, f"one whose elements are not aligned as C's are{advice}"
    return TypeError, f"elements of the format {view.format!r}"


def numpy_fields():
    """(the type of arrays, a sample of it of shape (2, 3), its address, its dtype, its flags, rows (dtype, DLPack's code,
    bits)); False where they are not to be used, None while NumPy is being imported.
    """
    numpy = sys.modules["numpy"]
    if not USES_FIELDS:
        return False
    try:
        sample = numpy.zeros((2, 3), numpy.float32)
        rows = tuple((numpy.dtype(name), code, bits) for (code, bits), name in DTYPES.items() if name != "bfloat16")
        return numpy.ndarray, sample, sample.ctypes.data, sample.dtype, sample.flags.num, rows
    except (AttributeError, ImportError):  # another thread imports it, or this one is in its import
        return None


def is_number(thing):
    """Whether it is a number of NumPy's, which is no array though it has memory."""
    numpy = sys.modules.get("numpy")
    return numpy is not None and isinstance(thing, numpy.generic)


def is_real(thing):
    """Whether ``float(thing)``, if it has one, is its value: not of a text, a time or a complex number of NumPy's."""
    if isinstance(thing, (float, int)):
        return True
    numpy = sys.modules.get("numpy")
    if numpy is None or not isinstance(thing, (numpy.ndarray, numpy.generic)):
        return not isinstance(thing, complex)
    return thing.dtype.kind not in "SUTMmcO" and not is_masked(thing)


def is_masked(thing):
    """Whether it is an array of NumPy's some elements of which may count as missing: C would see what lies there."""
    return _is_numpy(thing) and hasattr(type(thing), "mask")


def _view(array):
    """A memoryview of an object that has a buffer, else None."""
    try:
        return memoryview(array)
    except MemoryError:
        raise
    except Exception:  # of its author, too
        return None


# The dtypes of formats of the module struct, without the bits.
WORDS = {
    **dict.fromkeys("cbhilqn", "int"), **dict.fromkeys("BHILQN", "uint"), **dict.fromkeys("efd", "float"),
    "Zf": "complex", "Zd": "complex",
}  # fmt: skip


def _name(view):
    """The dtype of elements in words."""
    code = view.format.lstrip("@=<")
    if code in WORDS:
        return f"{WORDS[code]}{8 * view.itemsize}"
    return "bool" if code == "?" else f"the format {view.format!r}"


def _is_numpy(array):
    numpy = sys.modules.get("numpy")
    return numpy is not None and isinstance(array, numpy.ndarray)


def _is_tensor(array):
    torch = sys.modules.get("torch")
    return hasattr(torch, "Tensor") and isinstance(array, torch.Tensor)
