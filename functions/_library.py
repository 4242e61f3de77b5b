"""functions/_library.py: a formula for a function that my_lib.h gives, and what GPUs need."""

import os
from ctypes import CDLL
from functools import wraps
from threading import local

import torch
from torch import Tensor
from torch.compiler import is_compiling

from _ext.my_lib import functions
from torchthaw.base import config


def derived(formula):
    """Decorates an operator's formula: the function of its name that my_lib.h gives, with this formula and docstring."""
    function = getattr(functions, formula.__name__)
    function.__doc__, function.__wrapped__ = formula.__doc__, formula
    function.__module__, function.__qualname__ = formula.__module__, formula.__qualname__
    function.formula(formula)
    return function


def applying(function, of):
    """The Function of ``of``, a function that my_lib.h gives; its ``apply`` is ``function``, a way around it."""
    return type(function.__name__, (of.Function,), {"apply": staticmethod(function), "__doc__": of.Function.__doc__})


# -- GPUs


def my_lib_cuda():
    """The functions of my_lib_cuda.h, which are the operators' kernels on GPUs; None where they were not built."""
    try:
        if config.cuda_is_cpu():
            CDLL(os.fspath(config.library("my_lib_cuda")))  # the extension then gets this one
        from _ext import my_lib_cuda as library
    except (ImportError, FileNotFoundError):
        return None
    return library


def check_cuda(*_):
    """The kernel on GPUs where none was built."""
    raise RuntimeError("CUDA: expected _ext.my_lib_cuda, which is built where nvcc is found, got none")


if torch.backends.cuda.is_built() and my_lib_cuda() is None:  # its import registers them
    refusing = torch.library.Library("my_lib", "IMPL")
    for name in dir(functions):
        refusing.impl(getattr(functions, name).operator.name(), check_cuda, "CUDA")


HALVES = torch.bfloat16, torch.float16


def multiplies(function):
    """Decorates what multiplies matrices: on a GPU, it and its backward round to TF32 where PyTorch's setting allows it.

    So they do for 16 bits, since TF32 holds these numbers. The library is allowed to for the time of the call alone:
    code that torch.compile made always multiplies in float32.
    """
    return follows_tf32(function) if torch.backends.cuda.is_built() else function


def follows_tf32(function):
    @wraps(function)
    def call(input, *others, **named):
        if not getattr(input, "is_cuda", False) or is_compiling() or not (computes_in_16_bits(input) or allows_tf32()):
            return function(input, *others, **named)
        allow_tf32(True)
        try:
            results = function(input, *others, **named)
        finally:
            allow_tf32(False)
        node = (results if isinstance(results, Tensor) else results[0]).grad_fn
        if node is not None:  # both in the thread of backward
            node.register_prehook(lambda _: allow_tf32(True))
            node.register_hook(lambda *_: allow_tf32(False))
        return results

    return call


def computes_in_16_bits(input):
    """Whether an operator that autocast lowers does so, given this input on a GPU."""
    autocast = torch.is_autocast_enabled("cuda") and input.dtype is torch.float32
    return (torch.get_autocast_dtype("cuda") if autocast else input.dtype) in HALVES


def allow_tf32(allowed):
    """Allows it to the products of this thread on a GPU, or no longer."""
    library = my_lib_cuda() if allowed is not per_thread.tf32 else None
    if library:
        library.my_lib_cuda_allow_tf32(int(allowed))
        per_thread.tf32 = allowed


def allows_tf32():
    """PyTorch's setting for products. From 2.9 on it may be given as a precision, and ``allow_tf32`` raises then."""
    matmul = torch.backends.cuda.matmul
    precision = getattr(matmul, "fp32_precision", None)
    return matmul.allow_tf32 if precision is None else precision == "tf32"


class PerThread(local):
    """What this thread last asked the GPU's library for."""

    tf32 = False


per_thread = PerThread()
