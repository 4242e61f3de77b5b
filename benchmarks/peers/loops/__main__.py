"""benchmarks/peers/loops/__main__.py: one way, from its source to the first call

    python -m benchmarks.peers.loops NAME FOLDER

builds it in FOLDER, which is empty, and prints a line of JSON: seconds, and the bytes of the library without its symbols
for debuggers, which some ways of building keep.
"""

import importlib
import json
import subprocess
import sys
from pathlib import Path
from time import perf_counter

import torch

from . import BINDINGS

# What a program that builds so has imported before; it is not timed.
IMPORTED = {
    "pybind11": "torch.utils.cpp_extension",
    "stable ABI": "torch.utils.cpp_extension",
    "tvm-ffi": "tvm_ffi.cpp",
}

name, folder = sys.argv[1], Path(sys.argv[2])
importlib.import_module(IMPORTED.get(name, "torchthaw"))
a, b, output = torch.randn(25), torch.randn(25), torch.empty(25)
start = perf_counter()
library = BINDINGS[name].build(folder)
BINDINGS[name].load(library)(a, b, output, *[25] * (name == "torchthaw"))
seconds = perf_counter() - start
assert torch.equal(output, a + b)
stripped = library.with_name("stripped")
subprocess.run(["strip", "--strip-unneeded", "-o", stripped, library], check=True)
print(json.dumps({"seconds": seconds, "bytes": stripped.stat().st_size}))
