# Loads faults.cu, built in the folder of the first argument, and calls the function that the second one names.
import os
import sys

import torch
from torch.utils.cpp_extension import load

extension = load("faults", ["faults.cu"], build_directory=sys.argv[1])
x = torch.ones(32, device="cuda")
assert "libasan" not in os.environ.get("LD_PRELOAD", "")  # compilers go without it
try:
    extension.throws()
except RuntimeError as error:
    assert str(error) == "thrown"
extension.double_it(x.data_ptr())
assert x.sum().item() == 64
if len(sys.argv) > 2:
    getattr(extension, sys.argv[2])(x.data_ptr())
print("end")
