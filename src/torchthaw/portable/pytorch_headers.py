"""torchthaw/portable/pytorch_headers.py: what the headers of the PyTorch at hand have of a name that torchthaw's lack."""

import re
from importlib import metadata

from ..base import installed_torch
from . import operators

FOLDERS = ("ATen", "c10", "torch", "pybind11", "caffe2")  # of torch/include
WORD = re.compile(r"\w+")


def note(names: list[str]) -> dict[str, str]:
    """{name: what follows it in a message}: since when PyTorch has an operator, or that this PyTorch lacks the name too.

    names: headers, macros, and names of C++ with their namespace. "" where nothing is known that helps.
    """
    version, include = metadata.version("torch"), installed_torch.include()[0]
    last = {name: WORD.findall(name.rpartition("::")[2])[-1:] for name in names if "/" not in name}
    mentioned = _mentioned(include, {word for words in last.values() for word in words})
    found = {}
    for name in names:
        first = operators.first_with(name)
        is_there = (include / name).is_file() if "/" in name else mentioned.issuperset(last[name])
        found[name] = (
            f"; PyTorch has it since {first}" if first else "" if is_there else f", nor by those of PyTorch {version}"
        )
    return found


def _mentioned(include, words):
    """Those of ``words`` that a header of PyTorch has."""
    if not words:
        return set()
    any_of, found = re.compile(rb"\b(?:%s)\b" % b"|".join(word.encode() for word in sorted(words))), set()
    for folder in FOLDERS:
        for path in sorted((include / folder).rglob("*.h")):
            found |= {word.decode() for word in any_of.findall(path.read_bytes())}
    return found
