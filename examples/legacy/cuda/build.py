"""build.py: makes my_package._ext.my_lib, whose kernel make.sh has compiled."""

import os

from torch.utils.ffi import create_extension

this_file = os.path.dirname(os.path.realpath(__file__))
extra_objects = [os.path.join(this_file, "src/add_kernel.cu.o")]

ffi = create_extension(
    "my_package._ext.my_lib",
    headers=["src/my_lib.h", "src/my_lib_cuda.h"],
    sources=["src/my_lib.c", "src/my_lib_cuda.c"],
    define_macros=[("WITH_CUDA", None)],
    package=True,
    relative_to=__file__,
    with_cuda=True,
    extra_objects=extra_objects,
)

if __name__ == "__main__":
    ffi.build()
