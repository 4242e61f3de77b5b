"""torchthaw/bridge/errors.py: why an argument was refused, in words; _bridge only finds out that it was."""

import sys

from . import _bridge, arrays, private_names, pytorch

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

DTYPES = arrays.DTYPES


def expected(kind, flags, code, bits, what=None):
    """What the parameter takes, as a noun; ``what``: arrays, where that is said of one."""
    if kind != _bridge.THAW_ARRAY:
        return NOUNS.get(kind, "a cffi value")
    dtype = "" if code < 0 else DTYPES.get((code, bits), "") + " "
    sizes = ", a torch.Size or sequence of integers" if flags & _bridge.THAW_SIZES else ""
    return f"a contiguous {dtype}{what or ('CPU tensor' if 'torch' in sys.modules else 'array')}{sizes}"


TRACED = ": torch.jit.trace makes tensors of sizes and records no C function; call the operator in torch.ops instead"


def refuse(name, kind, flags, code, bits, argument, cause):
    """Raises what is wrong with ``argument``; ``cause`` is what it or PyTorch raised about it, or None."""
    raise_if_serious(cause)
    want = expected(kind, flags, code, bits)
    torch = sys.modules.get("torch")
    why = pytorch.broken()
    if why:
        got = f"{type(argument).__name__}; no tensor is known, since torch is no PyTorch that works: {why}"
        raise TypeError(f"{name}: expected {want}, got {got}") from cause
    if torch is None or not issubclass(type(argument), torch.Tensor):
        if kind == _bridge.THAW_ARRAY:
            refuse_array(name, kind, flags, code, bits, argument, cause)
        raise TypeError(f"{name}: expected {want}, got {type(argument).__name__}") from cause
    if kind != _bridge.THAW_ARRAY:
        raise TypeError(f"{name}: expected {want}, got a tensor; for its value pass tensor.item()")
    error, got = wrong_memory(torch, argument, DTYPES.get((code, bits)), bool(flags & _bridge.THAW_WRITTEN), cause)
    raise error(f"{name}: expected {want}, got {got}") from cause


def refuse_array(name, kind, flags, code, bits, argument, cause):
    """Raises what is wrong with an array that is no tensor; returns for what is no array."""
    try:
        found = arrays.wrong(argument, DTYPES.get((code, bits)), bool(flags & _bridge.THAW_WRITTEN), cause)
    except Exception as error:
        raise_if_serious(error)
        found = TypeError, _unreadable(argument, error)
    if found:
        raise found[0](f"{name}: expected {expected(kind, flags, code, bits, 'array')}, got {found[1]}") from cause


def refuse_function(name, kind, flags, code, bits, argument, cause):
    """Raises TypeError for a function of cffi's where C would write."""
    raise_if_serious(cause)
    want = expected(kind, flags, code, bits)
    raise TypeError(f'{name}: expected {want}, got a function; if it is no memory to C, pass ffi.cast("void *", it)')


def refuse_size(name, kind, flags, code, bits, item, cause):
    """The same for an item of a sequence of sizes."""
    raise_if_serious(cause)
    torch = sys.modules.get("torch")
    traced = torch is not None and issubclass(type(item), torch.Tensor) and torch.jit.is_tracing()
    raise TypeError(f"{name}: expected integers, got {type(item).__name__}{TRACED if traced else ''}") from cause


def raise_if_serious(cause):
    """What no message about an argument may hide: KeyboardInterrupt, SystemExit, a lack of memory."""
    if cause is not None and (isinstance(cause, MemoryError) or not isinstance(cause, Exception)):
        raise cause


# Classes of tensors that PyTorch's dispatch modes make, which stand for tensors of another mode or of none.
STAND_INS = {"FakeTensor", "FunctionalTensor"}


def is_fake(tensor):
    """Whether it has a shape and no memory, for a graph that PyTorch makes."""
    return any(each.__name__ == "FakeTensor" for each in type(tensor).__mro__)


def stands_for_another(tensor):
    """Whether an operator may see a tensor that C cannot."""
    return any(each.__name__ in STAND_INS for each in type(tensor).__mro__)


def wrong_memory(torch, tensor, dtype, written, cause, device="cpu"):
    """(exception type, what came) for a tensor that the bridge refused where it wanted one on ``device``."""
    try:
        return _wrong_memory(torch, tensor, dtype, written, cause, device)
    except Exception as error:
        raise_if_serious(error)
        return TypeError, _unreadable(tensor, error)


def _wrong_memory(torch, tensor, dtype, written, cause, device):
    kind = _kind(torch, tensor)
    if kind:
        return TypeError, kind
    if tensor.is_meta:
        return TypeError, "a meta tensor, which has no memory"
    if tensor.device.type != device:
        return TypeError, f"one on {tensor.device}"
    if dtype is not None and tensor.dtype is not getattr(torch, dtype, None):
        to = f"tensor.to(torch.{dtype})"
        return TypeError, f"{tensor.dtype}; pass " + (f"copy = {to}, then tensor.copy_(copy)" if written else to)
    if cause is not None:
        return TypeError, f"one that PyTorch gives no memory of ({cause})"
    if tensor.is_conj():
        return ValueError, "one with the conjugate bit; pass tensor.resolve_conj()"
    if tensor.is_neg():
        return ValueError, "one with the negative bit; pass tensor.resolve_neg()"
    if pytorch.missing_bytes(tensor):
        return ValueError, _without_memory(torch, tensor)
    if not tensor.is_contiguous():
        layout = f"one of shape {tuple(tensor.shape)} with strides {tensor.stride()}"
        return ValueError, f"{layout}{_advice(tensor) if written else '; pass tensor.contiguous()'}"
    if written and tensor.requires_grad and torch.is_grad_enabled():
        return RuntimeError, leaf(tensor)
    if dtype is not None and tensor.data_ptr() % (tensor.element_size() // (2 if tensor.is_complex() else 1)):
        advice = "copy = tensor.clone(), then tensor.copy_(copy)" if written else "tensor.clone()"
        return ValueError, f"one whose elements are not aligned as C's are; pass {advice}"
    return ValueError, _without_memory(torch, tensor)


def leaf(tensor):
    """A tensor that autograd does not allow to be written, in words."""
    what = "a leaf" if tensor.is_leaf else "a view of a leaf"
    return f"{what} that requires grad; the call would write to it: use torch.no_grad()"


def _advice(tensor):
    """What to pass as an output in place of a tensor that is not contiguous: a copy has to be brought back."""
    extent = 1  # of the dimensions so far, from the nearest elements to the farthest
    for stride, size in sorted(zip(tensor.stride(), tensor.shape)):
        if size > 1 and stride < extent:
            return ", whose elements share memory; pass copy = tensor.contiguous() and go on with copy"
        extent += (size - 1) * stride
    return "; pass copy = tensor.contiguous(), then tensor.copy_(copy)"


def what_is_wrong(torch, tensor, dtypes):
    """The same where any layout and any of ``dtypes`` would do."""
    try:
        kind = _kind(torch, tensor)
    except Exception as error:
        raise_if_serious(error)
        return TypeError, _unreadable(tensor, error)
    if kind or tensor.device.type not in ("cpu", "cuda"):
        return TypeError, kind or f"one on {tensor.device}"
    if tensor.dtype not in dtypes:
        return TypeError, f"{tensor.dtype}" + ("; pass tensor.byte()" if tensor.dtype is torch.bool else "")
    if tensor.is_conj() or tensor.is_neg():
        return ValueError, "one with the negative bit; pass tensor.resolve_neg()"
    return ValueError, _without_memory(torch, tensor)


def _unreadable(tensor, error):
    return f"a {type(tensor).__name__} whose attributes raise {type(error).__name__}"


# Without DLPack's exchange table, the sizes of tensors with more dimensions are not read.
MOST_DIMENSIONS = 64


def _without_memory(torch, tensor):
    if tensor.dim() > MOST_DIMENSIONS:
        return f"one of {tensor.dim()} dimensions, more than {MOST_DIMENSIONS}"
    one = "one" if type(tensor) is torch.Tensor else f"a {type(tensor).__name__}"
    if private_names.get("is_zerotensor")(tensor):
        one = "a tensor of zeros"
    elif tensor.untyped_storage().nbytes() and pytorch.missing_bytes(tensor):
        return f"{one} of shape {tuple(tensor.shape)} that {pytorch.missing_bytes(tensor)}"
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
    got = _text(argument)
    if kind in INTEGERS:
        raise OverflowError(f"{name}: expected an integer that fits {INTEGERS[kind]}, got {got}")
    if flags & _bridge.THAW_SIZES:
        raise OverflowError(f"{name}: expected integers that fit int64_t, got {got}")
    raise OverflowError(f"{name}: expected {expected(kind, flags, code, bits)}, got {got}")


def _text(argument, longest=100):
    """An argument in a message."""
    try:
        text = str(argument)
    except MemoryError:
        raise
    except Exception:  # of its author, or Python's limit for the digits of an integer
        name = type(argument).__name__
        return f"an integer of {argument.bit_length()} bits" if type(argument) is int else f"a {name}"
    return text if len(text) <= longest else f"{text[:longest]}…"


def name_argument(name, error, as_cffi, cause):
    """Raises ``error``, which an argument gave, with the parameter's name: as a note where messages are to be cffi's,
    else in front, with ``cause``."""
    raise_if_serious(error)
    if as_cffi:
        note_argument(name, error)
        raise error
    same = next((each for each in (TypeError, OverflowError, ValueError) if type(error) is each), TypeError)
    raise same(f"{name}: {error}") from cause


def note_argument(name, error):
    """Adds a note, which Python shows from 3.11 on, unless the message begins with the name."""
    if not _text(error).startswith(f"{name}: "):
        error.__notes__ = [*getattr(error, "__notes__", ()), f"in the argument {name}"]
