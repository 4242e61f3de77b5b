"""tests/support/cuda_on_cpu.py: calls nvcc of CUDA on the CPU, and runs what it makes."""

import os
import subprocess
from pathlib import Path

from support import TESTS
from torchthaw.cuda_on_cpu import toolkit_folder

SAMPLES = TESTS / "cuda_on_cpu" / "samples"


def nvcc(*words, check=False, cwd=None):
    """The finished process of nvcc."""
    return run(toolkit_folder.home() / "bin" / "nvcc", *words, check=check, cwd=cwd)


def run(*command, check=False, cwd=None, **variables):
    """The finished process, with its output and its errors as text."""
    variables = {"TORCHTHAW_CUDA_CHECK": "1" if check else "0"} | variables
    return subprocess.run([*command], capture_output=True, text=True, cwd=cwd, env=os.environ | variables, timeout=240)


def program(name, folder, check=False, flags=()):
    """The program of a sample, compiled."""
    path = Path(folder) / (name + ("_checked" if check else ""))
    result = nvcc(*flags, "-o", path, SAMPLES / f"{name}.cu", check=check)
    assert result.returncode == 0, result.stderr
    return path


def line(name, mark):
    """Where a sample has the comment ``mark``: its file and line, with a colon between them."""
    lines = (SAMPLES / f"{name}.cu").read_text().splitlines()
    (found,) = [i for i, text in enumerate(lines, 1) if text.rstrip().endswith(f"// {mark}")]
    return f"{name}.cu:{found}"
