"""benchmarks/cards.py: what was found on a GPU: one file in benchmarks/results/ for each kind of card.

python -m benchmarks.cards          writes it into docs/internals/cuda.md
"""

import json
import re
import shutil
import subprocess
from datetime import date
from pathlib import Path

from . import report

RESULTS = Path(__file__).resolve().parent / "results"
PAGE = RESULTS.parents[1] / "docs" / "internals" / "cuda.md"


def name():
    """The first card's name, such as "NVIDIA H200"; "" where there is none."""
    smi = shutil.which("nvidia-smi")
    if not smi:
        return ""
    listed = subprocess.run([smi, "--query-gpu=name", "--format=csv,noheader"], capture_output=True, text=True)
    return listed.stdout.splitlines()[0].strip() if listed.returncode == 0 and listed.stdout.strip() else ""


def keep(card, section, found, folder=RESULTS):
    """Writes ``found`` into ``section``, with the date, and leaves everything else; the file's path."""
    path = folder / f"{re.sub(r'[^a-z0-9]+', '-', card.lower()).strip('-')}.json"
    results = json.loads(path.read_text()) if path.exists() else {"device": card}
    results.setdefault(section, {}).update(date=date.today().isoformat(), **found)
    path.write_text(json.dumps(results, indent=1) + "\n")
    return path


def rows(times):
    """(what, {contender: time}) for each line of a group's table."""
    if all(isinstance(value, dict) for value in times.values()):
        return list(times.items())
    return [("", times)]


def number(value):
    return "" if value is None else f"{value:,.0f}" if value >= 100 else f"{value:.3g}"


def markdown(results):
    """What one file says, as text of a page."""
    times = results["times"]
    lines = [
        f"**{results['device']}**, {times['processors']} processors, PyTorch {times['torch']}, CUDA {times['cuda']}, "
        f"cuDNN {times['cudnn']}, {times['date']}.",
        "",
    ]
    for part in ("build", "test", "sanitize", "times"):
        steps = {name: outcome for name, outcome in results.get(f"check: {part}", {}).items() if name != "date"}
        others = [f"{name} ({outcome})" for name, outcome in steps.items() if outcome != "ok"]
        passed = f"{len(steps) - len(others)} of {len(steps)} steps passed"
        lines.append(f"- `{part}`: {passed}{'; not: ' + ', '.join(others) if others else ''}.")
    names = None
    for group, measured in times["times"].items():
        for what, each in rows(measured):
            if names is None or not set(each) <= set(names):  # else one more line of the same table
                names = list(each)
                lines += ["", f"| | {' | '.join(names)} |", f"| --- |{' --- |' * len(names)}"]
            lines.append(f"| {group}{what and ': '}{what} | {' | '.join(number(each.get(name)) for name in names)} |")
    missed = [goal for goal in times["goals"] if not goal["met"]]
    lines += ["", f"{len(times['goals']) - len(missed)} of {len(times['goals'])} goals are met. The others:", ""]
    lines += ["| what | value | goal |", "| --- | --- | --- |"]
    lines += [f"| {goal['of']} | {goal['value']:.2f} | {goal['bound']} |" for goal in missed]
    return "\n".join(lines)


def published():
    """The text of the page with what all files say."""
    found = [json.loads(path.read_text()) for path in sorted(RESULTS.glob("*.json"))]
    return report.replace_measured(PAGE.read_text(), "\n\n".join(markdown(each) for each in found if "device" in each))


if __name__ == "__main__":
    PAGE.write_text(published())
