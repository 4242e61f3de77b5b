"""torchthaw/legacy/semantics/memory.py: a new tensor was contiguous; today it inherits the strides of its inputs."""

from functools import wraps

import torch
import torch.nn.functional

from ..patching import Change

POINTWISE = """
    abs acos add addcdiv addcmul asin atan atan2 ceil clamp cos cosh div erf erfc erfinv exp expm1 floor fmod frac lerp
    lgamma log log10 log1p log2 mul neg pow reciprocal relu remainder round rsqrt sigmoid sign sin sinh sqrt sub tan
    tanh trunc eq ge gt le lt ne masked_fill elu hardtanh leaky_relu logsigmoid prelu rrelu selu softplus threshold
    dropout where max min
""".split()
OPERATORS = """
    __add__ __radd__ __sub__ __rsub__ __mul__ __rmul__ __truediv__ __rtruediv__ __mod__ __pow__ __rpow__ __neg__ __abs__
    __and__ __or__ __xor__ __invert__ __lt__ __le__ __gt__ __ge__ __eq__ __ne__
""".split()
COPIES = """
    clone zeros_like ones_like rand_like randn_like empty_like full_like float double half long int short char byte bool
    type type_as to cpu cuda
""".split()
OTHER = """
    sort topk cumsum cumprod softmax log_softmax nonzero inverse svd qr cholesky cat stack gather index_select
    batch_norm conv1d conv2d conv3d conv_transpose1d conv_transpose2d conv_transpose3d max_pool1d max_pool2d max_pool3d
    avg_pool1d avg_pool2d avg_pool3d adaptive_avg_pool2d adaptive_max_pool2d interpolate upsample
""".split()
LINALG = "cholesky eigh inv lu_factor lstsq pinv qr solve solve_triangular svd".split()


def contiguous_result(function):
    """``function``; its new tensors are contiguous, those it was given stay as they are."""

    @wraps(function)
    def call(*args, **kwargs):
        result = function(*args, **kwargs)
        if isinstance(result, torch.Tensor):
            return result if result.is_contiguous() else _copied(result, args, kwargs)
        if isinstance(result, tuple) and any(isinstance(item, torch.Tensor) for item in result):
            if all(not isinstance(item, torch.Tensor) or item.is_contiguous() for item in result):
                return result
            items = [_copied(item, args, kwargs) if isinstance(item, torch.Tensor) else item for item in result]
            return result._make(items) if hasattr(result, "_make") else type(result)(items)
        return result

    return call


def _copied(result, args, kwargs):
    asked = "out" in kwargs or "memory_format" in kwargs or any(result is argument for argument in args)
    return result if asked or result.layout is not torch.strided else result.contiguous()


def contiguous():
    for owner, names in (
        (torch.Tensor, POINTWISE + OPERATORS + COPIES + OTHER),
        (torch, POINTWISE + COPIES + OTHER),
        (torch.nn.functional, POINTWISE + OTHER),
        (torch.linalg, LINALG),
    ):
        for name in names:
            function = getattr(owner, name, None)
            if callable(function) and not isinstance(function, type):
                yield Change(owner, name, contiguous_result(function))
