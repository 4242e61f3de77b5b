"""functions/_library.py: from tensors to C: the kernels of a device and dtype, checked arrays, errors."""

import inspect
from functools import lru_cache, wraps
from threading import local

import torch
from torch import Tensor
from _ext import my_lib

SUFFIXES = {torch.float32: "", torch.float64: "_f64", torch.bfloat16: "_bf16", torch.float16: "_f16"}
WORKSPACE_DTYPE = torch.uint8
REFUSALS = AttributeError, KeyError, RuntimeError, TypeError, ValueError


class Kernels(dict):
    """The C functions called ``names`` by dtype, those of libmy_lib or of ``library``; None for a dtype without.

    For 16-bit numbers without a kernel, a function that is served gets float32, or None as kernels unless ``widens``.
    """

    def __init__(self, *names, library=my_lib, suffix="", widens=True):
        self.names, self.widens, self.on_cuda = names, widens, None
        for dtype, middle in SUFFIXES.items():
            found = tuple(getattr(library, name + middle + suffix, None) for name in names)
            self[dtype] = None if None in found else found

    def serve(self, function):
        """Decorates ``function(kernels, tensor, ...)``: a call leaves out ``kernels``, which are those for ``tensor``.

        A call that fails is looked at once more, so that others pay nothing for it: the negative bit of a tensor is
        resolved, and what C cannot read is named; an argument declared as ``Tensor`` must be one. On the device "meta"
        the results have shapes, and no values.
        """
        parameters = list(inspect.signature(function).parameters.values())[1:]

        @wraps(function)
        def call(tensor, *others):
            try:
                kernels = self[tensor.dtype] if tensor.is_cpu else self.elsewhere(tensor)
                if kernels is not None or not self.widens:
                    return function(kernels, tensor, *others)
            except REFUSALS:
                arguments = resolved(parameters, (tensor, *others))
                if arguments is None:
                    raise
            else:
                return in_float32(call, parameters, (tensor, *others))
            return call(*arguments)

        return call

    def elsewhere(self, tensor):
        """The functions for ``tensor``, which is not in the CPU's memory."""
        if tensor.is_meta:
            return tuple(computes_nothing for _ in self.names)
        if not tensor.is_cuda:
            raise TypeError(f"expected a tensor on the device cpu, cuda or meta, got {tensor.device}")
        if self.on_cuda is None:
            self.on_cuda = Kernels(*self.names, library=my_lib_cuda(), suffix="_cuda", widens=self.widens)
        return self.on_cuda[tensor.dtype]


def computes_nothing(*arguments):
    """Stands for each C function on the device "meta". It returns 1: success, or the bytes of a workspace."""
    shapes = {tuple(argument) for argument in arguments if isinstance(argument, torch.Size)}
    if len(shapes) > 1:
        raise ValueError(f"expected tensors of one shape, got {' and '.join(map(str, sorted(shapes)))}")
    for argument in arguments:
        if isinstance(argument, Tensor) and not argument.is_meta and argument.dtype is not WORKSPACE_DTYPE:
            raise TypeError(f"expected all tensors on the device meta, got one on {argument.device}")
    return 1


def in_float32(call, parameters, arguments):
    """The results of ``call``, computed from 16-bit numbers as float32 and rounded to their dtype."""
    dtype = arguments[0].dtype
    for parameter, argument in zip(parameters, arguments):
        if isinstance(argument, Tensor) and argument.dtype is not dtype:
            raise TypeError(f"{parameter.name}: expected dtype {dtype}, got {argument.dtype}")
    results = call(*(x.float() if isinstance(x, Tensor) else x for x in arguments))
    if isinstance(results, tuple):
        return tuple(None if result is None else result.to(dtype) for result in results)
    return results.to(dtype)


def resolved(parameters, arguments):
    """``arguments`` without negative bits; None if there were none. TypeError for what C can never read."""
    found = False
    for parameter, tensor in zip(parameters, arguments):
        if parameter.annotation is Tensor or isinstance(tensor, Tensor):
            check_dense(parameter.name, tensor)
            check_dtype(parameter.name, tensor)
            if tensor.device != arguments[0].device:
                raise TypeError(f"{parameter.name}: expected device {arguments[0].device}, got {tensor.device}") from None
            found = found or tensor.is_neg()
    return [x.resolve_neg() if isinstance(x, Tensor) else x for x in arguments] if found else None


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


def arrays(**expected):
    """For ``name=(tensor, shape)``: the tensors, contiguous, None where the tensor is None; errors as by ``array``.

    What backward reads must fit together: ``x.data = ...`` or saved_tensors_hooks may have changed a saved tensor.
    """
    return [None if tensor is None else array(name, tensor, shape) for name, (tensor, shape) in expected.items()]


def check_tensor(argument, tensor):
    """Raises TypeError unless ``tensor`` is one."""
    if not isinstance(tensor, Tensor):
        raise TypeError(f"{argument}: expected a torch.Tensor, got {type(tensor).__name__}")


def check_dense(argument, tensor):
    """Raises TypeError unless ``tensor`` is one of which each element is stored."""
    check_tensor(argument, tensor)
    if tensor.is_nested or tensor.layout is not torch.strided:
        kind = "a nested one" if tensor.is_nested else f"one with layout {tensor.layout}"
        raise TypeError(f"{argument}: expected a dense tensor, got {kind}") from None


def check_dtype(argument, tensor):
    """Raises TypeError unless the operators compute in the dtype of ``tensor``."""
    if tensor.dtype not in SUFFIXES:
        expected = "torch.float32, torch.float64, torch.bfloat16 or torch.float16"
        raise TypeError(f"{argument}: expected dtype {expected}, got {tensor.dtype}") from None


def check_pair(input1, input2):
    """Raises TypeError or ValueError unless both are tensors of one shape and dtype."""
    check_tensor("input1", input1)
    check_tensor("input2", input2)
    if input1.shape != input2.shape:
        raise ValueError(f"input2: expected shape {tuple(input1.shape)}, got {tuple(input2.shape)}")
    if input1.dtype is not input2.dtype:
        raise TypeError(f"input2: expected dtype {input1.dtype}, got {input2.dtype}")


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
        return torch.empty(nbytes, dtype=WORKSPACE_DTYPE, device=input.device)
    return per_thread.workspace if nbytes <= WORKSPACE_BYTES else torch.empty(nbytes, dtype=WORKSPACE_DTYPE, device="cpu")


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
        self.workspace = torch.empty(WORKSPACE_BYTES, dtype=WORKSPACE_DTYPE, device="cpu")
        if type(self.workspace) is not Tensor:
            raise TypeError(f"workspace: expected memory, got {type(self.workspace).__name__}")
        torch.get_num_threads()  # PyTorch passes its setting to a new thread's OpenMP only in this call


per_thread = PerThread()


def raise_last_error():
    """Raises the failure that libmy_lib recorded last in this thread."""
    raise ValueError(my_lib.my_lib_last_error_message())
