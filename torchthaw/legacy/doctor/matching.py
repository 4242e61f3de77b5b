"""torchthaw/legacy/doctor/matching.py: where the rules match in a file, and the lines as they should be."""

import re
from itertools import groupby
from typing import NamedTuple

from .rules import EDIT, RULES, WORKS


class Edit(NamedTuple):
    """``text[start:end]`` becomes ``new``."""

    start: int
    end: int
    new: str


def match(report, text, views):
    """Adds what the rules find; ``views``: {kind: the text that rules of this kind see}.

    Returns ``text`` with what must be edited edited. A finding shows its line so too.
    """
    found, needed = [], []
    for rule in RULES:
        view = views.get(rule.kind)
        if view is None or not rule.pattern.search(view) or not rule.holds_for(view):
            continue
        lines = groupby(rule.pattern.finditer(view), lambda found: view.rfind("\n", 0, found.start()) + 1)
        for start, matches in lines:
            end = (text + "\n").index("\n", start)
            edits = [_edit(rule, each, text) for each in matches] if rule.edit is not None else []
            if any(edit.end > end for edit in edits):
                edits = []  # it goes beyond the line
            found.append((rule, start, end, edits))
            if rule.effect == EDIT:
                needed += edits
            if rule.effect == WORKS:
                break  # what works is said once in a file
    for rule, start, end, edits in found:
        number = text.count("\n", 0, start) + 1
        if rule.effect == EDIT and edits:
            edits = [edit for edit in needed if start <= edit.start <= end]
        after = _edited(text, start, end, edits).strip() if edits else None
        report.add(number, rule.effect, rule.name, rule.message, text[start:end].strip(), after, rule.item)
    return _edited(text, 0, len(text), needed)


def _edit(rule, found, text):
    new = re.sub(r"\\(\d)", lambda group: text[slice(*found.span(int(group[1])))], rule.edit)
    return Edit(*found.span(), new)


def _edited(text, start, end, edits):
    """``text[start:end]`` with the edits made; of two that overlap, the one that begins first."""
    parts = []
    for edit in sorted(edits):
        if edit.start >= start:
            parts += [text[start : edit.start], edit.new]
            start = edit.end
    return "".join([*parts, text[start:end]])
