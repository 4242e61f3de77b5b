"""torchthaw/doctor/python_files.py: Python files in the steps that make them Python 3 of today."""

import ast
import re
from typing import NamedTuple

from . import async_names, implicit_imports, python2
from .findings import Edit
from .matching import Hit, add_findings, apply_certain, pattern_hits, settled
from .reading.source import PYTHON_TOKENS, blank
from .reading.tree import Tree
from .rules import EDIT, PYTHON, PYTHON_TEXT, TREE_RULES, WORKS

GUARDED = {"removed-module", "torch-six", "removed-linalg", "cpp-extension"}


class Steps(NamedTuple):
    """What became of a text.

    syntax: the hits in the text as it was. parsed: the text in the syntax of Python 3, and its Tree; None where there
    is none. hits: those in ``parsed``. lines: the line of the text that each line of ``parsed`` was.
    final: the text with all certain edits; the text itself where Python 3 could not parse that.
    """

    syntax: list
    parsed: str
    tree: Tree | None
    hits: list
    lines: list
    final: str


def examine(report, project, file):
    """Adds the findings of one file; returns its Steps. TooDeep."""
    text = project.texts[file]
    steps = _steps(text, project, file)
    final = settled(text, lambda text: _steps(text, project, file).final, steps.final)
    report.text, report.edited = text, final
    add_findings(report, text, [hit._replace(certain=hit.certain and final != text) for hit in steps.syntax])
    add_findings(report, steps.parsed, steps.hits, steps.lines)
    return steps


def _steps(text, project, file):
    syntax, parsed, lines, error = list(_encoding(project.sources[file], text)), text, None, python2.parse_error(text)
    writable = all(hit.certain for hit in syntax)
    if error is not None:
        found = list(async_names.hits(text, project))
        writable &= all(hit.certain for hit in found)
        syntax += found
        parsed = apply_certain(text, [hit._replace(certain=True) for hit in found])
        parsed, lines, more = _python3(parsed, text)
        syntax += more
        error = python2.parse_error(parsed)
        if error is not None:
            message = f"Python 3 cannot parse this: {error.msg}"
            number = min((error.lineno or 1) - 1, parsed.count("\n"))
            syntax.append(Hit(_starts(text)[lines[number] if lines else number], EDIT, "syntax", message))
    tree = None if error is not None else Tree(parsed)
    hits = list(_hits(parsed, tree, project, file))
    declared = [edit for hit in syntax if hit.rule == "encoding" for edit in hit.edits]
    final = apply_certain(parsed, [*hits, Hit(0, EDIT, "", "", tuple(declared), True)])
    if tree is None or not writable or final != parsed and python2.parse_error(final) is not None:
        final = text
        hits = [hit._replace(certain=False) for hit in hits]
        syntax = [hit._replace(certain=False) for hit in syntax]
    return Steps(syntax, parsed, tree, hits, lines, final)


def _encoding(source, text):
    """Bytes that Python 3 does not read: no UTF-8, and no other encoding is declared, or one that they are not in."""
    if source.declared:
        return
    if re.match(r"(?:.*\n)?[ \t\f]*#.*?coding[:=]", text):
        yield Hit(
            0, EDIT, "encoding", "its bytes are not in the encoding that it declares, or no such encoding is known"
        )
        return
    position = text.index("\n") + 1 if text.startswith("#!") and "\n" in text else 0
    edits = (Edit(position, position, "# -*- coding: latin-1 -*-\n"),)
    only_comments = blank(text, PYTHON_TOKENS, ("comment",)).isascii()
    yield Hit(position, EDIT, "encoding", "its bytes are no UTF-8, and no encoding is declared", edits, only_comments)


def _starts(text):
    """Where each line begins, and where one more would."""
    starts = [0]
    for line in text.split("\n"):
        starts.append(starts[-1] + len(line) + 1)
    return starts


def _python3(text, original):
    """(``text`` in the syntax of Python 3 as far as that is known, the line each of its lines was, hits).

    original: another text with the same lines; the hits are positions in it.
    """
    lines, hits, translated = None, [], text
    if isinstance(python2.parse_error(text), TabError):
        translated = python2.without_tabs(text)
    if python2.parse_error(translated) is not None:
        translated = python2.translate(translated) or translated
    if translated != text:
        starts, new = _starts(original), translated.split("\n")
        lines = list(range(translated.count("\n") + 1))
        moved = 0
        for first, last, new_first, new_last in python2.changes(text, translated):
            same = last - first == new_last - new_first
            parts = [(first + n, first + n + 1, new_first + n, new_first + n + 1) for n in range(last - first)]
            for begin, end, new_begin, new_end in parts if same else [(first, last, new_first, new_last)]:
                whole = Edit(starts[begin], max(starts[begin], starts[end] - 1), "\n".join(new[new_begin:new_end]))
                hits.append(Hit(whole.start, EDIT, "python2-syntax", "Python 2 syntax", (whole,), True))
            moved = last - new_last
            lines[new_first:new_last] = [first + (n if same else 0) for n in range(new_last - new_first)]
            lines[new_last:] = range(new_last + moved, len(lines) + moved)
    return translated, lines, hits


def _hits(text, tree, project, file):
    """What the rules find in a text, of which ``tree`` is the Tree."""
    code = tree.code if tree else blank(text, PYTHON_TOKENS, ("comment", "string"))
    views = {PYTHON: code, PYTHON_TEXT: blank(text, PYTHON_TOKENS, ("comment",))}
    guarded = _guarded(tree) if tree else []

    def is_true(rule, match):
        if rule.name in GUARDED and any(start <= match.start() < end for start, end in guarded):
            return False
        method = re.fullmatch(r"\.(\w+)\(", match[0])
        return not (method and method[1] in project.methods)

    yield from pattern_hits(text, views, is_true)
    for rule in TREE_RULES if tree else ():
        for found in rule.find(tree, project):
            effect = found.effect or rule.effect
            position = found.node if isinstance(found.node, int) else tree.start(found.node)
            certain = effect in (EDIT, WORKS) and bool(found.edits) and found.sure
            yield Hit(position, effect, rule.name, found.message or rule.message, found.edits, certain, rule.item)
    yield from implicit_imports.hits(text, code, project, file, guarded)


def _guarded(tree):
    """The spans of what is imported under a guard."""
    return [
        (tree.start(node), tree.end(node))
        for node in tree.all(ast.Import, ast.ImportFrom)
        if tree.is_guarded(node, "import")
    ]
