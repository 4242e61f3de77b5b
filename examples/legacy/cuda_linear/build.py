"""build.py: makes the package _ext.linear_cuda, whose kernels make.sh has compiled."""

import os

from torch.utils.ffi import create_extension

this_file = os.path.dirname(os.path.realpath(__file__))

ffi = create_extension(
    "_ext.linear_cuda",
    headers=["src/linear_cuda.h"],
    sources=["src/linear_cuda.c"],
    define_macros=[("WITH_CUDA", None)],
    relative_to=__file__,
    with_cuda=True,
    extra_objects=[os.path.join(this_file, "src/linear_kernel.cu.o")],
    extra_compile_args=["-std=c99"],
)

if __name__ == "__main__":
    ffi.build()
