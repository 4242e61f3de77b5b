"""torchthaw/doctor/c_files.py: the rules for C, C++ and CUDA files, and what rules of one line cannot see."""

import bisect
import re

from . import symbols
from .cxx import cxx20
from .findings import Edit
from .matching import Hit, add_findings, apply_certain, pattern_hits, settled
from .reading.source import C_TOKENS, blank, conditions
from .rules import C_TEXT, CHECK, EDIT, WORKS, C

READS_DATA = re.compile(r"\bTH\w+?_\(?data\)?\s*\(|->\s*storage\s*->\s*data\b")
ASKS_STRIDES = re.compile(r"[sS]tride|isContiguous|newContiguous|TH_TENSOR_")
STRIDES = (
    "reads tensors as flat arrays and never asks for strides; today more operations give transposed results: "
    "run once with TORCHTHAW_DEBUG=1"
)

PARALLEL = re.compile(r"#\s*pragma\s+omp\s+parallel\b(?:\\\n|[^\n])*")
RAISES = re.compile(r"\bTH(?:Error|ArgCheck|Assert)\w*\s*\(")
IN_THREAD = "an error in a parallel region, which used to end the process, is raised when its threads have ended"


def examine(report, project, file, aten, role, may_be_of_ffi):
    """Adds the findings of one file.

    aten: the AtenFiles of the project; role: what the build files make of it: "source", "included" in another file, or
    None. may_be_of_ffi: whether create_extension may compile it, where no build of it is known.
    """
    text = project.texts[file]
    hits = _hits(project, file, text, aten, role, may_be_of_ffi)

    def once(text):
        return apply_certain(text, _hits(project, file, text, aten, role, may_be_of_ffi))

    report.text, report.edited = text, settled(text, once, apply_certain(text, hits))
    add_findings(report, text, hits)


def _hits(project, file, text, aten, role, may_be_of_ffi):
    of_torch = file in aten.files
    code = blank(text, C_TOKENS, ("comment", "string"))
    views = {C: code, C_TEXT: blank(text, C_TOKENS, ("comment",))}
    parts = conditions(code)
    starts = [start for start, _, _ in parts]

    def is_true(rule, match):
        if rule.files and file.suffix not in rule.files or rule.legacy and (of_torch or not may_be_of_ffi):
            return False
        enclosing = parts[bisect.bisect_right(starts, match.start()) - 1][2]
        if rule.inside and any(rule.inside.search(condition) for condition in enclosing):
            return False
        groups = match.groupdict()
        if "include" in groups and project.has_file(groups["include"]):
            return False
        return not rule.of or groups["of"] in declared(code, rule.of)

    hits = list(pattern_hits(text, views, is_true))
    if role != "source":
        hits = [hit._replace(effect=CHECK) if hit.rule == "cpp-in-c" else hit for hit in hits]
    if role == "included":
        hits = [hit for hit in hits if hit.rule != "cpp-in-c"]
    if of_torch:
        hits += [*aten.hits(file, text), *cxx20.hits(code, text)]
    else:
        hits += _unknown_symbols(project, code)
    hits += _reads(code)
    include = re.search(r"#\s*include\s*<ATen/", code)
    if include and not of_torch and not any(hit.effect == EDIT for hit in hits):
        hits.append(Hit(include.start(), WORKS, "aten-include", "nothing of ATen is used; its header may stay"))
    return hits


def declared(code, type):
    """The variables and parameters that C ``code`` declares with a type that the pattern ``type`` matches."""
    found = set()
    for match in re.finditer(rf"\b(?:{type})\s*[*&]*\s*(?:const\s+)?(\w+)((?:\s*,\s*\*\s*\w+)*)", code):
        found |= {match[1], *re.findall(r"\w+", match[2])}
    return found


def _unknown_symbols(project, code):
    for positions, name, meant, sure in symbols.unknown(code, project.own_names):
        message = f"{name}: TH and THC up to 0.4.0 have no such function" + (f"; {meant} is one" if meant else "")
        for position in positions if sure else positions[:1]:
            yield Hit(position, EDIT, "unknown-symbol", message, _renaming(code, position, name, meant), sure)


def _renaming(code, position, name, meant):
    """The edit for one use of ``name``; of THTensor_(name) the part in parentheses."""
    if not meant:
        return ()
    old, new = (whole.rpartition("(")[2].removesuffix(")") for whole in (name, meant))
    start = re.compile(rf"\b{old}\b").search(code, position).start()
    return (Edit(start, start + len(old), new),)


def _reads(code):
    reads = READS_DATA.search(code)
    if reads and not ASKS_STRIDES.search(code):
        yield Hit(reads.start(), CHECK, "strides", STRIDES)
    for pragma in PARALLEL.finditer(code):
        for raises in RAISES.finditer(code, pragma.end(), _end_of_statement(code, pragma.end())):
            yield Hit(raises.start(), WORKS, "parallel-error", IN_THREAD)


def _end_of_statement(code, position):
    """The end of the statement at ``position``: its ``;`` or closing brace."""
    depth = 0
    for token in re.compile(r"[(){};]").finditer(code, position):
        depth += {"(": 1, "{": 1, ")": -1, "}": -1}.get(token[0], 0)
        if depth <= 0 and token[0] in ";}":
            return token.end()
    return len(code)
