"""tests/support/cuda_device.py: the marks of tests that need PyTorch's CUDA device on the CPU."""

import re

import pytest
import torch

from torchthaw.cuda_on_cpu import build_device

VERSION = tuple(map(int, re.findall(r"\d+", torch.__version__)[:2]))
OF_CUDA = (torch.version.cuda or build_device.CUDA[0]).partition(".")[0]
NEEDED = [
    pytest.mark.skipif(VERSION < build_device.OLDEST, reason="the CUDA device on the CPU needs PyTorch 2.7"),
    pytest.mark.skipif(OF_CUDA not in build_device.CUDA, reason="this PyTorch is for a CUDA whose structs are others"),
]
