# tests/legacy/create_extension/field_project/build.py: a build file that runs compilers and interpreters of its own
# before create_extension.
import os
import subprocess
import sys

import torch
from torch.utils.ffi import create_extension

this = os.path.dirname(os.path.realpath(__file__))
include = os.path.join(os.path.dirname(torch.__file__), "lib", "include")

command = ["g++", "-std=c++11", "-O2", "-fPIC", "-fopenmp", "-I" + include, "-I" + os.path.join(include, "TH")]
for name in ("own", "throws"):
    subprocess.check_call(command + ["-c", "src/%s.cpp" % name, "-o", "src/%s.o" % name], cwd=this)
subprocess.check_call(["make", "-s", "-C", "native", "TORCH=" + include], cwd=this)
subprocess.check_call([sys.executable, "child.py"], cwd=this)

ffi = create_extension(
    "lib",
    headers=["src/lib.h"],
    sources=["src/lib.c"],
    extra_objects=["src/own.o", "src/throws.o", "native/made.o", "native/libplain.so"],
    include_dirs=["include"],
    extra_compile_args=["-std=c99", "-fopenmp"],
    relative_to=__file__,
    verbose=False,
)

if __name__ == "__main__":
    ffi.build()
