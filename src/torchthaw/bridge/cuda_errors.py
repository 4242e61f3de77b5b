"""torchthaw/bridge/cuda_errors.py: why a function on a GPU refused an argument."""

import sys

from . import _bridge, errors


def refuse(name, kind, flags, code, bits, argument, cause, device):
    """Raises what is wrong with a tensor, as ``errors.refuse``; ``device``: where those before it are, or -1."""
    errors.raise_if_serious(cause)
    torch = sys.modules.get("torch")
    on = "CUDA tensor" if device < 0 else f"tensor on cuda:{device}"
    want = errors.expected(kind, flags, code, bits).replace("CPU tensor", on)
    if torch is None or not isinstance(argument, torch.Tensor):
        raise TypeError(f"{name}: expected {want}, got {type(argument).__name__}") from cause
    if not argument.is_cuda or (device >= 0 and argument.get_device() != device):
        error, got = TypeError, f"one on {argument.device}"
    else:
        dtype, written = errors.DTYPES.get((code, bits)), bool(flags & _bridge.THAW_WRITTEN)
        error, got = errors.wrong_memory(torch, argument, dtype, written, cause, argument.device.type)
    raise error(f"{name}: expected {want}, got {got}") from cause


def refuse_stream(name, kind, flags, code, bits, argument, cause, device):
    """Raises what is wrong with the last argument."""
    raise TypeError(
        f"{name}: expected the address of a stream, as torch.cuda.Stream.cuda_stream, or None for the current one, "
        f"got {type(argument).__name__}"
    ) from cause
