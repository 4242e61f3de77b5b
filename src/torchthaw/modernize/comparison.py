"""torchthaw/modernize/comparison.py: calls the old and the new project with the same inputs, and compares."""

from typing import NamedTuple

from . import generated_tests
from .trials import projects, survey

# Bytes for glibc to fill new memory with: see projects.ask.
OLD, NEW = survey.FILL, 170
UNSET = "the old one gives other numbers each time: it uses memory that it did not set"


class Row(NamedTuple):
    """A Function or C function of the project. outcome: "equal", "different" or "not compared"; detail: how, or why."""

    function: str
    outcome: str
    detail: str


class Comparison(NamedTuple):
    """rows: a Row for each Function, and for each C function that the project's scripts call beside them."""

    rows: list


def compare(result):
    """Builds both projects in temporary copies, and compares outputs and gradients of each Function.

    The inputs are those that the project's own scripts call it with, and random numbers; each call runs in a process
    of its own, with a time limit. What the old one gave is recorded in the new project's tests.
    """
    found = survey.survey(result)
    rows, ready = {}, {}
    for target, row in found.rows.items():
        if row is None:
            rows[target] = "not compared", found.error
        elif row["cases"]:
            ready[target] = row["cases"]
        else:
            rows[target] = "not compared", survey.why_no_cases(target, row)
    if ready:
        rows |= _compared(result, found, ready)
    return Comparison([Row(_label(target, found), *rows[target]) for target in found.rows])


def _label(target, found):
    """A Target's name; with its module where another has the same."""
    is_only = [each.name for each in found.rows].count(target.name) == 1
    return target.name if is_only else f"{target.module}.{target.name}"


def _compared(result, found, ready):
    """{Target: (outcome, detail)} of the Targets with arguments, ``ready``."""
    old, new = survey.copies(result).old(), survey.copies(result).new()
    if old.error:
        return dict.fromkeys(ready, ("not compared", f"the old project cannot be built here: {old.error}"))
    job = {"kind": "run", "targets": [[*target, cases] for target, cases in ready.items()]}
    try:
        before, after = projects.ask(old, job, OLD), projects.ask(new, job, NEW)
        rows = {target: _outcome(before[target.key], after[target.key]) for target in ready}
        if any(outcome == "different" for outcome, _ in rows.values()):
            again = projects.ask(old, job, NEW)
            for target, (outcome, _) in rows.items():
                if outcome == "different" and _outcome(before[target.key], again[target.key])[0] == "different":
                    rows[target] = "not compared", UNSET
    except RuntimeError as error:
        return dict.fromkeys(ready, ("not compared", str(error)))
    for target, (outcome, _) in rows.items():
        if outcome == "equal":
            generated_tests.record(result, target, found.rows[target], [value for value, _ in before[target.key]])
    return rows


def _outcome(before, after):
    """(outcome, detail) of one Target from ``child.run``'s answers of both sides."""
    from .trials.equality import compare as compare_results  # imports PyTorch

    for side, answer in (("old", before), ("new", after)):
        if isinstance(answer, str):
            return "not compared" if side == "old" else "different", f"the {side} one cannot be imported: {answer}"
    failures = [error for _, error in before if error]
    if len(failures) == len(before):
        return "not compared", f"the old one fails: {failures[0]}"
    largest = 0.0
    for number, ((old, old_error), (new, new_error)) in enumerate(zip(before, after), 1):
        if old_error or new_error:
            side, error = ("old", old_error) if old_error else ("new", new_error)
            return "different", f"input {number}: the {side} one fails: {error}"
        why, apart = compare_results(old, new)
        if why:
            return "different", f"input {number}: {why}"
        largest = max(largest, apart)
    parts = "outputs and gradients" if any(value["gradients"] for value, _ in before) else "outputs"
    how = f"differ by {largest:.2g} at most" if largest else "equal bit for bit"
    inputs = "1 set of inputs" if len(before) == 1 else f"{len(before)} sets of inputs"
    return "equal", f"{inputs}: {parts} {how}"
