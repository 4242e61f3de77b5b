# tensors/scalar_tensor.py: value · identity(N), an N × N matrix stored as one number.
import functools
import inspect
import math
import operator

import torch

from .tensor_like import TensorLike, map_nested, written

HANDLED_FUNCTIONS = {}


class ScalarTensor(TensorLike):
    """The N × N matrix with ``value`` on its diagonal and zeros elsewhere.

    ``value`` is a number or a 0-dim tensor (not copied: gradients flow to it); ``dtype`` and ``device`` are
    those of ``torch.as_tensor``.

    A function in ``HANDLED_FUNCTIONS`` is computed from N and the value alone, in O(1) memory, and gives another
    ``ScalarTensor`` where the result is one. Any other gets ``to_dense()`` in the place of each ``ScalarTensor``,
    nested sequences and keywords included, and gives what it gives for matrices. Zeros off the diagonal are
    structural, as in a sparse matrix: ``ScalarTensor @ dense`` does not multiply them with an infinity in ``dense``.

    There is no memory to write into: functions that work in place on a ``ScalarTensor``, take one as ``out=`` or want
    its address raise TypeError.
    """

    def __init__(self, N, value, dtype=None, device=None):
        if isinstance(N, bool) or not hasattr(N, "__index__"):
            raise TypeError(f"N: expected an int, got {type(N).__name__}")
        N = operator.index(N)
        if N < 0:
            raise ValueError(f"N: expected a size >= 0, got {N}")
        if isinstance(value, TensorLike):
            raise TypeError(f"value: expected a number or a 0-dim tensor, got {type(value).__name__}")
        value = torch.as_tensor(value, dtype=dtype, device=device)
        if value.dim() != 0:
            raise ValueError(f"value: expected a number or a 0-dim tensor, got shape {tuple(value.shape)}")
        self._N, self._value = N, value

    @property
    def N(self):
        return self._N

    @property
    def value(self):
        return self._value

    def to_dense(self):
        """The matrix itself, differentiable with respect to ``value``."""
        return torch.diag_embed(self._value.expand(self._N))

    def __repr__(self):
        return f"{type(self).__name__}(N={self._N}, value={self._value.item()})"

    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        kwargs = kwargs or {}
        if not all(issubclass(type_, (torch.Tensor, ScalarTensor)) for type_ in types):
            return NotImplemented
        if func in NEEDS_MEMORY or any(isinstance(target, ScalarTensor) for target in written(func, args, kwargs)):
            raise TypeError(
                f"{func.__name__}: expected a tensor with memory of its own, got a ScalarTensor, "
                "which keeps one number for all its elements; use to_dense()"
            )
        rule = HANDLED_FUNCTIONS.get(func)
        if rule is not None and _takes(rule, args, kwargs):
            result = rule(cls, *args, **kwargs)
            if result is not NotImplemented:
                return result
        return func(*map_nested(_dense, args), **map_nested(_dense, kwargs))


def _dense(value):
    return value.to_dense() if isinstance(value, ScalarTensor) else value


_signature = functools.lru_cache(maxsize=None)(inspect.signature)


def _takes(rule, args, kwargs):
    """Whether the rule takes all these arguments: ``sum(x)`` has a rule, ``sum(x, dim=0)`` uses the dense matrix."""
    try:
        _signature(rule).bind(None, *args, **kwargs)
    except TypeError:
        return False
    return True


def spellings(name):
    """Every function of PyTorch called ``name``: ``torch.add``, ``Tensor.add``, ``torch.linalg.det``; a property
    by its getter, as ``__torch_function__`` receives it."""
    for namespace in (torch, torch.Tensor, torch.linalg, torch.special, torch.nn.functional):
        function = getattr(namespace, name, None)
        if hasattr(function, "__set__"):
            yield function.__get__
        elif callable(function) and not isinstance(function, type):
            yield function


NEEDS_MEMORY = {
    function
    for word in "data_ptr const_data_ptr mutable_data_ptr untyped_storage storage storage_offset stride "
    "register_hook register_post_accumulate_grad_hook retain_grad".split()
    for function in spellings(word)
}


def implements(*names):
    """Decorator: the function ``rule(cls, *args, **kwargs)`` is used for every spelling of these names. A rule that
    returns NotImplemented leaves the call to the dense matrix."""

    def register(rule):
        for name in names:
            for function in spellings(name):
                HANDLED_FUNCTIONS[function] = rule
        return rule

    return register


# What follows from the value only.
for _word in """dtype device requires_grad layout is_floating_point is_complex is_signed is_cpu is_cuda is_meta
                is_sparse is_quantized element_size itemsize get_device""".split():
    for _function in spellings(_word):
        HANDLED_FUNCTIONS[_function] = lambda cls, input, function=_function: function(input._value)


# Elementwise functions with f(0) = 0, and those that change no value: f(v · I) = f(v) · I.
for _word in """abs absolute __abs__ angle arcsin arcsinh arctan arctanh asin asinh atan atanh bfloat16 ceil celu clone
                conj conj_physical contiguous cpu cuda deg2rad detach double elu erf erfinv expm1 fix float floor frac
                gelu half imag int leaky_relu log1p long mish nan_to_num neg negative __neg__ positive __pos__ rad2deg
                real relu relu6 resolve_conj resolve_neg round selu sgn sign silu sin sinh softsign sqrt square tan
                tanh tanhshrink to trunc type_as""".split():
    for _function in spellings(_word):

        def _map_value(cls, input, *args, function=_function, **kwargs):
            if not isinstance(input, ScalarTensor):
                return NotImplemented
            return cls(input._N, function(input._value, *map_nested(_value, args), **kwargs))

        HANDLED_FUNCTIONS[_function] = _map_value


@implements("shape")
def _shape(cls, input):
    return torch.Size((input._N, input._N))


@implements("size")
def _size(cls, input, dim=None):
    shape = _shape(cls, input)
    return shape if dim is None else shape[dim]


@implements("dim", "ndim", "ndimension")
def _dim(cls, input):
    return 2


@implements("numel", "nelement")
def _numel(cls, input):
    return input._N**2


@implements("__len__")
def _len(cls, input):
    return input._N


@implements("t", "T", "mT")
def _t(cls, input):
    return cls(input._N, input._value)


@implements("adjoint", "H", "mH")
def _adjoint(cls, input):
    return cls(input._N, input._value.conj())


@implements("transpose", "swapaxes", "swapdims")
def _transpose(cls, input, dim0, dim1):
    return _t(cls, input) if dim0 in range(-2, 2) and dim1 in range(-2, 2) else NotImplemented


@implements("add", "__add__")
def _add(cls, input, other, *, alpha=1):
    if not _same_size(input, other):
        return NotImplemented
    return cls(input._N, torch.add(input._value, other._value, alpha=alpha))


@implements("sub", "subtract", "__sub__")
def _sub(cls, input, other, *, alpha=1):
    if not _same_size(input, other):
        return NotImplemented
    return cls(input._N, torch.sub(input._value, other._value, alpha=alpha))


@implements("mul", "multiply", "__mul__", "__rmul__")
def _mul(cls, input, other):
    if _same_size(input, other):
        return cls(input._N, input._value * other._value)
    if _is_number(input):
        input, other = other, input
    # 0 · inf is NaN: the zeros off the diagonal would not stay zeros.
    if isinstance(input, ScalarTensor) and _is_number(other) and math.isfinite(abs(other)):
        return cls(input._N, input._value * other)
    return NotImplemented


@implements("div", "divide", "true_divide", "__truediv__")
def _div(cls, input, other):
    if isinstance(input, ScalarTensor) and _is_number(other) and other == other and other != 0:
        return cls(input._N, input._value / other)
    return NotImplemented


@implements("matmul", "__matmul__")
def _matmul(cls, input, other):
    if _same_size(input, other):
        return cls(input._N, input._value * other._value) if input.dtype == other.dtype else NotImplemented
    scalar, dense = (input, other) if isinstance(input, ScalarTensor) else (other, input)
    if not isinstance(dense, torch.Tensor) or (dense.dtype, dense.device) != (scalar.dtype, scalar.device):
        return NotImplemented
    contracted = -2 if scalar is input and dense.dim() > 1 else -1
    if dense.dim() == 0 or dense.shape[contracted] != scalar._N:
        return NotImplemented
    return scalar._value * dense


@implements("mm")
def _mm(cls, input, other):
    return _matmul(cls, input, other) if input.dim() == other.dim() == 2 else NotImplemented


@implements("trace", "sum")
def _sum(cls, input):
    return input._value.sum() * input._N


@implements("mean")
def _mean(cls, input):
    return input._value.mean() / input._N if input._N else NotImplemented


@implements("det")
def _det(cls, input):
    return input._value**input._N if _is_inexact(input) else NotImplemented


@implements("inverse", "inv")
def _inverse(cls, input):
    # A singular matrix is left to the dense function, which raises.
    return cls(input._N, input._value.reciprocal()) if _is_inexact(input) and input._value != 0 else NotImplemented


@implements("matrix_exp")
def _matrix_exp(cls, input):
    return cls(input._N, input._value.exp()) if _is_inexact(input) else NotImplemented


@implements("diagonal", "diag")
def _diagonal(cls, input):
    return input._value.repeat(input._N)


def _value(value):
    return value._value if isinstance(value, ScalarTensor) else value


def _same_size(input, other):
    return isinstance(input, ScalarTensor) and isinstance(other, ScalarTensor) and input._N == other._N


def _is_number(value):
    return isinstance(value, (int, float, complex))


def _is_inexact(input):
    return input._value.is_floating_point() or input._value.is_complex()
