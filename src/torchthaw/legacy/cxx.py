"""torchthaw/legacy/cxx.py: the C++ compiler as CMake calls it under run, with what the sources of old projects need."""

import os
import sys
from pathlib import Path

from . import cpp_extension, cxx_standard

SUFFIXES = (".cc", ".cpp", ".cxx", ".C")


def run(command):
    """Runs a compiler's command in place of this process: with the standard that PyTorch needs, and where it names
    CUDA's headers, with what C++ needs for these. Prints what was replaced, and what will make the source fail.
    """
    words, changes = cxx_standard.current(command, cxx_standard.of_command(command))
    for change in changes:
        print(f"torchthaw: {change}", file=sys.stderr)
    sources = [word for word in words if Path(word).suffix in SUFFIXES]
    words += cpp_extension.needs(sources, cxx_standard.folders(words)).cxx
    sys.stderr.flush()
    os.execvp(words[0], words)
