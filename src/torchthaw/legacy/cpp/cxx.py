"""torchthaw/legacy/cpp/cxx.py: the C++ compiler as CMake calls it under run, with what the sources of old projects need."""

import os
import sys
from pathlib import Path

from . import cpp_extension, cxx_standard, pybind11_headers

SUFFIXES = (".cc", ".cpp", ".cxx", ".C")


def run(command):
    """Runs a compiler's command in place of this process: with the standard that PyTorch needs, a pybind11 for this
    Python, and what C++ needs for CUDA's headers. Prints what was replaced, and what will make the source fail.
    """
    folders = cxx_standard.folders(command)
    (compiler, *words), replaced = cxx_standard.current(command, cxx_standard.of_command(command))
    first, others = pybind11_headers.before(folders)
    for change in [*replaced, *others]:
        print(f"torchthaw: {change}", file=sys.stderr)
    sources = [word for word in words if Path(word).suffix in SUFFIXES]
    needed = cpp_extension.needs(sources, folders).cxx
    sys.stderr.flush()
    os.execvp(compiler, [compiler, *(f"-I{folder}" for folder in first), *words, *needed])
