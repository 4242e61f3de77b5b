"""torchthaw/cuda_on_cpu/translation/assembly.py: asm statements of PTX as C++. Assembly of the host, and names of symbols, stay."""

import re

from . import brackets, ptx
from .ptx_types import CONSTRAINTS, Wrong

_PTX = re.compile(
    r"\.(?:[usbf](?:8|16|32|64|128)|b?f16(?:x2)?|pred|reg|global|shared|sync|approx|rn|async)\b"
    r"|%%?(?:laneid|warpid|clock|smid|tid|globaltimer|lanemask)"
    r"|\bbar\b|\b(?:membar|fence|griddepcontrol|mbarrier|wgmma|tcgen05|setmaxnreg|prefetchu?|isspacep)\.|^\s*(?:exit|trap|brkpt)\s*;"
)
_FITTING = "h takes integers of 16 bits, r of 32, l of 64 and pointers, f float, d double"
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "v": "\v", "f": "\f", "a": "\a", "b": "\b", "0": "\0"}
_STRING = re.compile(r'"((?:[^"\\\n]|\\.)*)"$|R"([^\s()\\"]{0,16})\(((?s:.*?))\)\2"$')


def assembly(text, mark):
    """Edits that make a function of an asm statement; the expressions of its operands stay where they are."""
    at = brackets.skip_space(text, mark.end())
    while word := re.compile(r"(?:volatile|__volatile__|__volatile)\b").match(text, at):
        at = brackets.skip_space(text, word.end())
    if text[at : at + 1] != "(":
        return []
    end = brackets.closing(text, at)
    sections, depth = [[]], 0
    for token in brackets.TOKEN.finditer(text, at + 1, end):
        if token[0].startswith("#"):
            continue
        depth += (token[0] in brackets.OPENING) - (token[0] in brackets.CLOSING)
        if not depth and token[0] in (":", "::"):
            sections += [[] for _ in token[0]]
        else:
            sections[-1].append(token)
    code = _text(sections[0])
    if code is None or not _PTX.search(code):
        return []
    operands, places = _operands(text, sections[1:3])
    if operands is None:
        what = brackets.quoted(f"inline PTX: {' '.join(code.split())[:100]}: a constraint that is none of h r l f d n")
        called = f"::cuda_on_cpu::unserved({what}, ::cuda_on_cpu::ptx::here())"
        return [(mark.start(), end + 1, called + "\n" * text.count("\n", mark.start(), end))]
    try:
        body = ptx.translate(code, operands)
    except Wrong as error:
        raise brackets.Unreadable(str(error), mark.start()) from None
    kinds = [CONSTRAINTS.get(each.strip("=+&"), "s64") for each in operands]
    registers = ", ".join(f"[[maybe_unused]] P::{kind} &o{i}" for i, kind in enumerate(kinds))
    short = " ".join(code.split())[:100].rstrip(" ;")
    what = brackets.quoted(f"inline PTX: {short}: the type of an operand does not fit its constraint: {_FITTING}")
    check = f"[](auto... o) {{ static_assert((decltype(o)::fits && ... && true), {what}); }}"
    made = f"::cuda_on_cpu::ptx::run({check}, []({registers}) {{ {body} }}".replace("P::", "::cuda_on_cpu::ptx::")
    edits, begin = [], mark.start()
    for constraint, (opening, closing) in zip(operands, places):
        edits.append((begin, opening, f"{made}, {_taken(constraint)}" + "\n" * text.count("\n", begin, opening)))
        made, begin = "", closing + 1
    edits.append((begin, end, made + "\n" * text.count("\n", begin, end)))
    return edits


def _text(tokens):
    """The text of joined literals, or None for anything else."""
    parts = []
    for token in tokens:
        literal = _STRING.match(token[0])
        if not literal:
            return None
        if literal[3] is not None:
            parts.append(literal[3])
        else:
            parts.append(re.sub(r"\\(.)", lambda each: _ESCAPES.get(each[1], each[1]), literal[1]))
    return "".join(parts) if tokens else None


def _operands(text, sections):
    """(constraints, [(opening, closing bracket)]) of the operands; (None, None) for constraints that are not known."""
    found, places = [], []
    for tokens in sections:
        at = 0
        while at < len(tokens):
            begin = at
            while at < len(tokens) and _STRING.match(tokens[at][0]):
                at += 1
            constraint = (_text(tokens[begin:at]) or "").replace(" ", "")
            if not re.fullmatch(r"[=+]?&?(?:[hrlfd]|[ni])", constraint) or at == len(tokens) or tokens[at][0] != "(":
                return None, None
            opening = tokens[at].start()
            closing = brackets.closing(text, opening)
            found.append(constraint)
            places.append((opening, closing))
            while at < len(tokens) and tokens[at].start() <= closing:
                at += 1
            at += 1  # the comma
    return found, places


def _taken(constraint):
    kind = CONSTRAINTS.get(constraint.strip("=+&"))
    how = "in_out" if constraint.startswith("+") else "out" if constraint.startswith("=") else "in"
    return f"::cuda_on_cpu::ptx::{how}<::cuda_on_cpu::ptx::{kind}>" if kind else "::cuda_on_cpu::ptx::constant"
