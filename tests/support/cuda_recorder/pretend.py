"""tests/support/cuda_recorder/pretend.py: makes PyTorch's CPU tensors pass for tensors on a GPU, in the process that asks.

The CUDA operators then run on the CPU: TORCHTHAW_CUDA must be cpu. `elsewhere(tensor)` moves one to
another device, as far as anyone asks, and all tensors that share its memory.
"""

import torch

from torchthaw.bridge import pytorch

STREAM = 4096  # of device 0; device n has n more
current = [0]
exchanged = []
unmarked = [0]  # where tensors are that nobody moved; -1: on the CPU


def elsewhere(tensor, device=1):
    tensor.untyped_storage().pretended_device = device
    return tensor


def device_of(tensor):
    try:
        storage = tensor.untyped_storage()
    except (NotImplementedError, RuntimeError):
        return unmarked[0]
    return getattr(storage, "pretended_device", unmarked[0])


def describe(tensor):
    address, count, contiguous, on_the_cpu, code, bits, _ = on_cpu(tensor)
    device = device_of(tensor)
    return address, count, contiguous, on_the_cpu and device < 0, code, bits, device


def exchange(device):
    exchanged.append(device)
    before, current[0] = current[0], device
    return before


def access():
    *types, _, _, increment_version, is_grad_enabled, _, _ = real()
    return *types, None, describe, increment_version, is_grad_enabled, lambda device: STREAM + device, exchange


def body_functions():
    """Without those that would see where a tensor really is."""
    offset, _, requires_grad, bump_version, _ = real_body_functions()
    return offset, 0, requires_grad, bump_version, 0


on_cpu, real, real_body_functions = pytorch.describe, pytorch.access, pytorch.body_functions
pytorch.access, pytorch.body_functions = access, body_functions


def pretend():
    """From here on: tensors that were made before, and what they are compared with, were on the CPU."""
    torch.Tensor.is_cuda = property(lambda tensor: device_of(tensor) >= 0)
    torch.Tensor.is_cpu = property(lambda tensor: device_of(tensor) < 0)
    torch.Tensor.get_device = device_of
