"""tests/support/cuda_recorder/dlpack.py: DLPack's exchange table of PyTorch, which says of tensors that they are on a
GPU."""

import ctypes

CUDA = 2


class Tensor(ctypes.Structure):
    _fields_ = [
        ("data", ctypes.c_void_p), ("device_type", ctypes.c_int32), ("device", ctypes.c_int32),
        ("dimensions", ctypes.c_int32), ("code", ctypes.c_uint8), ("bits", ctypes.c_uint8), ("lanes", ctypes.c_uint16),
        ("shape", ctypes.c_void_p), ("strides", ctypes.c_void_p), ("offset", ctypes.c_uint64),
    ]  # fmt: skip


Read = ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.py_object, ctypes.POINTER(Tensor))


class Table(ctypes.Structure):
    _fields_ = [
        ("major", ctypes.c_uint32), ("minor", ctypes.c_uint32), ("previous", ctypes.c_void_p),
        ("others", ctypes.c_void_p * 3), ("read", Read), ("stream", ctypes.c_void_p),
    ]  # fmt: skip


api = ctypes.pythonapi
api.PyCapsule_GetPointer.restype = ctypes.c_void_p
api.PyCapsule_GetPointer.argtypes = [ctypes.py_object, ctypes.c_char_p]
api.PyCapsule_New.restype = ctypes.py_object
api.PyCapsule_New.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
NAME = b"dlpack_exchange_api"
kept = []  # for good: the bridge has their addresses


def table(capsule, device_of):
    """A capsule like ``capsule``; ``device_of(tensor)`` is a GPU's number, or -1 for one on the CPU."""
    real = Table.from_address(api.PyCapsule_GetPointer(capsule, NAME))

    @Read
    def read(tensor, found):
        try:
            failed = real.read(tensor, found)
        except Exception:  # the bridge finds out the reason for itself
            return -1
        device = -1 if failed else device_of(tensor)
        if device >= 0:
            found.contents.device_type, found.contents.device = CUDA, device
        return failed

    mine = Table(real.major, real.minor, None, real.others, read, real.stream)
    kept.extend([mine, read])
    return api.PyCapsule_New(ctypes.addressof(mine), NAME, None)
