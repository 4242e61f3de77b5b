"""torchthaw/legacy/doctor/report.py: findings as text for people and JSON for programs."""

import dataclasses
import json

from .rules import CHECK, EDIT, MODE, WORKS

EFFECTS = (EDIT, MODE, CHECK, WORKS)


def items(reports):
    """The items of the legacy semantics that findings ask for, sorted."""
    return sorted({finding.item for report in reports for finding in report.findings if finding.item})


def exit_status(reports):
    """0: nothing has to be edited; 1: something has."""
    return 1 if any(report.count(EDIT) for report in reports) else 0


def as_json(path, reports):
    """One object; each file with all its findings, WORKS included."""
    return json.dumps(
        {
            "path": str(path),
            "files": [dataclasses.asdict(report) for report in reports],
            "counts": {effect: sum(report.count(effect) for report in reports) for effect in EFFECTS},
            "legacy_semantics": items(reports),
            "debug": any(finding.rule == "strides" for report in reports for finding in report.findings),
            "exit_status": exit_status(reports),
        },
        indent=2,
    )


def as_text(reports):
    """A block for each file, then what to do."""
    lines = []
    for report in reports:
        counts = [f"{report.count(effect)} to {effect}" for effect in (EDIT, CHECK) if report.count(effect)]
        if report.count(MODE):
            counts.insert(0, f"{report.count(MODE)} to edit or run with legacy semantics")
        lines.append(f"{report.path}: {', '.join(counts) or 'works'}")
        for finding in report.findings:
            place = f"{report.path}:{finding.line}: " if finding.line else ""
            lines.append(f"  {place}{finding.rule} ({finding.effect}): {finding.message}")
            lines += [f"      {line}" for line in _source(finding)]
    return "\n".join([*lines, "", *summary(reports)])


def _source(finding):
    """The line, as it is and as it should be where that is known."""
    if finding.effect == WORKS or not finding.before:
        return []
    if finding.after is None:
        return finding.before.splitlines()
    return [f"- {line}" for line in finding.before.splitlines()] + [f"+ {line}" for line in finding.after.splitlines()]


def summary(reports):
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
    if not counts[EDIT]:
        builds = [each.path for each in reports for finding in each.findings if finding.rule == "create_extension"]
        yield "nothing has to be edited" + "".join(f": python -m torchthaw run {path}" for path in builds[:1])


def _many(count, noun):
    return f"{count} {noun}{'' if count == 1 else 's'}"
