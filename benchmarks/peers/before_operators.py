"""benchmarks/peers/before_operators.py: functions/ as they were before C functions were operators, of what is compared.

A fixed baseline, without gradients and in eager mode: Python asks what it asked then, checks the arguments, allocates
outputs and workspace, and calls the C function by name, with today's bridge.
"""

from functools import lru_cache
from numbers import Real

import torch
from torch import Tensor
from torch.autograd import forward_ad
from torch.compiler import is_compiling
from torch.overrides import has_torch_function_variadic

from _ext import my_lib

WORKSPACE = torch.empty(1 << 20, dtype=torch.uint8)


class Kernels(dict):
    """The C functions called ``names`` by dtype."""

    def __init__(self, *names):
        for dtype, suffix in (torch.float32, ""), (torch.float64, "_f64"):
            self[dtype] = tuple(getattr(my_lib, name + suffix) for name in names)

    def of(self, tensor):
        if tensor.is_cuda:
            raise TypeError("expected a tensor on the CPU")
        return self[tensor.dtype]


def check_call(*tensors):
    """What stood before each call."""
    if has_torch_function_variadic(*tensors):
        raise TypeError("expected tensors without __torch_function__")
    if needs_autograd(*tensors):
        raise TypeError("expected a call in eager mode and without gradients")


def needs_autograd(*arguments):
    if torch.is_grad_enabled():
        for argument in arguments:
            if getattr(argument, "requires_grad", False):
                return True
    return forward_ad._current_level >= 0 or is_compiling()


def check_tensor(argument, tensor):
    if not isinstance(tensor, Tensor):
        raise TypeError(f"{argument}: expected a torch.Tensor")


def raise_last_error():
    raise ValueError(my_lib.my_lib_last_error_message())


ADD = Kernels("my_lib_add_forward")


def add(input1, input2):
    check_call(input1, input2)
    check_tensor("input1", input1)
    check_tensor("input2", input2)
    (forward,) = ADD.of(input1)
    input1, input2 = input1.contiguous(), input2.contiguous()
    output = torch.empty_like(input1)
    if not forward(input1, input1.shape, input1.dim(), input2, input2.shape, input2.dim(), output):
        raise_last_error()
    return output


MUL_CONSTANT = Kernels("my_lib_mul_constant_forward")


def mul_constant(input, constant):
    check_call(input)
    check_tensor("input", input)
    if not isinstance(constant, Real):
        raise TypeError("constant: expected a real number")
    (forward,) = MUL_CONSTANT.of(input)
    input = input.contiguous()
    output = torch.empty_like(input)
    if not forward(input, input.shape, input.dim(), constant, output):
        raise_last_error()
    return output


CUBE = Kernels("my_lib_cube_forward")


def cube(input):
    check_call(input)
    check_tensor("input", input)
    (forward,) = CUBE.of(input)
    input = input.contiguous()
    output = torch.empty_like(input)
    if not forward(input, input.shape, input.dim(), output, None):
        raise_last_error()
    return output


LLTM = Kernels("lltm_forward", "lltm_forward_workspace_size")


@lru_cache(maxsize=1024)
def workspace_size(function, *sizes):
    return function(*sizes)


def lltm(input, weights, bias, old_h, old_cell):
    """(new_h, new_cell) after one step."""
    check_call(weights, input, old_h, old_cell, bias)
    batch, input_size = input.shape
    _, state_size = state = old_h.shape
    rows = 3 * state_size
    fits = (
        weights.shape == (rows, state_size + input_size)
        and bias.shape == (rows,)
        and state == (batch, state_size)
        and old_cell.shape == state
    )
    if not fits:
        raise ValueError("expected shapes that fit")
    arrays = input.contiguous(), weights.contiguous(), bias.contiguous(), old_h.contiguous(), old_cell.contiguous()
    forward, forward_size = LLTM.of(input)
    new_h, new_cell = torch.empty_like(arrays[3]), torch.empty_like(arrays[4])
    nbytes = workspace_size(forward_size, batch, input_size, state_size)
    workspace = WORKSPACE if nbytes <= WORKSPACE.numel() else torch.empty(nbytes, dtype=torch.uint8)
    if not forward(*arrays, batch, input_size, state_size, new_h, new_cell, None, workspace, nbytes):
        raise_last_error()
    return new_h, new_cell
