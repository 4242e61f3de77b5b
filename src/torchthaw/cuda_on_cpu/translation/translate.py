"""torchthaw/cuda_on_cpu/translation/translate.py: preprocessed CUDA C++ as C++: launches, shared arrays, variables of the device.

Macros are expanded and files included already, so a launch in a macro is seen, and most of CUDA's words are gone. What is
left is found by one pass; each match is read by its neighbours alone, so the time grows with the length of the text.
"""

import re

from . import brackets, declarations, launches
from .assembly import assembly
from .brackets import Unreadable
from .members import Members
from .spins import Spins

# What is looked for, and before it what may hold the same letters: numbers with ', strings, characters.
_MARKS = re.compile(
    r"""\d[\w.]*(?:'[\w.]+)+"""
    r'''|R"([^\s()\\"]{0,16})\((?s:.*?)\)\1"|"(?:[^"\\\n]|\\.)*"'''
    r"""|'(?:[^'\\\n]|\\.)+'"""
    r"|(?P<launch><<\s*<)"
    r"|(?P<cast>\(\s*(?:const\s+)?void\s*(?:const\s*)?\*\s*\)|\breinterpret_cast\s*<\s*(?:const\s+)?void\s*(?:const\s*)?\*\s*>)"
    r"|\b(?P<word>__global__|__shared__|__device__|__constant__|__managed__|__launch_bounds__|__assert_fail|asm|__asm__|__asm)\b"
    r"|\b(?P<loop>while|for)\b"
    r"|(?:\.|->)\s*(?P<member>[A-Za-z_]\w*)\s*<(?![<=])"
)
_ASSEMBLY = ("asm", "__asm__", "__asm")
_LINE_MARK = re.compile(r'^# \d+ "((?:[^"\\]|\\.)*)"', re.M)


def translate(text):
    """``text``, the output of the preprocessor, as C++. Lines keep their numbers. Raises Unreadable."""
    return next(translations(text))


def translations(text, is_relocatable=True):
    """The same, and then another one for a text that does not compile so, if there is one.

    is_relocatable: other sources may use its variables, as with -rdc=true.
    """
    edits, number = [], 0  # (start, end, replacement)
    spins, members = Spins(text), Members(text)
    kernels = set()  # the names of those that were declared
    done = 0  # the end of what an edit covers
    for mark in _MARKS.finditer(text):
        if mark.start() < done:
            continue
        word = mark["word"]
        if mark["launch"]:
            found = launches.launch(text, mark)
        elif mark["cast"]:
            found = launches.address(text, mark, kernels)
        elif word == "__global__":
            kernels.add(launches.name_of_function(text, mark.end()))
            found = [(mark.start(), mark.end(), "")]
        elif word == "__launch_bounds__":
            found = launches.bounds(text, mark)
        elif word == "__assert_fail":
            found = _assertion(text, mark)
        elif word in _ASSEMBLY:
            found = assembly(text, mark)
        elif mark["loop"]:
            edits += spins.edits(mark)  # others may be within
            continue
        elif mark["member"]:
            members.note(mark)
            continue
        elif word:
            number += 1
            found = declarations.declaration(text, mark, number, not is_relocatable)
        else:
            continue
        edits += found
        # The arguments of a launch and the operands of assembly may hold further marks: only the edits are passed over.
        holds = mark["launch"] or word in (*_ASSEMBLY, "__launch_bounds__")
        done = max([done, *(end for _, end, _ in (found[:1] if holds else found))])
    calls, doubtful = members.edits()
    yield _edited(text, edits, calls)
    if doubtful:
        yield _edited(text, edits, calls | doubtful)


def _edited(text, edits, insertions):
    """The text with its edits, and with the insertions that are not within one."""
    pieces, at = [], 0
    for edit in sorted([*edits, *insertions]):
        start, end, replacement = edit
        if start < at:
            if edit in insertions:
                continue
            raise Unreadable("a launch within the name of another one", start)
        pieces += [text[at:start], replacement]
        at = end
    return "".join([*pieces, text[at:]])


def place(text, position):
    """The file and line of a position in preprocessed text, with a colon between them."""
    mark = max(_LINE_MARK.finditer(text, 0, position), key=re.Match.start, default=None)
    if mark is None:
        return f"line {text.count(chr(10), 0, position) + 1}"
    line = int(text[mark.start() + 2 :].split(None, 1)[0])
    return f"{mark[1]}:{line + text.count(chr(10), mark.end(), position) - 1}"


def _assertion(text, mark):
    """A call of __assert_fail is the runtime's, which knows the kernel; declarations stay."""
    before = text[brackets.skip_space_back(text, mark.start()) - 1]
    is_call = before in "(:;?{},"
    called = text[max(0, mark.start() - 2) : mark.start()] == "::"
    if not is_call or re.match(r"\s*\(\s*const\b", text[mark.end() : mark.end() + 40]):
        return []
    return [(mark.start(), mark.end(), "cuda_on_cpu::assert_fail" if called else "::cuda_on_cpu::assert_fail")]
