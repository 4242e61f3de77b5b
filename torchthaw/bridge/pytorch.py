"""torchthaw/bridge/pytorch.py: what the bridge uses of PyTorch, by public names."""

import os
import sys

# DLPack's DLDataTypeCode for dtypes that a C parameter can have; others pass as void * only.
CODES = {"int": 0, "uint": 1, "float": 2, "bfloat": 4, "complex": 5, "bool": 6}


def access():
    """What _bridge asks for when it meets PyTorch: the tensor type, DLPack's exchange table or None, and functions."""
    torch = sys.modules["torch"]
    capsule = getattr(torch.Tensor, "__dlpack_c_exchange_api__", None)
    if os.environ.get("TORCHTHAW_NO_DLPACK", "0") != "0":
        capsule = None
    # Without CUDA in PyTorch there is no CUDA tensor, and nobody asks for these.
    stream = getattr(torch._C, "_cuda_getCurrentRawStream", None)
    device = getattr(torch._C, "_cuda_exchangeDevice", None)
    return torch.Tensor, capsule, describe, _version_counter(torch), torch.is_grad_enabled, stream, device


def _version_counter(torch):
    """A function that increments the version counters of a tuple of tensors; inference tensors have none."""
    native = getattr(torch._C, "_increment_version", None)
    try:
        native((torch.empty(0),))
        return native
    except (TypeError, RuntimeError):  # it took one tensor at first
        return lambda tensors: [
            torch.autograd.graph.increment_version(tensor) for tensor in tensors if not tensor.is_inference()
        ]


def describe(tensor):
    """(address, count, contiguous, on the CPU, DLPack code, bits, CUDA device or -1) by attributes: PyTorch < 2.10."""
    torch = sys.modules["torch"]
    if tensor.layout is not torch.strided or tensor.is_quantized or tensor.is_nested:
        raise BufferError("expected a dense tensor")
    on_cpu = tensor.device.type == "cpu"
    word = str(tensor.dtype).removeprefix("torch.").rstrip("0123456789")
    code = CODES.get(word, -2)
    count = tensor.numel()
    cuda = tensor.get_device() if tensor.is_cuda else -1
    address = tensor.data_ptr() if (on_cpu or cuda >= 0) and count else 0
    return address, count, tensor.is_contiguous(), on_cpu, code, 8 * tensor.element_size(), cuda
