"""functions/_library.py: what every operator does with its arguments before and after the call of C."""

from functools import cache, partial, wraps
from threading import local

import torch
from torch import Tensor
from torch.compiler import is_compiling

from _ext import my_lib
from torchthaw.base.import_hook import after_import
from torchthaw.bridge import private_names

SUFFIXES = {torch.float32: "", torch.float64: "_f64", torch.bfloat16: "_bf16", torch.float16: "_f16"}
WIDE = torch.float32, torch.float64
HALVES = torch.bfloat16, torch.float16
REFUSALS = AttributeError, NotImplementedError, RuntimeError, TypeError, ValueError


class Operators:
    """``operators.lltm_forward`` is ``torch.ops.my_lib.lltm_forward.default``, found once.

    Going through torch.ops takes as long as a small kernel. The first operator that anything needs registers all of
    them in PyTorch, so none is found before. In eager mode it is what the operator calls in turn, without its frame.
    """

    def __init__(self, overload):
        self.overload = overload

    def __getattr__(self, name):
        operator = self.whole(name)
        setattr(self, name, operator._op if has_direct_call else operator)
        return getattr(self, name)

    def whole(self, name):
        return getattr(getattr(torch.ops.my_lib, name), self.overload)


# PyTorch 2.4 has no way to tell Dynamo what a direct call is.
has_direct_call = private_names.has("direct_call") and hasattr(torch.compiler, "substitute_in_graph")
operators, operators_out = Operators("default"), Operators("out")


@cache
def prepare_for_dynamo(name):
    """Finds an operator, since graphs are valid as long as nothing here changes, and says what graphs call."""
    for overload in operators, operators_out:
        direct = getattr(overload, name)
        if has_direct_call:
            torch.compiler.substitute_in_graph(direct, skip_signature_check=True)(in_graph(overload.whole(name)))


def in_graph(operator):
    return lambda *arguments: operator(*arguments)


def serve(name, check, widens=True, multiplies=False):
    """Decorates ``function(tensor, ...)``, which calls the operator ``name`` of torch.ops.my_lib; None is the operator.

    16-bit numbers for which C has no kernel are computed in float32, or by ``function`` itself unless ``widens``. What
    ``multiplies`` matrices on a GPU follows PyTorch's setting for TF32. The arguments of a call that fails are looked
    at in ``check(*arguments)``, for an error in words; others pay nothing.
    """
    dtypes = frozenset(dtype for dtype, suffix in SUFFIXES.items() if hasattr(my_lib, name + suffix))
    after_import("torch._dynamo", partial(prepare_for_dynamo, name))

    def decorate(function=None):
        def call(*arguments):  # one tuple for both calls, which takes less time than naming the first
            try:
                tensor = arguments[0]
                if tensor.dtype in WIDE or not widens or tensor.is_cpu and tensor.dtype in dtypes:
                    if multiplies and tensor.is_cuda:
                        follow_tf32()
                    return (function or getattr(operators, name))(*arguments)
                if tensor.dtype in SUFFIXES:
                    check(*arguments)
                    return in_float32(call, *arguments)
            except REFUSALS:
                check(*arguments)
                check_cuda(tensor)
                raise
            check(*arguments)

        return wraps(function)(call) if function else call

    return decorate


def in_float32(call, *arguments):
    """The results of ``call``, computed from 16-bit numbers as float32 and rounded to their dtype."""
    dtype = arguments[0].dtype
    results = call(*(x.float() if isinstance(x, Tensor) else x for x in arguments))
    if isinstance(results, tuple):
        return tuple(None if result is None else result.to(dtype) for result in results)
    return results.to(dtype)


def needed(backward, arguments, needs, *like):
    """The results of the operator called ``backward``: those not needed are neither computed nor allocated.

    ``like``: tensors with the shapes of the results.
    """
    if all(needs):
        return getattr(operators, backward)(*arguments)
    gradients = [torch.empty_like(x) if need else None for x, need in zip(like, needs)]
    getattr(operators_out, backward)(*arguments, *gradients)
    return tuple(gradients)


def empty_like(tensor):
    """Row-major memory; torch.empty takes twice as long for a shape that is a torch.Size."""
    return torch.empty_like(tensor, memory_format=torch.contiguous_format)


def check_tensors(**tensors):
    """TypeError unless all are dense tensors of one floating-point dtype and on one device; None may be one, too."""
    first = None
    for name, tensor in tensors.items():
        check_dense(name, tensor)
        check_dtype(name, tensor)
        first = tensor if first is None else first
        if tensor.dtype is not first.dtype:
            raise wrong_dtype(name, tensor, first.dtype) from None
        if tensor.device != first.device:
            raise TypeError(f"{name}: expected device {first.device}, got {tensor.device}") from None


def check_shape(argument, tensor, shape):
    """ValueError unless ``tensor`` has ``shape``."""
    if tensor.shape != shape:
        raise ValueError(f"{argument}: expected shape {tuple(shape)}, got {tuple(tensor.shape)}") from None


def sizes(argument, tensor, *words):
    """The sizes of ``tensor``, one for each word, such as ``"batch"``; ValueError if it has another number of them."""
    check_dense(argument, tensor)
    shape = tensor.shape
    if len(shape) != len(words):
        raise ValueError(f"{argument}: expected shape ({', '.join(words)}), got {tuple(shape)}") from None
    return shape


def check_dense(argument, tensor):
    """Raises TypeError unless ``tensor`` is one of which each element is stored."""
    if not isinstance(tensor, Tensor):
        raise TypeError(f"{argument}: expected a torch.Tensor, got {type(tensor).__name__}") from None
    if tensor.is_nested or tensor.layout is not torch.strided:
        kind = "a nested one" if tensor.is_nested else f"one with layout {tensor.layout}"
        raise TypeError(f"{argument}: expected a dense tensor, got {kind}") from None


def check_dtype(argument, tensor):
    """Raises TypeError unless the operators compute in the dtype of ``tensor``."""
    if tensor.dtype not in SUFFIXES:
        expected = "torch.float32, torch.float64, torch.bfloat16 or torch.float16"
        raise wrong_dtype(argument, tensor, expected) from None


def wrong_dtype(argument, tensor, expected):
    """The TypeError for a tensor of another dtype than the expected ones; the first of them is what to convert it to."""
    first = str(expected).partition(",")[0]
    return TypeError(f"{argument}: expected dtype {expected}, got {tensor.dtype}; pass tensor.to({first})")


def check_pair(input1, input2):
    """Raises TypeError or ValueError unless both are tensors of one shape and dtype."""
    check_tensors(input1=input1, input2=input2)
    check_shape("input2", input2, input1.shape)


def check_gradient(grad_output):
    check_tensors(grad_output=grad_output)


def my_lib_cuda():
    """The functions of my_lib_cuda.h, which are the operators' kernels on GPUs; None where they were not built."""
    try:
        from _ext import my_lib_cuda as library
    except ImportError:
        return None
    return library


def check_cuda(tensor):
    """Raises RuntimeError for a tensor on a GPU for which there are no kernels."""
    if tensor.is_cuda and my_lib_cuda() is None:
        raise RuntimeError("CUDA: expected _ext.my_lib_cuda, which is built where nvcc is found, got none") from None


if torch.backends.cuda.is_built():
    my_lib_cuda()  # its import registers them


def follow_tf32():
    """Allows products on a GPU, in this thread, what ``torch.backends.cuda.matmul.allow_tf32`` allows."""
    if is_compiling():
        return
    allowed = torch.backends.cuda.matmul.allow_tf32
    if allowed is not per_thread.tf32:
        my_lib_cuda().my_lib_cuda_allow_tf32(int(allowed))
        per_thread.tf32 = allowed


class PerThread(local):
    """The TF32 setting that this thread last passed to the GPU's library."""

    tf32 = False


per_thread = PerThread()
