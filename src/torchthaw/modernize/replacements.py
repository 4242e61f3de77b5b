"""torchthaw/modernize/replacements.py: what PyTorch and torchvision have today of what old projects brought."""

import os
import re
from contextlib import suppress
from pathlib import Path

from ..base import reading
from ..header import prototypes
from .remarks import Remark
from .replacement_table import TABLE

# Words of a name that say nothing about what is computed.
WORDS = re.compile(
    "function|fun|func|layer|module|forward|backward|update|output|grad|input|acc|parameters|launcher|laucher|wrapper|"
    "apply|cuda|cpu|gpu|float|double|ext|op|ops|lib|kernel|my|static|compute|old"
)
TENSOR = re.compile(r"\bTH\w*Tensor\b")
LARGEST_HEADER = 1 << 20  # bytes


def plain(name):
    """What a name is about: ``ROIPooling_forward_cuda`` and ``RoIPoolFunction`` are both ``roipool``."""
    words = re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", "_", name).lower().split("_")
    return re.sub(r"pooling$", "pool", "".join(word for word in words if word and not WORDS.fullmatch(word)))


def find(name):
    """The Replacement of what has this name, or None."""
    name = plain(name)
    return next((each for each in TABLE if re.fullmatch(each.names, name)), None)


def hints(result):
    """A Remark of kind "hint" for each operator of the project that PyTorch or torchvision has, or is known to lack.

    Its place is the first of: a Function of that name, one that calls such a C function, its prototype in a header, the
    build file of such an extension.
    """
    found = {}
    for name, path, line in _names(result):
        replacement = find(name)
        if replacement and replacement.what not in found:
            found[replacement.what] = Remark(path, line, "replacement", _message(name, replacement), "hint")
    return list(found.values())


def _names(result):
    """(name, path, line) of what may be an operator."""
    for each in result.functions:
        yield each.name, each.path, each.line
    for each in result.functions:
        for name in each.calls:
            yield name, each.path, each.line
    for path, text in _headers(result.project):
        for name in functions_of_tensors(text):
            line = 1 + text.count("\n", 0, re.search(rf"\b{name}\b", text).start())
            yield name, path.relative_to(result.project).as_posix(), line
    for name in result.old_extensions:
        yield name.rpartition(".")[2], result.build_files[0] if result.build_files else "", 0


def _headers(project):
    """(path, text) of the project's C headers, without what a link or a hidden folder leads to."""
    for folder, folders, names in os.walk(project):
        folders[:] = sorted(each for each in folders if not each.startswith("."))
        for name in sorted(names):
            path = Path(folder, name)
            if name.endswith(".h"):
                with suppress(reading.Unreadable):
                    yield path, reading.read_bytes(path, LARGEST_HEADER, project).decode("utf-8", "replace")


def functions_of_tensors(text):
    """The names of the functions with tensors of TH or THC that a header declares."""
    for statement in prototypes.statements(text):
        function = prototypes.FUNCTION.fullmatch(statement)
        if function and TENSOR.search(function["parameters"]):
            yield function["name"]


def _message(name, replacement):
    note = f"; {replacement.note}" if replacement.note else ""
    if not replacement.call:
        return f"{name}, {replacement.what}: nothing replaces it{note}"
    return f"{name}, {replacement.what}: {replacement.call} does this today{note}"
