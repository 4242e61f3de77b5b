"""tests/cuda_on_cpu/test_headers.py: our headers of ATen/cuda and c10/cuda include what PyTorch's own include."""

import re
from pathlib import Path

import pytest
import torch

from torchthaw.cuda_on_cpu import toolkit_folder

OURS = toolkit_folder.HEADERS.parents[1] / "include_pytorch"
THEIRS = Path(torch.__file__).parent / "include"
NAMES = sorted(path.relative_to(OURS).as_posix() for path in OURS.rglob("*.h"))


def included(name, folder):
    """The names of all headers of PyTorch's CUDA that one includes, itself or by others; those that we have."""
    found, rest = set(), [name]
    while rest:
        path = folder / rest.pop()
        if path in found or not path.is_file():
            continue
        found.add(path)
        rest += re.findall(r"^#include <((?:ATen|c10)/cuda/[^>]+)>", path.read_text(), re.MULTILINE)
    return {path.relative_to(folder).as_posix() for path in found} & set(NAMES)


@pytest.mark.parametrize("name", NAMES)
def test_what_a_header_brings(name):
    if not (THEIRS / name).is_file():
        pytest.skip(f"this PyTorch has no {name}")
    assert included(name, THEIRS) <= included(name, OURS)
