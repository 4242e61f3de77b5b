"""torchthaw/legacy/ffi/structs: TH structs over PyTorch's tensors; this half of it asks PyTorch."""

import sys
import warnings
from math import prod

import torch

from ....base import config
from ....bridge import errors
from ....bridge.private_names import get, native

# (DLPack code, bits) of the dtypes that TH has.
NAMES = "uint8", "int8", "int16", "int32", "int64", "float32", "float64", "float16"
DTYPES = {key: getattr(torch, name) for key, name in errors.DTYPES.items() if name in NAMES}


class FatalError(torch.FatalError, RuntimeError):
    """An error that C code raised, by THError or as a C++ exception."""


FatalError.__module__, FatalError.__qualname__ = "torch", "FatalError"

OutOfMemoryError = torch.cuda.OutOfMemoryError

# id(tensor) -> anything, of tensors whose methods have to be called when C changed their sizes.
followed = {}

native_resize = native(torch.Tensor, "resize_")


def storage_types():
    return torch.UntypedStorage, torch.TypedStorage


def tensor_of(storage):
    """A tensor over all of a storage."""
    untyped = isinstance(storage, torch.UntypedStorage)
    dtype = torch.uint8 if untyped else storage.dtype
    count = storage.nbytes() // dtype.itemsize
    tensor = torch.empty(0, dtype=dtype, device=storage.device)
    return tensor.set_(storage, 0, (count,), (1,))


# The typed storage that a tensor lies on.
storage_of = get("typed_storage")


def alias(tensor):
    """Another tensor on the same memory, without history."""
    with torch.no_grad():
        return torch.empty(0, dtype=tensor.dtype, device=tensor.device).set_(
            tensor.untyped_storage(), tensor.storage_offset(), tensor.size(), tensor.stride()
        )


def place(tensor, full):
    """(where the memory of a tensor begins, also of one without elements; bytes of its storage).

    full: where that of its storage begins.
    """
    storage = tensor.untyped_storage()
    return storage.data_ptr() + _offset(tensor, full) * tensor.element_size(), storage.nbytes()


def _offset(tensor, full):
    return 0 if full else tensor.storage_offset()


# None outside of all transforms of torch.func.
transform_level = get("transform_level")


def has_memory(tensor):
    """Whether a tensor without elements can get some: those of a transform, or of a class that dispatches, may not."""
    if type(tensor).__torch_dispatch__ is not torch.Tensor.__torch_dispatch__ or errors.transform_of(tensor):
        return False
    try:
        return tensor.untyped_storage() is not None
    except (NotImplementedError, RuntimeError):  # of a transform without a name
        return False


def allocate(code, bits, count, device):
    """(tensor, its address); ``device``: a CUDA device, or -1 for the CPU."""
    place = "cpu" if device < 0 else torch.device("cuda", device)
    tensor = torch.empty(count, dtype=DTYPES[code, bits], device=place)
    return tensor, tensor.data_ptr()


def allocate_on_cuda(size, device, stream):
    """The address of memory for work on a stream, or 0 where there is not enough."""
    try:
        return torch.cuda.caching_allocator_alloc(size, device, stream)
    except torch.cuda.OutOfMemoryError:
        return 0


def release_on_cuda(address):
    """Takes back what allocate_on_cuda() returned."""
    torch.cuda.caching_allocator_delete(address)


def empty(code, bits, on_cuda):
    """A tensor without elements, on the current CUDA device or the CPU."""
    return torch.empty(0, dtype=DTYPES[code, bits], device="cuda" if on_cuda else "cpu")


def check_resizing(tensor):
    """Raises for a tensor that autograd does not let change its size now."""
    if tensor.requires_grad and torch.is_grad_enabled():
        raise RuntimeError("cannot resize variables that require grad: pass tensor.data, or use torch.no_grad()")


def set_layout(tensor, anchor, full, offset, size, stride):
    """Gives ``tensor`` (None: a new one) the given layout, ``offset`` elements behind the beginning of ``anchor``.

    full: behind that of the storage which ``anchor`` lies on.
    """
    if not size:
        size, stride = (0,), (1,)
    if tensor is None:
        tensor = torch.empty(0, dtype=anchor.dtype, device=anchor.device)
    elif not (tensor.is_leaf and tensor.numel() == prod(size)):
        check_resizing(tensor)
    layout = anchor.untyped_storage(), _offset(anchor, full) + offset, size, stride
    if not tensor.requires_grad:
        return tensor.set_(*layout)
    with torch.no_grad():
        return tensor.set_(*layout)


def names_lost_references():
    """Whether TORCHTHAW_DEBUG asks for warnings of C that frees what it does not own."""
    return config.switch("TORCHTHAW_DEBUG")


def name_lost_references(function, name, index, here, below):
    """A UserWarning for the caller: C gave up references to an argument, or to the storage below a tensor.

    name: of the parameter, "" where ``index`` is behind the last one. here, below: how many references.
    """
    for count, what in (here, ""), (below, " to its storage"):
        if count:
            lost = f"{count} reference{'s' if count > 1 else ''}{what} that it does not own"
            message = f"{function}: {name or f'argument {index + 1}'}: C gave up {lost}; it must not free an argument"
            warnings.warn(message, stacklevel=_level_of_caller())


def _level_of_caller():
    """The ``stacklevel`` with which a function that calls this one warns the code that called torchthaw."""
    level, frame = 2, sys._getframe(2)
    while frame.f_back is not None and frame.f_globals.get("__name__", "").partition(".")[0] == "torchthaw":
        level, frame = level + 1, frame.f_back
    return level


def refuse(argument):
    """Raises why C cannot see this tensor."""
    if not issubclass(type(argument), torch.Tensor):
        raise TypeError(f"expected a storage of a type that TH has, got {argument.dtype}")
    error, got = errors.what_is_wrong(torch, argument, DTYPES.values())
    try:
        on_cuda = argument.is_cuda
    except Exception:  # its own, which `got` names
        on_cuda = False
    expected = "CUDA tensor of a type that THC has" if on_cuda else "CPU tensor of a type that TH has"
    raise error(f"expected a {expected}, got {got}")
