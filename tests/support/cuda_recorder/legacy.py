"""tests/support/cuda_recorder/legacy.py: PyTorch with pretended GPUs for old projects: tensors are where .cuda() put them.

Importing it begins that, in a process with the environment of thc_probe: libthc and the extensions run on the CPU there.
`machine` is the recorder of what they ask of CUDA.
"""

import ctypes
import os
from pathlib import Path

import torch

from torchthaw.base import config

PREFIX = Path(os.environ["THAW_PRETENDED"])
config.prefix = lambda: PREFIX

from support.cuda_recorder import dlpack, pretend  # noqa: E402
from torchthaw.bridge import pytorch  # noqa: E402
from torchthaw.legacy.ffi import structs as th  # noqa: E402

machine = ctypes.CDLL(os.environ["THAW_RECORDER"])
machine.recorder_last_stream.restype = ctypes.c_size_t

pretend.unmarked[0] = -1
asked = []  # the devices that PyTorch was asked for the stream of
streams = {}  # device -> its current stream, where that is not its default one
allocated = {}  # address -> (bytes, device, stream) of PyTorch's allocator
blocks = {}
allocator = {"limit": 1 << 30}
waiting = []  # for CUDA to be ready


def exchange(device):
    machine.cudaSetDevice(device)
    return pretend.exchange(device)


def access():
    *types, capsule, _, increment, grad, _, _ = pretend.real()
    if capsule is not None:
        capsule = dlpack.table(capsule, pretend.device_of)
    return *types, capsule, pretend.describe, increment, grad, stream, exchange


def stream(device):
    asked.append(device)
    return streams.get(device, pretend.STREAM + device)


def allocate(size, device=None, stream=None):
    if size > allocator["limit"]:
        raise torch.cuda.OutOfMemoryError("CUDA out of memory.")
    if allocator.get("fault"):
        raise RuntimeError(allocator["fault"])
    memory = torch.empty(size, dtype=torch.uint8).fill_(0x5A)
    allocated[memory.data_ptr()] = size, device, stream
    blocks[memory.data_ptr()] = memory
    return memory.data_ptr()


def delete(address):
    del allocated[address], blocks[address]


def use_device(device):
    """torch.cuda.set_device"""
    pretend.current[0] = device
    machine.cudaSetDevice(device)


def initialize():
    while waiting:
        waiting.pop()()


def cuda(tensor, device=None):
    initialize()
    return pretend.elsewhere(tensor.detach().clone(), pretend.current[0] if device is None else device)


def is_shared(storage, real=torch.UntypedStorage.is_shared):
    """As PyTorch has it: always, on a GPU."""
    return getattr(storage, "pretended_device", -1) >= 0 or real(storage)


def marked(method):
    """A method whose result is where its tensor is."""

    def call(self, *args, **kwargs):
        result = method(self, *args, **kwargs)
        device = pretend.device_of(self)
        return pretend.elsewhere(result, device) if device >= 0 else result

    return call


def allocate_tensor(code, bits, count, device, real=th.allocate):
    tensor, address = real(code, bits, count, -1)
    return pretend.elsewhere(tensor, device), address


def empty_tensor(code, bits, on_cuda, real=th.empty):
    return pretend.elsewhere(real(code, bits, False), pretend.current[0] if on_cuda else -1)


pytorch.access = access
th.allocate, th.empty = allocate_tensor, empty_tensor
torch.cuda.caching_allocator_alloc, torch.cuda.caching_allocator_delete = allocate, delete
torch.cuda.is_available, torch.cuda.device_count = lambda: True, lambda: 3
torch.cuda._lazy_call = waiting.append
torch.Tensor.cuda = cuda
torch.UntypedStorage.is_shared = is_shared
torch.Tensor.cpu = torch.Tensor.clone
for name in ("new", "clone", "__add__", "__mul__"):
    setattr(torch.Tensor, name, marked(getattr(torch.Tensor, name)))
pretend.pretend()
