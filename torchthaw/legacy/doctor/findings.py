"""torchthaw/legacy/doctor/findings.py: what was found, by file."""

from dataclasses import dataclass, field


@dataclass
class Finding:
    """One thing about one line (from 1; 0: the whole file). ``after``: ``before`` as edited, None where not known."""

    line: int
    effect: str
    rule: str
    message: str
    before: str | None = None
    after: str | None = None
    item: str | None = None


@dataclass
class FileReport:
    """The findings of one file, by line; its path is relative to the project."""

    path: str
    findings: list[Finding] = field(default_factory=list)

    def count(self, effect):
        return sum(finding.effect == effect for finding in self.findings)

    def add(self, *finding):
        self.findings.append(Finding(*finding))
