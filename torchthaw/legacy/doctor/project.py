"""torchthaw/legacy/doctor/project.py: the files of a legacy project, read once."""

import os
import re
from functools import cached_property
from pathlib import Path

from . import symbols
from .rules import C, PYTHON, SHELL
from .source import C_TOKENS, blank

PYTHON_FILES = {".py"}
C_FILES = {".c", ".h", ".cc", ".cpp", ".cxx", ".hpp", ".cu", ".cuh"}
SHELL_FILES = {".sh", ".bash", ".cmake", ".mk"}
SHELL_NAMES = {"Makefile", "makefile", "GNUmakefile", "CMakeLists.txt"}
BINARIES = {".so", ".o", ".pyd", ".a", ".dylib"}
SKIPPED = {"__pycache__", "node_modules", "site-packages"}

PROTOTYPE = re.compile(r"\b(\w+)\s*\(([^(){};]*\bTH\w*(?:Tensor|Storage)\b[^(){};]*)\)\s*;")


def kind(path):
    """PYTHON, C, SHELL, "binary", or None for a file that is passed over."""
    if path.name in SHELL_NAMES or path.suffix in SHELL_FILES:
        return SHELL
    if path.suffix in BINARIES or re.search(r"\.so\.\d+(\.\d+)*$", path.name):
        return "binary"
    return PYTHON if path.suffix in PYTHON_FILES else C if path.suffix in C_FILES else None


def files_below(path):
    """The files below ``path`` that say something about a project, in order; ``path`` itself if it is a file."""
    if path.is_file():
        return [path]
    found = []
    for folder, names, members in os.walk(path):
        names[:] = sorted(name for name in names if name not in SKIPPED and not name.startswith("."))
        found += [Path(folder, member) for member in sorted(members) if kind(Path(member))]
    return found


class Project:
    """The files at ``path`` and their texts; OSError where they cannot be read."""

    def __init__(self, path):
        path = Path(path)
        if not path.exists():
            raise FileNotFoundError(f"expected a folder or a file, got {str(path)!r}, which does not exist")
        self.root = path if path.is_dir() else path.parent
        self.files = files_below(path)
        readable = [file for file in self.files if kind(file) in (PYTHON, C, SHELL)]
        self.texts = {file: file.read_text(encoding="utf-8", errors="replace") for file in readable}
        # C code without comments and strings.
        self.code = {
            file: blank(text, C_TOKENS, ("comment", "string")) for file, text in self.texts.items() if kind(file) == C
        }

    @cached_property
    def own_names(self):
        """What its C code defines itself."""
        return set().union(*map(symbols.defined, self.code.values())) if self.code else set()

    @cached_property
    def parameter_counts(self):
        """{C function with tensors, declared in a header: how many parameters it has}, where that is one number."""
        counts = {}
        for file, code in self.code.items():
            if file.suffix == ".h":
                for name, parameters in PROTOTYPE.findall(code):
                    counts.setdefault(name, set()).add(parameters.count(",") + 1)
        return {name: min(count) for name, count in counts.items() if len(count) == 1}
