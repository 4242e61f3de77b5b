"""torchthaw/header/comments.py: the comment that stands above each function of a C header."""

import re
import textwrap
from pathlib import Path

from .annotations import ARGUMENTS
from .c_tokens import C_TOKENS, blank

NO_CODE = re.compile(r'^[ \t]*#(?:\\\n|[^\n])*|\bextern\s*"C"\s*\{', re.MULTILINE)
WORD = re.compile(rf"\b(?:{'|'.join(ARGUMENTS)})\b(?:\s*\((?:[^()]|\([^()]*\))*\))?")
STRING = re.compile(r'"(?:\\.|[^\\"\n])*"|\'(?:\\.|[^\\\'\n])*\'')
NAME = re.compile(r"\b([A-Za-z_]\w*)\s*\(")


def add(functions, described, annotated, headers, docs):
    """Gives each functions.Function its comment: that of ``docs``, its own, or that of the function it is a variant of.

    described: the description.Module of them. annotated: the prototypes, which may stand in other files than headers. A
    comment above the declaration with words counts before that above another one.
    """
    words = [each for each in annotated.values() if each.is_annotated]
    others = (other.path for each in words for other in each.others)
    paths = dict.fromkeys([*(each.path for each in words), *map(str, headers), *others])
    names = {name for each in described.functions for name in (each.name, each.operator)}
    found = {}
    for path in paths:
        found = {**of(Path(path).read_text("utf-8", "replace"), names), **found}
    for function, each in zip(functions, described.functions):
        function.comment = docs.get(each.name) or found.get(each.operator) or found.get(each.name, "")


def of(text, names):
    """{name: comment} of those of ``names`` that ``text``, a header, declares below a comment.

    A function that follows another one without an empty line between them shares its comment.
    """
    code = blank(text, C_TOKENS, ("comment",))
    for pattern in (NO_CODE, STRING, WORD):
        code = pattern.sub(lambda found: _spaces(found[0]), code)
    ends = {end: comment for end, comment in _comments(text)}
    found, previous, previous_end = {}, "", 0
    for start, end in _statements(code):
        declared = [name for name in NAME.findall(code[start:end]) if name in names]
        if not declared:
            continue
        first = start + len(code[start:end]) - len(code[start:end].lstrip())
        first = _start_of_words(text, first, start)
        between = text[:first].rstrip(" \t")
        gap = re.search(r"\s*$", between)[0]
        comment = ends.get(len(between) - len(gap), "") if gap.count("\n") <= 1 else ""
        follows = not comment and previous_end and "\n\n" not in _normal(text[previous_end:first])
        if follows and not text[previous_end:first].strip():
            comment = previous
        if comment:
            found.setdefault(declared[0], comment)
        previous, previous_end = comment, end + 1
    return found


def _start_of_words(text, first, least):
    """Where a declaration begins with the annotations before it, of which the code has only spaces."""
    words = [match for match in WORD.finditer(text, least, first)]
    for word in reversed(words):
        if text[word.end() : first].strip():
            break
        first = word.start()
    return first


def _statements(code):
    """(start, end) of the declarations and heads of definitions at file scope."""
    depth, start = 0, 0
    for token in re.finditer(r"[{};]", code):
        if depth == 0:
            yield start, token.start()
        depth = max(0, depth + {"{": 1, "}": -1}.get(token[0], 0))
        start = token.end()


def _comments(text):
    """(end, cleaned text) of each comment that begins a line; lines of ``//`` one below the other are one comment."""
    lines, last = [], None
    for match in C_TOKENS.finditer(text):
        beside = text[text.rfind("\n", 0, match.start()) + 1 : match.start()].strip()
        if match.lastgroup != "comment" or beside:
            continue
        if match[0].startswith("/*"):
            yield match.end(), _clean(match[0][2:-2])
            continue
        between = text[last : match.start()] if last is not None else "\n\n"
        joins = between.isspace() and between.count("\n") == 1
        lines = [*lines, match[0][2:]] if joins else [match[0][2:]]
        last = match.end()
        yield last, textwrap.dedent("\n".join(lines)).strip()


def _clean(text):
    """A comment without the stars at the beginning of its lines."""
    first, *rest = text.split("\n")
    rest = [re.sub(r"^\s*\*(?!\*) ?", "", line) if line.lstrip().startswith("*") else line for line in rest]
    first = first.lstrip("*! ")
    return "\n".join(line.rstrip() for line in [first, *rest]).strip()


def _spaces(text):
    return re.sub(r"[^\n]", " ", text)


def _normal(text):
    return re.sub(r"[ \t]+\n", "\n", text)
