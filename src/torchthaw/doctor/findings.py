"""torchthaw/doctor/findings.py: what was found, by file."""

from dataclasses import dataclass, field
from typing import NamedTuple


class Edit(NamedTuple):
    """``text[start:end]`` becomes ``new``."""

    start: int
    end: int
    new: str


def edited(text, edits):
    """``text`` with the edits made; of two that overlap, the one that begins first."""
    parts, position = [], 0
    for edit in sorted(set(edits)):
        if edit.start >= position:
            parts += [text[position : edit.start], edit.new]
            position = edit.end
    return "".join([*parts, text[position:]])


@dataclass
class Finding:
    """One thing about one line (from 1; 0: the whole file).

    before, after: the line as it is and as edited; ``after`` is None where that is not known.
    certain: whether ``--apply`` makes this edit; otherwise ``after`` is a suggestion. Of what works such an edit is
    optional: it makes the source current, and the exit status does not depend on it.
    """

    line: int
    effect: str
    rule: str
    message: str
    before: str | None = None
    after: str | None = None
    item: str | None = None
    certain: bool = False

    @property
    def optional(self):
        return self.certain and self.effect == "works"


@dataclass
class FileReport:
    """The findings of one file, by line; its path is relative to the project.

    text, edited: what it holds, and holds once every certain edit is made; both None where it holds no text.
    """

    path: str
    findings: list[Finding] = field(default_factory=list)
    text: str | None = None
    edited: str | None = None

    def count(self, effect):
        return sum(finding.effect == effect for finding in self.findings)

    def add(self, *finding, **more):
        self.findings.append(Finding(*finding, **more))
