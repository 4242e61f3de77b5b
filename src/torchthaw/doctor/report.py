"""torchthaw/doctor/report.py: findings as text for people and JSON for programs."""

import dataclasses
import json

from ..base.printing import one_line, shell_word
from .rules import CHECK, EDIT, MODE, WORKS

# Rules whose findings work because of `run`.
SERVED = {
    "build-argument",
    "build-module",
    "old-aten",
    "removed-aten",
    "cpp-standard",
    "renamed-cuda",
    "removed-cuda",
    "create_extension",
    "cython-output",
}
READ = "Python, Cython, C, C++, CUDA, shell, make, CMake, compiled libraries"
EFFECTS = (EDIT, MODE, CHECK, WORKS)


def items(reports):
    """The items of the legacy semantics that findings ask for, sorted."""
    return sorted({finding.item for report in reports for finding in report.findings if finding.item})


def exit_status(reports):
    """0: nothing has to be edited; 1: something has."""
    return 1 if any(report.count(EDIT) for report in reports) else 0


def needs_run(reports):
    """Whether something works because of `run` alone."""
    found = [finding.rule for report in reports for finding in report.findings]
    works = any(
        finding.rule == "exec-locals" and finding.effect == WORKS for report in reports for finding in report.findings
    )
    return works or any(rule in SERVED or rule == "gpu-architecture" for rule in found)


def as_json(path, reports, off, written=None):
    """One object; each file with all its findings, WORKS included.

    off: the rules that are off, and why; None where none is.

    written: after ``--apply`` the apply.Written.
    """
    applied = {"changed": written.changed, "not_written": written.failed, "linked": written.linked} if written else {}
    return json.dumps(
        {
            "path": str(path),
            **applied,
            "files": [_without_text(report) for report in reports],
            "counts": {effect: sum(report.count(effect) for report in reports) for effect in EFFECTS},
            "legacy_semantics": items(reports),
            "debug": any(finding.rule == "strides" for report in reports for finding in report.findings),
            "off": off,
            "exit_status": exit_status(reports),
        },
        indent=2,
    )


def what_was_written(written):
    """A line for each file that ``--apply`` changed, or removed."""
    for path, lines in written.changed.items():
        others = written.linked.get(path)
        more = f"; {_many(others, 'other name')} of the file (hard links) keep the old text" if others else ""
        yield one_line(f"{path}: {_many(lines, 'line')} changed{more}")
    for path in written.removed:
        yield one_line(f"{path}: removed, an earlier --apply that was killed had left it")


def _without_text(report):
    return {"path": report.path, "findings": [dataclasses.asdict(finding) for finding in report.findings]}


def as_text(path, reports, command, off):
    """A block for each file, then what to do. ``command``: what builds the project; off: as in as_json."""
    lines = []
    for report in reports:
        counts = [f"{report.count(effect)} to {effect}" for effect in (EDIT, CHECK) if report.count(effect)]
        if report.count(MODE):
            counts.insert(0, f"{report.count(MODE)} to edit or run with legacy semantics")
        optional = sum(finding.optional for finding in report.findings)
        counts += [f"{'' if counts else 'works, '}{_many(optional, 'optional edit')}"] if optional else []
        lines.append(f"{report.path}: {', '.join(counts) or 'works'}")
        for finding, following in zip(report.findings, [*report.findings[1:], None]):
            place = f"{report.path}:{finding.line}: " if finding.line else ""
            effect = f"{finding.effect}, edit optional" if finding.optional else finding.effect
            lines.append(f"  {place}{finding.rule} ({effect}): {finding.message}")
            if following is None or _source(following) != _source(finding):  # several findings of one line
                lines += [f"      {line}" for line in _source(finding)]
    lines += ["", *summary(path, reports, command), *([off] if off else [])]
    return "\n".join(map(one_line, lines))


def _source(finding):
    """The line, and as it should be where that is known: ``+`` is what --apply writes, ``?`` what may be meant."""
    if finding.effect == WORKS and not finding.optional or not (finding.before or finding.after):
        return []
    if finding.after is None:
        return finding.before.splitlines()
    sign = "+" if finding.certain else "?"
    before, after = (finding.before or "").splitlines(), finding.after.splitlines()
    return [f"- {line}" for line in before] + [f"{sign} {line}" for line in after]


def summary(path, reports, command):
    """What to do next, a line each."""
    counts = {effect: sum(report.count(effect) for report in reports) for effect in EFFECTS}
    edited = sum(bool(report.count(EDIT)) for report in reports)
    yield (
        f"{_many(len(reports), 'file')}: {_many(counts[EDIT], 'edit')} in {_many(edited, 'file')}, "
        f"{counts[MODE]} to edit or run with legacy semantics, {counts[CHECK]} to check"
    )
    if items(reports):
        yield f"legacy semantics: TORCHTHAW_LEGACY_SEMANTICS={','.join(items(reports))}"
    if any(finding.rule == "strides" for report in reports for finding in report.findings):
        yield (
            "transposed tensors: run once with TORCHTHAW_DEBUG=1, which names each one that reaches C; "
            "TORCHTHAW_LEGACY_SEMANTICS=contiguous makes them as they were"
        )
    findings = [finding for report in reports for finding in report.findings]
    optional = sum(finding.optional for finding in findings)
    certain = sum(finding.certain for finding in findings) - optional
    applying = f"python -m torchthaw doctor {shell_word(path)} --apply (--diff shows them first)"
    if certain:
        which = "every edit" if certain == counts[EDIT] else f"{certain} of these edits, marked with +"
        yield f"to make {which}{', and the optional ones' if optional else ''}: {applying}"
    elif optional:
        # What `run` serves and no edit replaces needs it still; nvcc alone refuses cards that `run` leaves out.
        alone = not any(
            finding.rule == "gpu-architecture" or finding.rule in SERVED and not finding.certain for finding in findings
        )
        yield f"to make every optional edit{', so that PyTorch alone compiles it' if alone else ''}: {applying}"
    if counts[EDIT] and command:
        yield f"after the edits: {command}"
    if not counts[EDIT]:
        unread = any(finding.rule == "unreadable" for finding in findings)
        done = "nothing has to be edited in the files that could be read" if unread else "nothing has to be edited"
        yield f"{done}: {command}" if command else done


def _many(count, noun):
    return f"{count} {noun}{'' if count == 1 else 's'}"
