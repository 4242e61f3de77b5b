"""torchthaw/bridge/errors.py: why an argument was refused, in words; _bridge only finds out that it was."""

import gc
import sys

from .. import private_names
from . import _bridge, pytorch

# thaw_kind -> the C type.
INTEGERS = {
    getattr(_bridge, f"THAW_{unsigned}INT{bits}"): f"{unsigned.lower()}int{bits}_t"
    for unsigned in ("", "U")
    for bits in (8, 16, 32, 64)
}
NOUNS = {
    _bridge.THAW_HANDLE: "a cffi pointer or None", _bridge.THAW_BOOL: "a bool", **dict.fromkeys(INTEGERS, "an integer"),
    _bridge.THAW_FLOAT: "a number", _bridge.THAW_DOUBLE: "a number",
}  # fmt: skip

# The dtypes that an element in C can have.
WIDTHS = {
    "int": (8, 16, 32, 64), "uint": (8, 16, 32, 64), "float": (16, 32, 64), "bfloat": (16,), "complex": (64, 128),
}  # fmt: skip
DTYPES = {
    (getattr(_bridge, f"DLPACK_{word.upper()}"), bits): f"{word}{bits}" for word in WIDTHS for bits in WIDTHS[word]
}
DTYPES[_bridge.DLPACK_BOOL, 8] = "bool"


def expected(kind, flags, code, bits):
    """What the parameter takes, as a noun."""
    if kind != _bridge.THAW_ARRAY:
        return NOUNS.get(kind, "a cffi value")
    dtype = "" if code < 0 else DTYPES.get((code, bits), "") + " "
    sizes = ", a torch.Size or sequence of integers" if flags & _bridge.THAW_SIZES else ""
    return f"a contiguous {dtype}CPU tensor{sizes}"


TRACED = ": torch.jit.trace makes tensors of sizes and records no C function; call the operator in torch.ops instead"


def refuse(name, kind, flags, code, bits, argument, cause):
    """Raises what is wrong with ``argument``; ``cause`` is what PyTorch said about it, or None."""
    want = expected(kind, flags, code, bits)
    torch = sys.modules.get("torch")
    why = pytorch.broken()
    if why:
        got = f"{type(argument).__name__}; no tensor is known, since torch is no PyTorch that works: {why}"
        raise TypeError(f"{name}: expected {want}, got {got}") from cause
    if torch is None or not isinstance(argument, torch.Tensor):
        if flags & _bridge.THAW_SIZES and isinstance(argument, (tuple, list)):
            bad = next(item for item in argument if not isinstance(item, int) or isinstance(item, torch.Tensor))
            traced = torch is not None and isinstance(bad, torch.Tensor) and torch.jit.is_tracing()
            raise TypeError(f"{name}: expected integers, got {type(bad).__name__}{TRACED if traced else ''}") from cause
        raise TypeError(f"{name}: expected {want}, got {type(argument).__name__}") from cause
    if kind != _bridge.THAW_ARRAY:
        raise TypeError(f"{name}: expected {want}, got a tensor; for its value pass tensor.item()")
    error, got = wrong_memory(torch, argument, DTYPES.get((code, bits)), bool(flags & _bridge.THAW_WRITTEN), cause)
    raise error(f"{name}: expected {want}, got {got}") from cause


# What is known of an array that cffi converts, as in check.h: how many elements it has, no more than its address, NULL.
COUNTED, UNKNOWN, NOTHING = -1, -2, -3


def extent(name, kind, flags, code, bits, argument):
    """(COUNTED, UNKNOWN or NOTHING, elements, address or 0 for a copy, bytes) of what cffi makes a pointer of.

    Raises ValueError for an output that C must not write to, or whose memory nobody would see.
    """
    import _cffi_backend as cffi

    written = flags & _bridge.THAW_WRITTEN
    if flags & _bridge.THAW_SIZES:  # they are read before cffi would refuse them
        _check_sizes(cffi, name, expected(kind, flags, code, bits), argument)
    if isinstance(argument, (list, tuple, bytes, str)):
        if written:
            got = f"{type(argument).__name__}, which does not change"
            raise ValueError(f"{name}: expected {expected(kind, flags, code, bits)}, got {got}")
        return COUNTED, len(argument), 0, 0
    ctype = cffi.typeof(argument)
    if ctype.kind not in ("array", "pointer"):
        return UNKNOWN, 0, 0, 0  # and cffi's TypeError
    address = int(cffi.cast(cffi.new_primitive_type("uintptr_t"), argument))
    if ctype.kind == "pointer":
        return UNKNOWN if address else NOTHING, 0, address, min(address, 1)
    if written and any(map(_is_read_only, gc.get_referents(argument))):
        raise ValueError(f"{name}: expected {expected(kind, flags, code, bits)}, got a read-only buffer")
    return COUNTED, len(argument), address, cffi.sizeof(argument)


def _check_sizes(cffi, name, want, argument):
    """TypeError for what neither holds nor points to numbers of int64_t, as far as its type tells."""
    if isinstance(argument, (bytes, str)):
        raise TypeError(f"{name}: expected {want}, got {type(argument).__name__}")
    ctype = cffi.typeof(argument)
    item = ctype.item if ctype.kind in ("array", "pointer") else ctype
    integers = item.kind == "primitive" and item.cname != "double" and cffi.sizeof(item) == 8
    if item is ctype or not (integers or item.kind == "void"):
        raise TypeError(f"{name}: expected {want}, got a cffi value of type {ctype.cname}")


def _is_read_only(exporter):
    """Whether a cffi array over the memory of this object must not be written to."""
    try:
        return memoryview(exporter).readonly
    except TypeError:
        return False


# Classes of tensors that PyTorch's dispatch modes make, which stand for tensors of another mode or of none.
STAND_INS = {"FakeTensor", "FunctionalTensor"}


def stands_for_another(tensor):
    """Whether an operator may see a tensor that C cannot."""
    return any(each.__name__ in STAND_INS for each in type(tensor).__mro__)


def wrong_memory(torch, tensor, dtype, written, cause, device="cpu"):
    """(exception type, what came) for a tensor that the bridge refused where it wanted one on ``device``."""
    kind = _kind(torch, tensor)
    if kind:
        return TypeError, kind
    if tensor.is_meta:
        return TypeError, "a meta tensor, which has no memory"
    if tensor.device.type != device:
        return TypeError, f"one on {tensor.device}"
    if dtype is not None and tensor.dtype is not getattr(torch, dtype, None):
        return TypeError, f"{tensor.dtype}"
    if cause is not None:
        return TypeError, f"one that PyTorch gives no memory of ({cause})"
    if tensor.is_conj():
        return ValueError, "one with the conjugate bit; pass tensor.resolve_conj()"
    if tensor.is_neg():
        return ValueError, "one with the negative bit; pass tensor.resolve_neg()"
    if not tensor.is_contiguous():
        layout = f"one of shape {tuple(tensor.shape)} with strides {tensor.stride()}"
        return ValueError, f"{layout}; pass tensor.contiguous()"
    if written and tensor.requires_grad and torch.is_grad_enabled():
        leaf = "a leaf" if tensor.is_leaf else "a view of a leaf"
        return RuntimeError, f"{leaf} that requires grad; the call would write to it: use torch.no_grad()"
    return ValueError, _without_memory(torch, tensor)


def what_is_wrong(torch, tensor, dtypes):
    """The same where any layout and any of ``dtypes`` would do."""
    kind = _kind(torch, tensor)
    if kind or tensor.device.type not in ("cpu", "cuda"):
        return TypeError, kind or f"one on {tensor.device}"
    if tensor.dtype not in dtypes:
        return TypeError, f"{tensor.dtype}" + ("; pass tensor.byte()" if tensor.dtype is torch.bool else "")
    if tensor.is_conj() or tensor.is_neg():
        return ValueError, "one with the negative bit; pass tensor.resolve_neg()"
    return ValueError, _without_memory(torch, tensor)


def _without_memory(torch, tensor):
    one = "one" if type(tensor) is torch.Tensor else f"a {type(tensor).__name__}"
    if private_names.get("is_zerotensor")(tensor):
        one = "a tensor of zeros"
    return f"{one} of shape {tuple(tensor.shape)} without memory"


# A private name of PyTorch, a function of a tensor -> where tensors of that kind come from.
TRANSFORMS = {
    "is_batchedtensor": "torch.vmap", "is_gradtrackingtensor": "torch.func.grad or jvp",
    "is_functionaltensor": "torch.func.functionalize",
}  # fmt: skip


def transform_of(tensor):
    """What made a tensor that stands for another one, such as ``"torch.vmap"``, or None."""
    for name, transform in TRANSFORMS.items():
        if private_names.get(name)(tensor):
            return transform
    return None


def _kind(torch, tensor):
    """The kind of a tensor that is more or less than a block of memory; else None."""
    if "FakeTensor" in type(tensor).__name__:
        return "a fake tensor"
    transform = transform_of(tensor)
    if transform:
        return f"a tensor inside {transform}"
    if tensor.is_nested:
        return "a nested tensor"
    if tensor.is_quantized:
        return "a quantized tensor"
    if tensor.layout is not torch.strided:
        return f"a sparse tensor ({tensor.layout})" if "sparse" in str(tensor.layout) else f"a {tensor.layout} tensor"
    return None


def out_of_range(name, kind, flags, code, bits, argument, cause):
    """Raises OverflowError for a number that the C type does not hold."""
    if kind in INTEGERS:
        raise OverflowError(f"{name}: expected an integer that fits {INTEGERS[kind]}, got {argument}")
    if flags & _bridge.THAW_SIZES:
        raise OverflowError(f"{name}: expected integers that fit int64_t, got {argument}")
    raise OverflowError(f"{name}: expected {expected(kind, flags, code, bits)}, got {argument}")


def name_culprit(error, names, ctypes, values):
    """Raises ``error``, which cffi raised for one of ``values``, with that parameter's name in front.

    Returns where no argument is to blame: then the error is what the call itself gave.
    """
    if not isinstance(error, (TypeError, OverflowError, ValueError)):
        return
    for name, ctype, value in zip(names, ctypes, values):
        try:
            _convert(ctype, value)
        except (TypeError, OverflowError, ValueError):
            raise error.__class__(f"{name}: {error}") from None


def _convert(ctype, value):
    """Converts ``value`` as cffi does for a parameter of type ``ctype``."""
    import _cffi_backend as cffi

    if ctype.kind == "pointer" and isinstance(value, (list, tuple, bytes, str)):
        cffi.newp(cffi.new_array_type(ctype, None), value)
    else:
        cffi.newp(cffi.new_array_type(cffi.new_pointer_type(ctype), 1), (value,))
