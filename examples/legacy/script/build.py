"""build.py: makes the package _ext.my_lib."""

from torch.utils.ffi import create_extension

ffi = create_extension(
    "_ext.my_lib",
    headers=["src/my_lib.h"],
    sources=["src/my_lib.c"],
    define_macros=[],
    relative_to=__file__,
    with_cuda=False,
)

if __name__ == "__main__":
    ffi.build()
