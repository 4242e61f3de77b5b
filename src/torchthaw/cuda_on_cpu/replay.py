"""python -m torchthaw run -m torchthaw.cuda_on_cpu.replay FILE: runs a launch of TORCHTHAW_CUDA_RECORD again, alone."""

import ctypes
import importlib
import os
import sys

from ..base import config, installed_torch


def main(words):
    """Returns the exit status: 0 if the kernel left the arrays as it had when it was recorded."""
    if len(words) != 1 or words[0].startswith("-"):
        print(__doc__, file=sys.stderr)
        return 2
    if not config.cuda_is_cpu():
        print("torchthaw: replay: expected the environment variable TORCHTHAW_CUDA=cpu, got none", file=sys.stderr)
        return 2
    if installed_torch.folder():
        importlib.import_module("torch")  # an extension of PyTorch needs its libraries
    runtime = ctypes.CDLL(os.fspath(config.library("cuda_on_cpu")), ctypes.RTLD_GLOBAL)
    return runtime.cuda_on_cpu_replay(os.fsencode(words[0]))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
