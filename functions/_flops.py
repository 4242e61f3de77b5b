"""functions/_flops.py: how many floating-point operations products and convolutions are, for FlopCounterMode.

As PyTorch counts: a multiplication and an addition are two; what is not a product counts nothing.
"""

import torch

from _ext import my_lib  # noqa: F401, makes torch.ops.my_lib
from torchthaw.base.import_hook import after_import

from .fused_conv_batch_norm2d import fused


def linear(input, weight, *_, **__):
    return 2 * input[0] * weight[0] * weight[1]


def linear_backward(grad_output, input, weight, in_features, grad_input=(), grad_weight=(), *_, **__):
    wanted = (grad_input is not None) + (grad_weight is not None)
    return wanted * 2 * grad_output[0] * grad_output[1] * in_features


def lltm(input, weights, *_, **__):
    """[old_h, input] weights^T, for one step or for each of a sequence."""
    *steps, _ = input
    return 2 * _product(steps) * weights[0] * weights[1]


def lltm_backward(
    grad_h, grad_cell, new_cell, gates, input, old_h, weights, d_input=(), d_weights=(), d_bias=(), d_old_h=(), *_, **__
):
    """d_a weights, which is d_old_h and d_input, and d_a^T [old_h, input]."""
    wanted = (d_input is not None or d_old_h is not None) + (d_weights is not None)
    return wanted * lltm(input, weights)


def lltm_sequence_backward(
    grad_h,
    grad_last_h,
    grad_last_cell,
    cell,
    gates,
    input,
    h,
    old_h,
    old_cell,
    weights,
    d_input=(),
    d_weights=(),
    *_,
    **__,
):
    """The gradient of each step's state is needed for the step before, whether d_input is wanted or not."""
    return (1 + (d_weights is not None)) * lltm(input, weights)


def convolution(input, weight, *_, out_shape, **__):
    return 2 * _product(out_shape) * _product(weight[1:])


def _product(sizes):
    product = 1
    for size in sizes:
        product *= size
    return product


FORMULAS = {
    "my_lib_linear_forward": linear, "my_lib_linear_backward": linear_backward,
    "lltm_forward": lltm, "lltm_backward": lltm_backward,
    "lltm_sequence_forward": lltm, "lltm_sequence_backward": lltm_sequence_backward,
    # The differentiable operators: inference mode does not get to those of C.
    "linear": linear, "lltm": lltm, "lltm_sequence": lltm,
}  # fmt: skip


def _register():
    from torch.utils.flop_counter import register_flop_formula

    for name, formula in FORMULAS.items():
        register_flop_formula(getattr(torch.ops.my_lib, name))(formula)
    register_flop_formula(fused.operator.overloadpacket)(convolution)


after_import("torch.utils.flop_counter", _register)  # which imports more than most programs need
