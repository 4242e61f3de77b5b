"""torchthaw/doctor/symbols.py: which names TH and THC had, and which names in C code they never had."""

import difflib
import functools
import re
from pathlib import Path

from ..base import reading

TYPES = {
    "B": "Byte", "C": "Char", "S": "Short", "I": "Int", "L": "Long", "F": "Float", "D": "Double", "H": "Half"
}  # fmt: skip

# A call or a prototype; THTensor_(name)( is one too.
USED = re.compile(r"\b(_?TH\w*?_)\(\s*(\w+)\s*\)|\b(_?TH\w+)(?=\s*\()")
GENERIC = {"TH": ("Tensor_", "Storage_", "Blas_", "Vector_", "Lapack_"), "THC": ("Tensor_", "Storage_")}
DEFINED = re.compile(
    r"#\s*define\s+(\w+)|\btypedef\b[^;]*?\b(\w+)\s*;|\b(?:struct|class|enum|union)\s+(\w+)\s*[{:]|"
    r"\b(\w+)\s*\([^;{}()]*(?:\([^;{}()]*\)[^;{}()]*)*\)\s*(?:(?:const|noexcept|override|final)\b\s*)*"
    r"(?:->[^;{}()]*|:(?!:)[^;{}]*)?\{|\(\s*\*\s*(\w+)\s*\)\s*\(|\bauto\s+(\w+)\s*=\s*\["
)
# The start of a statement and the words of a type: what is before the name in a prototype, and never in a call.
ANGLES = r"<(?:[^<>;{}]|<(?:[^<>;{}]|<[^<>;{}]*>)*>)*>"
TYPED = (
    r"(?:^|[;{}]|\]\]|\)\)|\b(?:public|protected|private)\s*:)[^\S\n]*"
    r"(?!(?:return|else|case|goto|throw|new|delete|do|sizeof)\b)"
    rf"(?:[A-Za-z_][\w:]*(?:\s*{ANGLES})?[\s*&]+){{1,9}}"
)
INSIDE = r"(?:[^;{}()]|\{\s*\})*"
PARAMETERS = rf"\s*\({INSIDE}(?:\({INSIDE}\){INSIDE})*\)"
DECLARED = re.compile(rf"{TYPED}(\w+){PARAMETERS}[^;{{}}()]*(?=;)", re.MULTILINE)
GENERIC_OWN = re.compile(rf"{TYPED}(TH\w*_)\(\s*(\w+)\s*\){PARAMETERS}[^;{{}}()]*(?=[;{{])", re.MULTILINE)
PASTED = re.compile(r"\b(TH\w*)\s*##[\w\s#]*##\s*(\w+_\w+)")

TYPE = re.compile(r"TH\w*(Tensor|Storage)|TH\w*(State|Generator|Allocator)")
LATER = re.compile(r"Legacy(All|NoScalars|WithScalars)\b")


@functools.cache
def table():
    """{function: None} of every function and function-like macro, THFloatTensor_fill as well as THTensor_(fill)."""
    known = {}
    own = reading.read_bytes(Path(__file__).with_name("symbols.txt"), 1 << 20).decode()
    for line in own.splitlines():
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


class Names:
    """The names that C code defines or declares itself: functions, macros, types, THTensor_(own), and TH##type##own."""

    def __init__(self, codes):
        self.names, patterns = set(), set()
        for code in codes:
            self.names |= {name for match in DEFINED.finditer(code) for name in match.groups() if name}
            self.names |= set(DECLARED.findall(code))
            for prefix, ending in GENERIC_OWN.findall(code):
                self.names.add(f"{prefix}({ending})")
                patterns.add(rf"TH(?:Cuda)?\w*{prefix.removeprefix('THC').removeprefix('TH')}{ending}")
            patterns |= {rf"{first}\w+{last}" for first, last in PASTED.findall(code)}
        self._pasted = re.compile("|".join(sorted(patterns))) if patterns else None

    def __contains__(self, name):
        return name in self.names or bool(self._pasted and self._pasted.fullmatch(name))


def unknown(code, own):
    """[(positions, name, the name that was meant or None, whether that is sure)] of TH names in C code that nothing
    defines or declares; once per name."""
    known, found = table(), {}
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
        if name in found or not (name in known or name in own or (generic and generic in own)):
            found.setdefault(name, []).append(match.start())
    return [(positions, name, *_meant(name, known)) for name, positions in found.items()]


def _meant(name, known):
    """(the name, True) where a later version renamed it, (a similar name, False), or (None, False)."""
    early = LATER.sub("", name).replace("THCudaFloat", "THCuda")
    if early in known:
        return early, True
    close = difflib.get_close_matches(early, known, n=1, cutoff=0.95)
    return (close[0], False) if close else (None, False)
