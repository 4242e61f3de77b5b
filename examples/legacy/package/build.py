"""build.py: names the extension module my_package._ext.my_lib for setup.py."""

from torch.utils.ffi import create_extension

ffi = create_extension(
    "my_package._ext.my_lib",
    headers=["src/my_lib.h"],
    sources=["src/my_lib.c"],
    package=True,
    relative_to=__file__,
)

if __name__ == "__main__":
    ffi.build()
