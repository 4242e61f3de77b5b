"""Stands for a C extension: its functions read and write the memory of tensors, whatever the strides are."""
import torch


def memory(tensor):
    if tensor.untyped_storage().nbytes() < tensor.numel() * tensor.element_size():
        raise RuntimeError("read past the end of the memory")
    return torch.as_strided(tensor.detach(), (tensor.numel(),), (1,))


def scale_forward(input, output, factor):
    output.resize_(input.size())
    memory(output).copy_(memory(input) * factor)
    return 1


def scale_backward(grad_output, grad_input, factor):
    grad_input.resize_(grad_output.size())
    memory(grad_input).copy_(memory(grad_output) * factor)
    return 1
