"""my_package: the sum of two tensors, by C code."""

from ._ext import my_lib


def add(input1, input2):
    output = input1.new()
    if not my_lib.my_lib_add_forward(input1, input2, output):
        raise ValueError("expected two tensors of one shape")
    return output
