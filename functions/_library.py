"""functions/_library.py: from tensors to C: the kernels of a device and dtype, checked arrays, errors."""

from functools import lru_cache
from threading import local

import torch
from torch import Tensor
from _ext import my_lib


class Kernels(dict):
    """The C functions called ``names`` by dtype, those of libmy_lib or of ``library``.

    A dtype that they do not compute in raises TypeError for the argument called ``argument``.
    """

    def __init__(self, argument, *names, library=my_lib, suffix=""):
        self.argument, self.names, self.on_cuda = argument, names, None
        for dtype, middle in (torch.float32, ""), (torch.float64, "_f64"):
            self[dtype] = tuple(getattr(library, name + middle + suffix) for name in names)

    def of(self, tensor):
        """The functions for ``tensor``, where it is and in its dtype: ``forward, backward = KERNELS.of(input)``."""
        if not tensor.is_cuda:
            return self[tensor.dtype]
        if self.on_cuda is None:
            self.on_cuda = Kernels(self.argument, *self.names, library=my_lib_cuda(), suffix="_cuda")
        return self.on_cuda[tensor.dtype]

    def __missing__(self, dtype):
        raise TypeError(f"{self.argument}: expected dtype torch.float32 or torch.float64, got {dtype}")


def my_lib_cuda():
    """The functions of my_lib_cuda.h; RuntimeError where they were not built."""
    try:
        from _ext import my_lib_cuda as library
    except ImportError as error:
        raise RuntimeError("CUDA: expected _ext.my_lib_cuda, which is built where nvcc is found, got none") from error
    return library


def sizes(argument, tensor, *words):
    """The sizes of ``tensor``, one for each word, such as ``"batch"``; ValueError if it has another number of them."""
    check_tensor(argument, tensor)
    shape = tensor.shape
    if len(shape) != len(words):
        raise ValueError(f"{argument}: expected shape ({', '.join(words)}), got {tuple(shape)}")
    return shape


def array(argument, tensor, shape):
    """``tensor``, contiguous: itself if it is so already. TypeError or ValueError unless it has ``shape``."""
    if isinstance(tensor, Tensor) and tensor.shape == shape:
        return tensor.contiguous()
    check_tensor(argument, tensor)
    raise ValueError(f"{argument}: expected shape {tuple(shape)}, got {tuple(tensor.shape)}")


def check_tensor(argument, tensor):
    """Raises TypeError unless ``tensor`` is one."""
    if not isinstance(tensor, Tensor):
        raise TypeError(f"{argument}: expected a torch.Tensor, got {type(tensor).__name__}")


@lru_cache(maxsize=1024)
def workspace_size(function, *sizes):
    """What the C function ``<operator>_workspace_size`` says for these sizes, in bytes."""
    nbytes = function(*sizes)
    if nbytes == SIZE_MAX:
        raise_last_error()
    return nbytes


SIZE_MAX = 2**64 - 1


def scratch(nbytes, input):
    """Uninitialised memory of at least ``nbytes`` for a kernel's ``workspace``, to be used by the next call only.

    It is where ``input`` is. On a GPU it is for products, which follow PyTorch's switch for TensorFloat-32.
    """
    if input.is_cuda:
        follow_tf32()
        return torch.empty(nbytes, dtype=torch.uint8, device=input.device)
    return per_thread.workspace if nbytes <= WORKSPACE_BYTES else torch.empty(nbytes, dtype=torch.uint8, device="cpu")


WORKSPACE_BYTES = 1 << 20  # with a larger one, the kernel takes far longer than an allocation


def follow_tf32():
    """Allows products of this thread what ``torch.backends.cuda.matmul.allow_tf32`` allows."""
    allowed = torch.backends.cuda.matmul.allow_tf32
    if allowed is not per_thread.tf32:
        my_lib_cuda().my_lib_cuda_allow_tf32(int(allowed))
        per_thread.tf32 = allowed


class PerThread(local):
    """One small workspace for each thread: allocating it anew would take 1 of the 15 microseconds of a small LLTM.

    And the TF32 setting that this thread last passed to the GPU's library.
    """

    tf32 = False

    def __init__(self):
        self.workspace = torch.empty(WORKSPACE_BYTES, dtype=torch.uint8, device="cpu")
        if type(self.workspace) is not Tensor:
            raise TypeError(f"workspace: expected memory, got {type(self.workspace).__name__}")
        torch.get_num_threads()  # PyTorch passes its setting to a new thread's OpenMP only in this call


per_thread = PerThread()


def raise_last_error():
    """Raises the failure that libmy_lib recorded last in this thread."""
    raise ValueError(my_lib.my_lib_last_error_message())
