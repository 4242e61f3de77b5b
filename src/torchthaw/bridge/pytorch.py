"""torchthaw/bridge/pytorch.py: what the bridge uses of PyTorch."""

import ctypes
import sys
from contextlib import nullcontext

from ..base import config
from . import _bridge
from .private_names import body_offset, get, has, is_being_imported, memory_layout, storage_memory

# DLPack's code of a dtype that a C parameter can have, by the word in its name; others pass as void * only.
WORDS = "int", "uint", "float", "bfloat", "complex", "bool"
CODES = {word: getattr(_bridge, f"DLPACK_{word.upper()}") for word in WORDS}

# Read here, where nobody takes its ValueError for one of PyTorch's.
USES_DLPACK = not config.switch("TORCHTHAW_NO_DLPACK")


def access():
    """What _bridge asks for when it meets PyTorch: two types, DLPack's exchange table or None, and functions."""
    torch = sys.modules["torch"]
    capsule = get("exchange_table") if USES_DLPACK else None
    # Without CUDA in PyTorch there is no CUDA tensor, and nobody asks for these.
    has_cuda = torch.backends.cuda.is_built()
    stream, device = (get("current_raw_stream"), get("exchange_device")) if has_cuda else (None, None)
    types = torch.Tensor, torch.nn.Parameter
    return *types, capsule, describe, get("increment_version"), torch.is_grad_enabled, stream, device


def broken():
    """Why the module ``torch`` of this process is no PyTorch that works, with its file; "" where it is, or there is none."""
    torch = sys.modules.get("torch")
    if torch is None or is_being_imported(torch):
        return ""
    try:
        for ask in (access, view_base, mode_count, body_functions):
            ask()
    except MemoryError:
        raise
    except Exception as error:
        place = getattr(torch, "__file__", None) or next(
            iter(getattr(torch, "__path__", ())), "a module without a file"
        )
        return f"{place}: {type(error).__name__}: {error}"
    return ""


def require():
    """Imports torch. ImportError for one that is no PyTorch that works, with its file."""
    import torch  # noqa: F401

    why = broken()
    if why:
        raise ImportError(f"torch: expected a PyTorch that works, got {why}", name="torch")


def may_have_kernels():
    """Whether kernels of operators may be C functions, as far as the environment says."""
    return not config.switch("TORCHTHAW_NO_NATIVE_KERNELS")


def view_base():
    """The property of tensors that is the tensor which a view was made of, or None."""
    return get("view_base")


def mode_count():
    """(the address of the C function that counts the active dispatch modes, or 0; a Python function that does)."""
    return _address(get("mode_count_in_c")), get("mode_count")


def body_functions():
    """(at which byte of a Python tensor the address of its C++ body stands, and the addresses of C++ functions that
    describe a body, tell whether it requires grad, count a write to it, and resize it); 0 for what cannot be used.
    """
    names = "read_in_c", "requires_grad_in_c", "bump_version_in_c", "resize_in_c"
    if get("body") is None:
        return (0,) * (1 + len(names))
    return body_offset(), *(_address(get(name)) for name in names)


def body_layout():
    """A BodyLayout of pytorch.h; zeros where it is not known."""
    return (0,) * 5 if get("body") is None or get("dispatch_keys") is None else memory_layout()


def holds_values(tensor):
    """Whether the memory of a dense tensor holds its values, all of them, in C++ as in Python."""
    with nullcontext() if type(tensor) in _plain_types() else _without_subclasses():
        return not (tensor.is_conj() or tensor.is_neg() or missing_bytes(tensor))


def missing_bytes(tensor):
    """``"needs 400 bytes of a storage of 64"`` where a tensor's storage was made smaller than the tensor; else ""."""
    if not tensor.numel():
        return ""
    extent = 1 + sum((size - 1) * stride for size, stride in zip(tensor.shape, tensor.stride()))
    needed = (tensor.storage_offset() + extent) * tensor.element_size()
    found = tensor.untyped_storage().nbytes()
    return f"needs {needed} bytes of a storage of {found}" if needed > found else ""


def memory_deleter():
    """The address of the function that frees memory from PyTorch's allocator for the CPU; 0 where that is not known."""
    return 0 if get("storage_body") is None else storage_memory()[1]


def memory_of(storage):
    """Where a storage's C++ body has the addresses of its memory, of the function that frees it, and of what that
    function gets. Only where ``memory_deleter`` is known."""
    return get("storage_body").__get__(storage) + storage_memory()[0]


def gradient_functions():
    """The addresses of the C functions that tell whether a tensor requires grad, and its tangent; 0 without them."""
    return _address(get("requires_grad_in_c")), _address(get("tangent_in_c"))


def schema_types(space, name):
    """The types in an operator's schema, ``"(Tensor, Optional[Tensor]) -> (Tensor)"``; ``"no schema"`` without one."""
    operator, _, overload = name.partition(".")
    for schema in get("operator_schemas")(f"{space}::{operator}"):
        if schema.overload_name == overload:
            inputs, outputs = ([str(each.type) for each in part] for part in (schema.arguments, schema.returns))
            return f"({', '.join(inputs)}) -> ({', '.join(outputs)})"
    return "no schema"


def _address(function):
    """Of a C function that ctypes found; 0 for None."""
    return 0 if function is None else ctypes.cast(function, ctypes.c_void_p).value


def describe(tensor):
    """(address, count, contiguous, on the CPU, DLPack code, bits, CUDA device or -1) by attributes: PyTorch < 2.10."""
    torch = sys.modules["torch"]
    if type(tensor) in _plain_types():
        return _describe(torch, tensor)
    with _without_subclasses():
        return _describe(torch, tensor)


def _plain_types():
    torch = sys.modules["torch"]
    return torch.Tensor, torch.nn.Parameter


def storage_below(tensor):
    """The storage of a tensor of any class."""
    with _without_subclasses():
        return tensor.untyped_storage()


def _without_subclasses():
    """Without their __torch_function__, which could resize a tensor that was read before."""
    return get("without_subclasses")() if has("without_subclasses") else nullcontext()


def _describe(torch, tensor):
    if tensor.layout is not torch.strided or tensor.is_quantized or tensor.is_nested:
        raise BufferError("expected a dense tensor")
    on_cpu = tensor.device.type == "cpu"
    word = str(tensor.dtype).removeprefix("torch.").rstrip("0123456789")
    code = CODES.get(word, -2)
    count = tensor.numel()
    cuda = tensor.get_device() if tensor.is_cuda else -1
    address = tensor.data_ptr() if (on_cpu or cuda >= 0) and count else 0
    return address, count, tensor.is_contiguous(), on_cpu, code, 8 * tensor.element_size(), cuda
