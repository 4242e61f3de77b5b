"""build.py: makes the package _ext.pooling."""

import os

import torch
from torch.utils.ffi import create_extension

sources = ["src/pooling.c"]
headers = ["src/pooling.h"]
defines = [("POOLING_VERSION", "2")]
extra_objects = []
with_cuda = False

if torch.cuda.is_available():
    print("Including CUDA code.")
    sources += ["src/pooling_cuda.c"]
    headers += ["src/pooling_cuda.h"]
    defines += [("WITH_CUDA", None)]
    extra_objects += ["src/cuda/pooling_kernel.cu.o"]
    with_cuda = True

this_file = os.path.dirname(os.path.realpath(__file__))
extra_objects = [os.path.join(this_file, name) for name in extra_objects]

ffi = create_extension(
    "_ext.pooling",
    headers=headers,
    sources=sources,
    define_macros=defines,
    include_dirs=[os.path.join(this_file, "src")],
    relative_to=__file__,
    with_cuda=with_cuda,
    extra_objects=extra_objects,
    extra_compile_args=["-std=c99", "-fopenmp"],
)

if __name__ == "__main__":
    ffi.build()
