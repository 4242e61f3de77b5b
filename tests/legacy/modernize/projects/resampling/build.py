import os

from torch.utils.ffi import create_extension

here = os.path.abspath(os.path.dirname(__file__))
ffi = create_extension(
    "resampling._ext.columns",
    headers=["src/columns.h"],
    sources=["src/columns.c"],
    package=True,
    relative_to=__file__,
)

if __name__ == "__main__":
    ffi.build()
