# tests/cuda_on_cpu/test_device_extensions.py: C++ extensions with CUDA code, built and called with a PyTorch for CPUs.
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import torch

from support import SRC
from torchthaw.cuda_on_cpu import device

SAMPLE = Path(__file__).parent / "samples" / "extension"
VERSION = tuple(map(int, re.findall(r"\d+", torch.__version__)[:2]))
pytestmark = [
    pytest.mark.skipif(VERSION < device.OLDEST, reason="the CUDA device on the CPU needs PyTorch 2.7"),
    pytest.mark.skipif(torch.version.cuda is not None, reason="the CUDA device on the CPU needs a PyTorch for CPUs"),
]


def run(folder, *words):
    made = subprocess.run(
        [sys.executable, "-m", "torchthaw", "run", *map(str, words)], cwd=folder, capture_output=True, text=True,
        env={**os.environ, "PYTHONPATH": str(SRC), "TORCHTHAW_CUDA": "cpu"},
    )  # fmt: skip
    assert made.returncode == 0, made.stdout + made.stderr
    return made.stdout


def test_setup_py(tmp_path):
    sample = shutil.copytree(SAMPLE, tmp_path / "sample")
    run(sample, "setup.py", "build_ext", "--inplace")
    assert run(sample, "check.py", sample, "scale_of_tests") == "right\n"


def test_load(tmp_path):
    sample = shutil.copytree(SAMPLE, tmp_path / "sample")
    made = tmp_path / "made"
    made.mkdir()
    run(sample, "load.py", made)
    assert run(sample, "check.py", made, "scale_by_load") == "right\n"
