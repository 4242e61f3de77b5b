"""docs/_site/c_header.py: a C header as a page: its declarations and its own comments, in Markdown with reST entries.

Functions, their parameters and constants come from torchthaw's header parser; the text of the header gives their order,
the sections and what stands together below one comment. Needs no Sphinx.
"""

import re
from pathlib import Path
from typing import NamedTuple

from torchthaw.declarations import interface
from torchthaw.header import cdef

from . import prose

COMMENT = re.compile(r"\s*/\*(.*?)\*/[ \t]*\n?", re.DOTALL)
FIRST = re.compile(r"[\w/]+\.h: ")  # how the comment at the top of a header begins
RULE = re.compile(r"^-{4,}\s*|\s*-{4,}\s*$")
MACRO = re.compile(r"^#define (\w+(?:\([^)]*\))?)(?=\s|$)", re.MULTILINE)
TYPEDEF = re.compile(r"^typedef (\w[\w\s*]*?\w);", re.MULTILINE)
ROW = re.compile(r'X\((\w+), \d+, "([^"]*)"\)')
ENUM = re.compile(r"^enum (\w+) \{(.*?)^\};", re.DOTALL | re.MULTILINE)


class Block(NamedTuple):
    """What stands between two empty lines of a header: a comment or "", and the code below it or ""."""

    comment: str
    code: str


class Header:
    """A C header, read. ``functions``: {name: interface.Function}; ``constants``: {name: value}."""

    def __init__(self, path, include_dirs=()):
        self.path = Path(path)
        found = interface.read(self.path, include_dirs)
        if found.left_out:
            raise ValueError(f"{path}: expected functions that can be described, got {found.left_out}")
        self.functions = {each.name: each for each in found.functions}
        self.constants = dict(found.constants)
        self.annotated = cdef.parse([self.path], include_dirs).annotated
        self.blocks = blocks(self.path.read_text())
        self.meanings = dict(ROW.findall(self.path.read_text()))

    def words(self, name):
        """{word: its arguments} of the annotations before a function."""
        prototype = self.annotated.get(name)
        return {word.name: word.arguments for word in prototype.words} if prototype else {}

    def declared(self, code):
        """The functions that a block declares, in its order."""
        named = re.findall(r"\b(\w+)\s*\(", re.sub(r"\bTHAW_\w+\((?:[^()]|\([^()]*\))*\)", "", code))
        return [self.functions[name] for name in dict.fromkeys(named) if name in self.functions]

    def names(self):
        """{name: role in Sphinx's domain of C} of all that the page has."""
        text = self.path.read_text()
        found = {re.match(r"\w+", macro)[0]: "macro" for macro in MACRO.findall(text)}
        found.update((typedef.split()[-1], "type") for typedef in TYPEDEF.findall(text))
        found.update((name, "enumerator") for name in self.meanings)
        return {**found, **dict.fromkeys(self.functions, "func")}


def blocks(text):
    """The Blocks of a header's text. A comment without code has the code "", and the reverse."""
    found = []
    for part in re.split(r"\n[ \t]*\n", text):
        comment = COMMENT.match(part)
        code = part[comment.end() :] if comment else part
        found.append(Block(prose.without_stars(comment[1]) if comment else "", code.strip()))
    return found


def page(header, known):
    """The Markdown of a Header below the title of its page; ``known``: the names() of all headers.

    Raises ValueError for a function that no block has.
    """
    parts, shown = [], set()
    for block in header.blocks:
        functions = header.declared(block.code)
        shown.update(each.name for each in functions)
        if FIRST.match(block.comment):
            first = FIRST.sub("", block.comment)
            parts.append(_rest(prose.rest(first[0].upper() + first[1:], known)))
        elif functions:
            parts.append(_functions(header, block, functions, known))
        elif not block.code and block.comment:
            parts.append(_text(block.comment, known))
        elif ENUM.search(block.code):
            parts.append(_enum(header, ENUM.search(block.code)))
        elif TYPEDEF.search(block.code):
            parts.append(_entry("type", TYPEDEF.findall(block.code), prose.rest(block.comment, known)))
        else:
            parts.append(_macros(header, block, known))
    missing = set(header.functions) - shown
    if missing:
        raise ValueError(f"{header.path}: expected every function in a block, got none with {sorted(missing)}")
    return "\n\n".join(filter(None, parts)) + "\n"


def _text(comment, known):
    """A comment that belongs to no declaration: the header's introduction, or the head of a section."""
    if RULE.match(comment):
        # The title is between the dashes of the first line, or is the second line.
        lines = [RULE.sub("", line) for line in comment.splitlines()]
        title, *lines = lines if lines[0] else lines[1:]
        return f"## {title.strip()}\n\n" + _rest(prose.rest("\n".join(lines), known))
    titled = re.match(r"(\w.*)\n=+\n", comment)
    if titled:
        return f"## {titled[1]}\n\n" + _rest(prose.rest(comment[titled.end() :], known))
    return _rest(prose.rest(comment, known))


def _functions(header, block, functions, known):
    """The entries of functions below one comment: the first with its parameters, then those like it."""
    first, *others = functions
    words = header.words(first.name)
    base = words.get("THAW_VARIANT_OF")
    body = [prose.rest(block.comment, known)]
    if base:
        body.append(f"A variant of {_link(base[0], known)}.")
    if "THAW_BACKWARD_OF" in words:
        body.append(f"The gradient of {_link(words['THAW_BACKWARD_OF'][0], known)}.")
    notes = [f":param {each.name}: {_note(first, each.note, known)}" for each in first.parameters if each.note]
    if "THAW_STATUS" in words or base:
        notes.append(":returns: 1, or 0 after a failure")
    entry = _entry("function", [first.prototype], "\n\n".join(filter(None, [*body, "\n".join(notes)])))
    if not others:
        return entry
    return f"{entry}\n\n" + _entry("function", [each.prototype for each in others], "", is_brief=True)


def _note(function, note, known):
    """What is annotated of a parameter, with shapes and names of parameters as code."""
    shape = re.match(r"\([^()]*\)(?=,)", note)
    names = "|".join(each.name for each in function.parameters)
    parts = [f"`{shape[0]}`" if shape else "", note[shape.end() if shape else 0 :]]
    if "(" not in parts[1]:
        parts[1] = re.sub(rf"\b({names})\b(?! shape)", r"`\1`", parts[1])
    return prose.inline("".join(parts), known)


def _enum(header, found):
    """An enum with its enumerators, each with its value and, where the header has a row for it, its meaning."""
    lines = []
    names = [*re.findall(r"^\s*(\w+)(?= = )", found[2], re.MULTILINE)]
    for name in [*header.meanings, *names]:
        if name in header.constants:
            meaning = header.meanings.get(name, "")
            lines += [f".. c:enumerator:: {name} = {header.constants[name]}", "", f"   {meaning}", ""]
    return _entry("enum", [found[1]], "\n".join(lines).rstrip())


def _macros(header, block, known):
    """Macros with a comment or a value; include guards and the like are left out."""
    names = MACRO.findall(block.code)
    if block.comment and names:
        return _entry("macro", names, prose.rest(block.comment, known))
    valued = [name for name in names if name in header.constants]
    return "\n\n".join(_entry("macro", [name], f"{header.constants[name]}") for name in valued)


def _entry(kind, signatures, body, is_brief=False):
    """A directive of Sphinx's domain of C. ``is_brief``: parameters in running lines, close to the entry before."""
    directive = f".. c:{kind}:: "
    lines = [directive + signatures[0]]
    lines += [" " * len(directive) + each for each in signatures[1:]]
    lines += ["   :single-line-parameter-list:"] if is_brief else []
    lines += ["", *(f"   {line}".rstrip() for line in body.splitlines())]
    if is_brief:
        lines = [".. container:: variants", "", *(f"   {line}".rstrip() for line in lines)]
    return _rest("\n".join(lines))


def _rest(text):
    """reST within Markdown."""
    return f"````{{eval-rst}}\n{text.strip()}\n````" if text.strip() else ""


def _link(name, known):
    return prose.inline(f"`{name}`", known)
