"""torchthaw/legacy/doctor/symbols.py: which names TH and THC had, and which names in C code they never had."""

import difflib
import functools
import re
from pathlib import Path

TYPES = {
    "B": "Byte", "C": "Char", "S": "Short", "I": "Int", "L": "Long", "F": "Float", "D": "Double", "H": "Half"
}  # fmt: skip

# A call or a prototype; THTensor_(name)( is one too.
USED = re.compile(r"\b(_?TH\w*?_)\(\s*(\w+)\s*\)|\b(_?TH\w+)(?=\s*\()")
GENERIC = {"TH": ("Tensor_", "Storage_", "Blas_", "Vector_", "Lapack_"), "THC": ("Tensor_", "Storage_")}
DEFINED = re.compile(
    r"#\s*define\s+(\w+)|\btypedef\b[^;]*?\b(\w+)\s*;|"
    r"\b(\w+)\s*\([^;{}()]*(?:\([^;{}()]*\)[^;{}()]*)*\)\s*\{"
)
TYPE = re.compile(r"TH\w*(Tensor|Storage)|TH\w*(State|Generator|Allocator)")
LATER = re.compile(r"Legacy(All|NoScalars|WithScalars)\b")


@functools.cache
def table():
    """{function: None} of every function and function-like macro, THFloatTensor_fill as well as THTensor_(fill)."""
    known = {}
    for line in Path(__file__).with_name("symbols.txt").read_text().splitlines():
        if line.startswith("#"):
            continue
        pattern, *rest = line.split()
        if pattern == "-":
            known.update(dict.fromkeys(rest))
            continue
        kind = re.sub(r"TH(Cuda)?\*", lambda match: "THC" if match[1] else "TH", pattern)
        for ending in rest[1:]:
            known[f"{kind}({ending})"] = None
            for initial in rest[0]:
                type = "" if "Cuda" in pattern and initial == "F" else TYPES[initial]
                known[pattern.replace("*", type) + ending] = None
    return known


def defined(code):
    """Names that this C code defines itself, as functions, macros or types."""
    return {name for match in DEFINED.finditer(code) for name in match.groups() if name}


def unknown(code, own):
    """[(position, name, the name that was meant or None)] of TH names in C code that nothing defines; once per name."""
    known, seen, found = table(), set(), []
    for match in USED.finditer(code):
        generic, ending, plain = match.groups()
        if generic:
            prefix = "THC" if generic.startswith("THC") else "TH"
            if generic.removeprefix(prefix) not in GENERIC[prefix]:
                continue  # a macro of the project
            name = f"{generic}({ending})"
        elif plain.endswith("_") or TYPE.fullmatch(plain):
            continue
        else:
            name = plain
        if name in seen or name in known or name in own or (generic and generic in own):
            continue
        seen.add(name)
        found.append((match.start(), name, _meant(name, known)))
    return found


def _meant(name, known):
    early = LATER.sub("", name).replace("THCudaFloat", "THCuda")
    if early in known:
        return early
    close = difflib.get_close_matches(early, known, n=1, cutoff=0.95)
    return close[0] if close else None
