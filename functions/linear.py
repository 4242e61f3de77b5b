"""functions/linear.py: output = input weight^T + bias."""

from math import prod

import torch
from torch import Tensor
from torch.nn import functional as F
from torch.overrides import handle_torch_function, has_torch_function_variadic

from _ext.my_lib import functions

from ._library import applying, multiplies

functions.linear.formula(F.linear)


@multiplies
def linear(input, weight, bias=None):
    """``input @ weight.T + bias``, all of one floating-point dtype.

    input (..., in_features), weight (out_features, in_features), bias (out_features) or None; the result has shape
    (..., out_features).
    """
    if has_torch_function_variadic(input, weight, bias):
        return handle_torch_function(linear, (input, weight, bias), input, weight, bias)
    try:
        if input.dim() == 2:
            return functions.linear(input, weight, bias)
    except (AttributeError, ValueError):
        pass  # what does not fit is named below
    if not (is_dense(input) and is_dense(weight)):
        return functions.linear(input, weight, bias)  # which refuses it
    if weight.dim() != 2:
        raise ValueError(f"weight: expected shape (out_features, in_features), got {tuple(weight.shape)}")
    if input.shape[-1:] != weight.shape[1:]:
        raise ValueError(f"input: expected shape (..., {weight.shape[1]}), got {tuple(input.shape)}")
    rows = input.reshape(prod(input.shape[:-1]), input.shape[-1])
    return functions.linear(rows, weight, bias).view(*input.shape[:-1], weight.shape[0])


def is_dense(x):
    return isinstance(x, Tensor) and not x.is_nested and x.layout is torch.strided


LinearFunction = applying(linear, functions.linear)
