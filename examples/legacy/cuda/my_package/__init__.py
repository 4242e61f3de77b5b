"""my_package: addition of tensors in C and CUDA."""

from ._ext import my_lib


def add(input1, input2):
    output = input1.new()
    forward = my_lib.my_lib_add_forward_cuda if input1.is_cuda else my_lib.my_lib_add_forward
    if not forward(input1, input2, output):
        raise ValueError("expected two tensors of one shape")
    return output
