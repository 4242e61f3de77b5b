"""torchthaw/legacy/doctor/c_files.py: what rules of one line cannot see in C, C++ and CUDA files."""

import re

from . import symbols
from .rules import CHECK, EDIT, WORKS

READS_DATA = re.compile(r"\bTH\w+?_\(?data\)?\s*\(|->\s*storage\s*->\s*data\b")
ASKS_STRIDES = re.compile(r"[sS]tride|isContiguous|newContiguous|TH_TENSOR_")
STRIDES = (
    "reads tensors as flat arrays and never asks for strides; today more operations give transposed results: "
    "run once with TORCHTHAW_DEBUG=1"
)

PARALLEL = re.compile(r"#\s*pragma\s+omp\s+parallel\b(?:\\\n|[^\n])*")
RAISES = re.compile(r"\bTH(?:Error|ArgCheck|Assert)\w*\s*\(")
IN_THREAD = "an error in a parallel region, which used to end the process, is raised when its threads have ended"


def examine(report, project, file):
    code, lines = project.code[file], project.texts[file].split("\n")

    def add(position, effect, rule, message, edit=None):
        line = code.count("\n", 0, position) + 1
        before = lines[line - 1].strip()
        report.add(line, effect, rule, message, before, edit and edit(before))

    for position, name, meant in symbols.unknown(code, project.own_names):
        message = f"{name}: TH and THC up to 0.4.0 have no such function" + (f"; {meant} is one" if meant else "")
        add(position, EDIT, "unknown-symbol", message, meant and (lambda before: _renamed(before, name, meant)))
    reads = READS_DATA.search(code)
    if reads and not ASKS_STRIDES.search(code):
        add(reads.start(), CHECK, "strides", STRIDES)
    for pragma in PARALLEL.finditer(code):
        for raises in RAISES.finditer(code, pragma.end(), _end_of_statement(code, pragma.end())):
            add(raises.start(), WORKS, "parallel-error", IN_THREAD)
    include = re.search(r"#\s*include\s*<ATen/", code)
    if include and not report.count(EDIT):
        add(include.start(), WORKS, "aten-include", "nothing of ATen is used; its header may stay")


def _renamed(before, name, meant):
    """``before`` with ``meant`` for ``name``; of THTensor_(name) the part in parentheses."""
    old, new = (whole.rpartition("(")[2].removesuffix(")") for whole in (name, meant))
    return re.sub(rf"\b{old}\b", new, before)


def _end_of_statement(code, position):
    """The end of the statement at ``position``: its ``;`` or closing brace."""
    depth = 0
    for token in re.compile(r"[(){};]").finditer(code, position):
        depth += {"(": 1, "{": 1, ")": -1, "}": -1}.get(token[0], 0)
        if depth <= 0 and token[0] in ";}":
            return token.end()
    return len(code)
