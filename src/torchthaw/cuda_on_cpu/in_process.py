"""torchthaw/cuda_on_cpu/in_process.py: gives the PyTorch that a process imports its CUDA device on the CPU.

PyTorch asks for CUDA while torch._C is loaded, and never again. So the device is loaded just before that, and what
torch.cuda looks for in torch._C is put there before torch.cuda is imported. A PyTorch built for CUDA calls CUDA's runtime
by its plain names: it gets ours, whose names are global before PyTorch loads NVIDIA's.
"""

import ctypes
import os
import sys

from ..base import config, import_hook
from . import build_device, storages, tensor_types, torch_c

_loaded = {}  # the libraries of this process


def start():
    """Changes nothing by itself but sys.meta_path. A second call changes nothing."""
    if _loaded:
        return
    if "torch" in sys.modules:
        raise RuntimeError("TORCHTHAW_CUDA: expected a process that has not imported torch yet, got one that has")
    _loaded["runtime"] = None
    import_hook.before_import("torch", _load_runtime)
    import_hook.before_import("torch._C", _load_device)
    for name, change in CHANGES.items():
        import_hook.at_each_import(name, change)


def _load_runtime(spec):
    _loaded["torch"] = build_device.PyTorch(os.path.dirname(spec.origin))
    _loaded["runtime"] = ctypes.CDLL(os.fspath(config.library("cuda_on_cpu")), ctypes.RTLD_GLOBAL)


def _load_device(spec):
    library = build_device.library(os.path.dirname(spec.origin))
    _loaded["device"] = build_device.declare(ctypes.CDLL(os.fspath(library), ctypes.RTLD_GLOBAL))


def _fill(module):
    torch_c.refuse(module)
    if _loaded["torch"].cuda:
        torch_c.change(module)
        return
    torch_c.fill(module, _loaded["device"], _loaded["runtime"])
    version = torch_c.version(_loaded["runtime"])
    sys.modules["torch.version"].cuda = f"{version // 1000}.{version % 1000 // 10}"


def _serve(torch):
    if not _loaded["torch"].cuda:
        storages.serve(torch)
        tensor_types.serve(torch)


CHANGES = {"torch._C": _fill, "torch": _serve}
