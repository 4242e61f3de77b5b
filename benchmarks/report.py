"""benchmarks/report.py: results as JSON and as Markdown tables."""

import ast
import datetime
import json
from dataclasses import asdict
from pathlib import Path

from .goals import GOALS, HEADLINES, TOPICS, verdicts
from .harness import Group, Outcome, Spread
from .machine import IDLE_ENOUGH

SCHEMA = 2
RESULTS = Path(__file__).parent / "results"
BEGIN, END = "<!-- measured: begin -->", "<!-- measured: end -->"  # lines around a document's tables


def results(outcomes, machine, *, quick):
    """{benchmark: Outcome} → the dictionary that ``save`` writes."""
    return {
        "schema": SCHEMA,
        "date": datetime.date.today().isoformat(),
        "quick": quick,
        "machine": machine,
        "outcomes": outcomes,
    }


def save(found, path):
    """Write results as JSON, a measurement a line. Times in seconds."""
    written = {**found, "outcomes": {q: asdict(a) for q, a in found["outcomes"].items()}}
    path.write_text(_lines(written, 4) + "\n")


def _lines(value, depth, margin=""):
    """JSON in which values that are ``depth`` levels down stand on one line."""
    if depth == 0 or not isinstance(value, (dict, list)) or not value:
        return json.dumps(value, ensure_ascii=False)
    named = isinstance(value, dict)
    items = [(f"{json.dumps(k, ensure_ascii=False)}: " if named else "") + _lines(v, depth - 1, margin + " ")
             for k, v in (value.items() if named else [(None, each) for each in value])]  # fmt: skip
    opening, closing = "{}" if named else "[]"
    return f"{opening}\n{margin} " + f",\n{margin} ".join(items) + f"\n{margin}{closing}"


def load(path):
    """What ``save`` wrote, as ``results`` made it."""
    found = json.loads(Path(path).read_text())
    if found["schema"] != SCHEMA:
        raise ValueError(f"{path}: expected schema {SCHEMA}, got {found['schema']}")
    for benchmark, outcome in found["outcomes"].items():
        groups = [
            Group(**{**g, "results": {n: Spread(**r) for n, r in g["results"].items()}}) for g in outcome["groups"]
        ]
        found["outcomes"][benchmark] = Outcome(groups, outcome["notes"], outcome["others"])
    return found


def table(head, rows):
    """A Markdown table with aligned columns."""
    lines = [list(map(str, row)) for row in (head, *rows)]
    widths = [max(len(line[i]) for line in lines) for i in range(len(head))]
    text = ["| " + " | ".join(c.ljust(w) for c, w in zip(line, widths)) + " |" for line in lines]
    text.insert(1, "| " + " | ".join("-" * w for w in widths) + " |")
    return "\n".join(text)


def quantity(value, unit):
    """``value`` in its unit (s or B) with three significant digits: 0.0000351 s → 35.1 µs."""
    steps = {
        "s": ((1e-9, "ns"), (1e-6, "µs"), (1e-3, "ms"), (1.0, "s")),
        "B": ((1.0, "B"), (1e3, "kB"), (1e6, "MB"), (1e9, "GB")),
    }[unit]
    scale, name = next(((s, n) for s, n in reversed(steps) if value >= s), steps[0])
    scaled = value / scale
    return f"{scaled:.{max(0, 2 - (scaled >= 10) - (scaled >= 100))}f} {name}"


def title(benchmark):
    """What a benchmark measures: the first line of its script."""
    source = (Path(__file__).parent / f"{benchmark}.py").read_text()
    first = ast.get_docstring(ast.parse(source)).splitlines()[0]
    topic = first.partition(": ")[2]
    return topic[0].upper() + topic[1:]


def _spread(group):
    """Widest distance between quartiles of a contender, relative to its value."""
    return max((s.high - s.low) / s.value for s in group.results.values() if s.value)


def outcome_table(benchmark, outcome):
    """One benchmark's measurements; contenders are columns, the spread is that of the widest."""
    parts = [f"\n### {title(benchmark)}\n"]
    blocks = {}
    for group in outcome.groups:  # groups with the same contenders share a table
        blocks.setdefault(tuple(group.results), []).append(group)
    for names, groups in blocks.items():
        rows = []
        for g in groups:
            values = [quantity(s.value, g.unit) for s in g.results.values()]
            spread = "" if g.statistic == "exact" else f"{_spread(g):.0%}"
            rows.append([g.case, g.shape, *values, spread])
        parts += [table(["", "shape", *names, "spread"], rows), ""]
    notes = list(outcome.notes)
    if outcome.groups:
        notes.append(f"other programs took {outcome.others:.0%} of the cores' time meanwhile")
    parts += [f"- {note}." for note in notes]
    return "\n".join(parts)


def groups_of(found):
    return [group for outcome in found["outcomes"].values() for group in outcome.groups]


def goal_table(found):
    """Every goal of the benchmarks that were run, with value and verdict."""
    rows = []
    chosen = [goal for goal in GOALS if goal.benchmark in found["outcomes"]]
    for goal, value, met in verdicts(groups_of(found), chosen):
        show = "{:.2f}".format if goal.peers and not goal.minus else lambda v: quantity(v, "s")
        sign = "−" if goal.minus else "÷"
        peers = "best peer" if len(goal.peers) > 2 else " or ".join(goal.peers)
        rows.append([
            f"{TOPICS[goal.benchmark]}: {goal.case}", goal.shape, f"{goal.contender} {sign} {peers}".rstrip(" ÷"),
            "not measured" if value is None else show(value), f"{goal.relation} {show(goal.bound)}",
            "" if met is None else "met" if met else "**not met**",
        ])  # fmt: skip
    if not rows:
        return ""
    return "\n### Goals\n\n" + _disturbed(found) + table(["", "shape", "of", "value", "goal", ""], rows)


def _disturbed(found):
    names = [q for q, a in found["outcomes"].items() if a.others > 1 - IDLE_ENOUGH]
    return f"Not a quiet machine while this ran, no verdict on: {', '.join(names)}.\n\n" if names else ""


def machine_lines(found):
    m = found["machine"]
    return (
        f"{m['cpu']}, {m['cores']} cores, {m['system']}; Python {m['python']}, PyTorch {m['torch']} "
        f"({m['torch_cpu_capability']}) with MKL {m['mkl']} and oneDNN {m['onednn']}; {m['compiler']}; "
        f"{m['my_lib']}. {found['date']}" + (", quick run" if found["quick"] else "") + "."
    )


def headlines(found):
    """The five ratios of README, with the machine below them."""
    values = {(g.benchmark, g.case, g.shape, g.peers): value for g, value, _ in verdicts(groups_of(found))}
    rows = []
    for what, compared, *goal in HEADLINES:
        value = values[tuple(goal)]
        rows.append([what, compared, "not measured" if value is None else f"{value:.2f}"])
    return "\n".join([table(["time of", "compared with", "ratio"], rows), "", machine_lines(found)])


def markdown(found):
    """The whole report."""
    tables = [outcome_table(benchmark, outcome) for benchmark, outcome in found["outcomes"].items()]
    return "\n".join([machine_lines(found), goal_table(found), *tables])


def replace_measured(text, report):
    """``text`` with ``report`` between its two marker lines."""
    before, begin, rest = text.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not (begin and end):
        raise ValueError(f"expected the lines {BEGIN} and {END}")
    return f"{before}{BEGIN}\n{report}\n{END}{after}"


DOCUMENTS = {"README.md": headlines, "docs/internals/performance.md": markdown}


def publish(found, root):
    """Bring the tables of the documents under ``root`` up to this run."""
    for name, form in DOCUMENTS.items():
        path = root / name
        path.write_text(replace_measured(path.read_text(), form(found)))
