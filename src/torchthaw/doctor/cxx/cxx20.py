"""torchthaw/doctor/cxx/cxx20.py: C++ that g++ takes in C++17 and not in C++20, which PyTorch's headers need from 2.14 on."""

import re

from ...legacy.cpp import cxx_standard
from ..findings import Edit
from ..matching import Hit
from ..reading.source import C_TOKENS, blank
from ..rules import CHECK, EDIT, WORKS

NAME = "cpp20"
WHY = "C++20, which PyTorch needs from 2.14 on, "
# (pattern, what C++20 has of it, what stands there instead, as in re.sub)
ROWS = [
    (re.compile(pattern), message, edit)
    for pattern, message, edit in (
        (r"\bstd::allocator<\s*void\s*>::const_pointer\b", "has no such member", "const void *"),
        (r"\bstd::allocator<\s*void\s*>::pointer\b", "has no such member", "void *"),
        (
            r"\bstd::allocator<(?!\s*void\s*>)[^<>;]{1,80}>::(?:(?:const_)?(?:pointer|reference)|rebind)\b",
            "has no such member: use std::allocator_traits", None,
        ),
        (r"(?<=[\w>&*]\s)[&*]*\b(?:requires|concept)\b(?=\s*(?:[=;,\[]|\)\s*[;{]))", "has this word for itself", None),
    )
]  # fmt: skip
TEXT = re.compile(r'(?<![\w"])u8R?"')
CLASS = re.compile(
    r"(?P<template>\btemplate\s*<[^;{}]{0,300}>\s*)?\b(?:struct|class)\s+(?P<name>\w+)\s*(?:final\s*)?(?::[^;{}()]{0,300})?\{"
)
BEFORE_CONSTRUCTOR = re.compile(r"(?:[;{}>]|\b(?:public|private|protected)\s*:|\b(?P<word>\w+))\s*\Z")
LONGEST, MOST = 50_000, 300  # characters of a class, classes of a file
NO_CONSTRUCTOR = {"operator", "new", "return", "const", "typename", "class", "struct", "friend", "using", "throw"}


def hits(code: str, text: str):
    """The Hits in one file. code: ``text`` without comments and strings."""
    is_needed = cxx_standard.needed() in (0, 20)

    def hit(position, message, edits=()):
        effect = EDIT if is_needed else WORKS if edits else CHECK
        return Hit(position, effect, NAME, WHY + message, edits, bool(edits))

    for pattern, message, edit in ROWS:
        for match in pattern.finditer(code):
            yield hit(match.start(), message, () if edit is None else (Edit(*match.span(), edit),))
    for match in TEXT.finditer(blank(text, C_TOKENS, ("comment",))):
        yield Hit(match.start(), WORKS, NAME, WHY + "has char8_t here; where run raises the standard, it stays char")
    for name, is_template, start, body in _classes(code):
        if is_template:
            for place, end in _with_arguments(name, body):
                shorter = Edit(start + place, start + end, "")
                yield hit(shorter.start, "has the name of a constructor without <...>", (shorter,))
        for place in _lists(code, name, body):
            yield hit(place, f"takes no list of members for {name}, which declares a constructor")


def _classes(code):
    """(name, whether it is a template, the start of its body, the body without the braces inside)."""
    ends, opened = {}, []
    for brace in re.finditer(r"[{}]", code):
        if brace[0] == "{":
            opened.append(brace.start())
        elif opened:
            ends[opened.pop()] = brace.start()
    for match in list(CLASS.finditer(code))[:MOST]:
        start = match.end()
        end = ends.get(start - 1, start)
        if end - start <= LONGEST:
            yield match["name"], bool(match["template"]), start, _without_braces(code, start, end, ends)


def _without_braces(code, start, end, ends):
    """A part of the code, of the same length, with "}" and spaces in place of what braces in it hold."""
    parts, position = [], start
    while (brace := code.find("{", position, end)) >= 0:
        after = ends[brace] + 1
        parts += [code[position:brace], "}", " " * (after - brace - 1)]
        position = after
    return "".join([*parts, code[position:end]])


def _with_arguments(name, body):
    """(start, end) of the arguments in constructors and destructors that are written ``name<T>(...)``."""
    for match in re.finditer(rf"~?\b{name}\s*(<[^<>;{{}}()]*>)\s*(?=\((?!\s*[*&]))", body):
        before = BEFORE_CONSTRUCTOR.search(body[max(0, match.start() - 80) : match.start()].rstrip() or "{")
        if before and before["word"] not in NO_CONSTRUCTOR:
            yield match.span(1)


def _lists(code, name, body):
    """Places where a class whose constructors are all ``= default`` or ``= delete`` gets a list of its members."""
    declared = re.findall(rf"(?<![~\w]){name}\s*\([^()]*\)\s*(?:noexcept\s*)?(=\s*(?:default|delete))?", body)
    if declared and all(declared):
        for match in re.finditer(rf"(?<![\w:]){name}(?:\s+\w+)?\s*\{{(?=\s*[^\s}}])", code):
            if not re.search(r"(?:struct|class)\s*\Z", code[max(0, match.start() - 20) : match.start()]):
                yield match.start()
