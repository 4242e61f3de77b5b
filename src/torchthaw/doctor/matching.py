"""torchthaw/doctor/matching.py: what rules found in a text, and the findings that are made of it."""

import bisect
import re
from itertools import groupby
from typing import NamedTuple

from .findings import Edit, edited
from .reading.textfile import opcodes
from .rules import PATTERNS, WORKS


class Hit(NamedTuple):
    """What a rule found at ``position`` of a text, and the edits of that text which it asks for."""

    position: int
    effect: str
    rule: str
    message: str
    edits: tuple = ()
    certain: bool = False
    item: str | None = None


def pattern_hits(text, views, is_true=lambda rule, match: True):
    """A Hit for each line in which a rule of patterns matches.

    views: {kind: the text that rules of this kind see}. ``is_true``: whether a match is what the rule is about.
    """
    for rule in PATTERNS:
        view = views.get(rule.kind)
        if view is None or not rule.holds_for(view):
            continue
        matches = [match for match in rule.pattern.finditer(view) if is_true(rule, match)]
        for start, found in groupby(matches, lambda match: text.rfind("\n", 0, match.start()) + 1):
            found = list(found)
            end = (text + "\n").index("\n", start)
            edits = [edit_of(rule, each, text) for each in found] if rule.edit is not None else []
            if any(edit.end > end for edit in edits) and not rule.is_certain:
                edits = []  # a suggestion is one line
            certain = bool(edits) and rule.is_certain
            yield Hit(found[0].start(), rule.effect, rule.name, rule.message, tuple(edits), certain, rule.item)
            if rule.effect == WORKS and not edits:
                break  # what works is said once in a file


def edit_of(rule, match, text):
    """The edit that a rule of patterns asks for at a match."""
    new = re.sub(r"\\(\d)", lambda group: text[slice(*match.span(int(group[1])))], rule.edit)
    return Edit(*match.span(), new)


def apply_certain(text, hits):
    return edited(text, [edit for hit in hits if hit.certain for edit in hit.edits])


def settled(text, once, first):
    """``text`` after the edits of ``once``, a function of a text, until nothing changes: an edit may make
    another edit possible. first: what ``once`` gives for ``text``."""
    for _ in range(5):
        if first == text:
            break
        text, first = first, once(first)
    return first


def add_findings(report, text, hits, lines=None):
    """Adds a finding for each hit in ``text``; lines of several hits of one kind are named once.

    ``report.text`` and ``report.edited`` are set. lines: [the line of ``report.text`` that each line of ``text`` was],
    where these differ; both from 0.
    """
    blocks = Blocks(report.text, report.edited)
    ends = [newline.start() for newline in re.finditer("\n", text)]
    seen = set()
    for hit in hits:
        number = bisect.bisect_left(ends, hit.position)
        original = lines[number] if lines else number
        before, after = blocks.before(original), None
        if hit.certain:
            edited_at = bisect.bisect_left(ends, hit.edits[0].start)  # an include may be put far from its use
            before, after = blocks.around(lines[edited_at] if lines else edited_at)
        elif hit.edits:
            after = _edited_line(text, hit)
        key = (original, hit.rule, hit.message, after)
        if key not in seen:
            seen.add(key)
            report.add(original + 1, hit.effect, hit.rule, hit.message, before, after, hit.item, hit.certain)


def _edited_line(text, hit):
    """The line of ``hit`` with its own edits made, and no others."""
    start = text.rfind("\n", 0, hit.position) + 1
    end = (text + "\n").index("\n", max(start, *(edit.end for edit in hit.edits)))
    moved = [Edit(edit.start - start, edit.end - start, edit.new) for edit in hit.edits if edit.start >= start]
    return edited(text[start:end], moved).strip()


class Blocks:
    """The lines of a text, and what each has become in another."""

    def __init__(self, old, new):
        self.old, self.new = old.split("\n"), new.split("\n")
        self._of_line = {}
        changed = [] if old == new else opcodes(self.old, self.new)
        for what, first, last, new_first, new_last in changed:
            if what == "equal":
                continue
            if last - first == new_last - new_first:
                for offset in range(last - first):
                    span = (first + offset, first + offset + 1, new_first + offset, new_first + offset + 1)
                    self._of_line[first + offset] = span
            else:
                for line in range(first, max(last, first + 1)):
                    self._of_line[line] = (first, last, new_first, new_last)

    def before(self, line):
        return self.old[line].strip() if line < len(self.old) else None

    def around(self, line):
        """(before, after) of the lines that changed together with ``line``."""
        first, last, new_first, new_last = self._of_line.get(line, (line, line + 1, line, line))
        return _joined(self.old[first:last]), _joined(self.new[new_first:new_last])


def _joined(lines):
    return "\n".join(lines).strip()
