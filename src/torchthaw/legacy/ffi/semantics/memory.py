"""torchthaw/legacy/ffi/semantics/memory.py: a new tensor was contiguous; today it inherits the strides of its inputs."""

from functools import wraps

import torch
import torch.nn.functional

from .wrapping import changed

POINTWISE = """
    abs acos add addcdiv addcmul asin atan atan2 bernoulli ceil clamp clamp_max clamp_min cos cosh digamma div erf erfc
    erfinv exp expm1 floor fmod frac lerp lgamma log log10 log1p log2 mul neg polygamma pow reciprocal relu remainder
    round rsqrt sigmoid sign sin sinh sqrt sub tan tanh trunc eq ge gt le lt ne masked_fill celu elu glu hardshrink
    hardtanh leaky_relu logsigmoid prelu relu6 rrelu selu softplus softshrink softsign tanhshrink threshold dropout
    dropout2d dropout3d alpha_dropout feature_dropout where max min
""".split()
OPERATORS = """
    __add__ __radd__ __sub__ __rsub__ __mul__ __rmul__ __truediv__ __rtruediv__ __div__ __rdiv__ __floordiv__
    __rfloordiv__ __mod__ __pow__ __rpow__ __neg__ __abs__ __and__ __or__ __xor__ __rand__ __ror__ __rxor__ __lshift__
    __rshift__ __invert__ __lt__ __le__ __gt__ __ge__ __eq__ __ne__
""".split()
COPIES = """
    clone zeros_like ones_like rand_like randn_like randint_like empty_like full_like float double half long int short
    char byte bool type type_as to cpu cuda new_tensor
""".split()
OTHER = """
    sort argsort topk cumsum cumprod softmax log_softmax softmin nonzero inverse svd qr geqrf lu cholesky
    cholesky_inverse cholesky_solve triangular_solve cat stack gather index_select flip fliplr flipud rot90 pad
    batch_norm instance_norm layer_norm group_norm normalize linear bilinear
    conv1d conv2d conv3d conv_transpose1d conv_transpose2d conv_transpose3d max_pool1d max_pool2d max_pool3d
    max_unpool1d max_unpool2d max_unpool3d avg_pool1d avg_pool2d avg_pool3d lp_pool2d adaptive_avg_pool1d
    adaptive_avg_pool2d adaptive_max_pool1d adaptive_max_pool2d fractional_max_pool2d interpolate upsample
    grid_sample pixel_shuffle mse_loss l1_loss smooth_l1_loss kl_div binary_cross_entropy
    binary_cross_entropy_with_logits soft_margin_loss
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
    """``result`` made contiguous, unless its strides were asked for or it is one of the arguments."""
    asked = "out" in kwargs or "memory_format" in kwargs or any(result is argument for argument in args)
    return result if asked or result.layout is not torch.strided else result.contiguous()


def functions():
    """[(module or class, name)] of those whose new tensors are contiguous, as far as this PyTorch has them."""
    named = [
        (torch.Tensor, POINTWISE + OPERATORS + COPIES + OTHER),
        (torch, POINTWISE + COPIES + OTHER),
        (torch.nn.functional, POINTWISE + OTHER),
        (torch.linalg, LINALG),
    ]
    return [
        (owner, name)
        for owner, names in named
        for name in names
        if callable(getattr(owner, name, None)) and not isinstance(getattr(owner, name), type)
    ]


def contiguous():
    for owner, name in functions():
        yield changed(owner, name, contiguous_result)
