"""projects_table.py: the tables of docs/reference/projects.md, and the lines of a step's log that they show."""

import re

import page

# The tables by the names of their parts of the page.
COLUMNS = {
    "projects": ["project", "with `run`", "before", "what was replaced", "commit", "PyTorch", "date"],
    "applied": ["project", "after the edits", "edits", "built with", "commit", "PyTorch", "date"],
    "kernels": ["project", "with kernels on the CPU", "commit", "PyTorch", "date"],
    "edits": ["project", "lines", "files", "false lines", "commit"],
}
COMPARED_WITH = {"plain": "before", "run": "with `run`"}  # the column that says how far a way comes without the edits
SHOWS = ("builds", "imports", "values right")
LONGEST = 160  # characters of a message
# Those that README shows, of different kinds, by their names.
SHOWN = ("pytorch3d", "mamba", "MinkowskiEngine", "maskrcnn-benchmark", "pytorch_scatter", "extension-ffi")

# What the first line that says why a build stopped looks like, and lines that only say that one did.
ERROR = re.compile(
    r"(?:fatal error|error)(?: #\d+(?:-D)?)?\s*: (.*)|^(nvcc fatal .*)|^CMake Error[^:]*(?::\d+ \([^)]*\))?: *(.*)"
    r"|^(\w+(?:\.\w+)*(?:Error|Exception|NotFound): .*)"
)
NO_REASON = re.compile(r"error: (subprocess-exited|metadata-generation|command )|^error: legacy-install|ninja: build")
TOLD = re.compile(r"^torchthaw: (.*)", re.MULTILINE)
NOT_REPLACED = re.compile("^compil|: cannot be built here: |: builds, but ")  # progress, and what `run` cannot serve


def message(log):
    """The first line of a log that says why, else its last one, without paths of this machine."""
    lines = [line.strip() for line in log.splitlines() if line.strip()]
    for line, after in zip(lines[1:], [*lines[2:], ""]):
        found = ERROR.search(line)
        if found and not NO_REASON.search(line):
            return shortened(next(filter(None, found.groups()), after))  # CMake's own are on the line after
    return shortened(lines[-1])


def told(log):
    """The lines in which `run` says what it replaced."""
    return list(dict.fromkeys(shortened(line) for line in TOLD.findall(log) if not NOT_REPLACED.search(line)))


def shortened(text):
    text = re.sub(r"(?:/[^\s/:'\"]+)+/([^\s/:'\"]+)", r"\1", " ".join(text.split()))
    return text if len(text) <= LONGEST else text[: LONGEST - 1] + "…"


def told_of(outcome):
    """An Outcome in words."""
    shown = ", ".join(outcome.shown)
    if not outcome.failed:
        return shown
    stopped = f"{outcome.failed}: no: {outcome.message}"
    return f"{shown}; {stopped}" if shown else stopped


def row(project, environment, outcomes, date):
    """The cells by column, and where the project stops under `run` in spite of its record, words that say so."""
    plain, after = outcomes["plain"], outcomes["run"]
    told = "; ".join(filter(None, [_after(project, environment, after), after.failed and project.fault]))
    cells = {
        **_head(project, environment), "before": plain.failed and code(plain.message) or told_of(plain),
        "with `run`": "after `doctor --apply`: " * project.doctor + told,
        "what was replaced": "; ".join(map(code, after.replaced)), "date": date,
    }  # fmt: skip
    stops = "stops under run, and its record names no fault" if after.failed and not project.fault else ""
    broken = differences(plain, after)
    if broken:  # a fault of `run`, whatever the record says
        cells["with `run`"] += f"; differs: {code(broken)}"
        stops = f"run breaks what PyTorch alone builds: {broken}"
    return {"cells": cells, "stops": stops}


def differences(plain, after):
    """What `run` makes otherwise of a project that PyTorch alone builds, in words; "" where nothing or it builds none."""
    if "builds" not in plain.shown:
        return ""
    found = [f"{shown}: only without run" for shown in plain.shown if shown not in after.shown]
    for name in sorted({*plain.built, *after.built} if "builds" in after.shown else ()):
        before, then = plain.built.get(name, "none"), after.built.get(name, "none")
        if before != then:
            found.append(f"{name}: {before} without run, {then} with it")
    return "; ".join(found)


def applied_row(project, environment, way, outcome, document, date):
    """The cells of the second table; where the project comes less far than the first one says, words that say so."""
    head = _head(project, environment)
    same = [cells for cells in read(document, "projects") if head.items() <= cells.items()]
    farther = _compared(same, way, outcome)
    told = _after(project, environment, outcome) + (f" ({farther})" if farther else "")
    built = "`run`" if way == "run" else "PyTorch alone"
    stops = f"comes less far after doctor --apply: {told_of(outcome)}" if farther == "less far" else ""
    cells = {**head, "edits": outcome.edits.told(), "built with": built, "after the edits": told, "date": date}
    return {"cells": cells, "stops": stops}


def kernels_row(project, environment, outcome, date):
    """The cells of the third table, and where the project stops in spite of its record, words that say so."""
    told = "; ".join(filter(None, [", ".join(outcome.shown), *_stopped(outcome, project.fault_on_cpu)]))
    stops = "stops, and its record names no fault_on_cpu" if outcome.failed and not project.fault_on_cpu else ""
    cells = {**_head(project, environment), "with kernels on the CPU": told, "date": date}
    return {"cells": cells, "stops": stops}


def edits_row(project, edits):
    """The cells of the fourth table."""
    name, false = _name(project), project.edits.get("false", 0)
    cells = (name, edits.lines, len(edits.files), false, project.commit[:8])
    return {"cells": dict(zip(COLUMNS["edits"], map(str, cells), strict=True)), "stops": ""}


def _name(project):
    return f"[{project.name}](https://github.com/{project.repository})"


def _head(project, environment):
    return {"project": _name(project), "commit": project.commit[:8], "PyTorch": environment.torch}


def _compared(rows, way, outcome):
    """In words, where there is such a row."""
    for cells in rows:
        words = re.sub(r"`[^`]*`", "", cells[COMPARED_WITH[way]])  # messages may have any words
        shown = [word for word in SHOWS if re.search(rf"\b{word}(?!: no)", words)]
        more = len(outcome.shown) - len(shown)
        return "farther" if more > 0 else "less far" if more else "as before"
    return ""


def _after(project, environment, outcome):
    shown = ", ".join(outcome.shown)
    if project.cuda == "part" and not environment.cuda:
        shown += " (CPU part)"
    return "; ".join(filter(None, [shown, *_stopped(outcome)]))


def _stopped(outcome, fault=""):
    return [f"{outcome.failed}: no: {code(outcome.message)}", fault] if outcome.failed else []


def code(text):
    return f"`{text.replace('`', chr(39))}`"


def read(document, name):
    """The rows of a table of the document, each {column: cell}."""
    return [dict(zip(COLUMNS[name], cells, strict=True)) for cells in page.cells(page.part(document, name))]


def publish(document, name, row):
    """Writes the row into a table of the document; rows of other projects stay, with their dates."""
    rows = {cells["project"]: cells for cells in [*read(document, name), row["cells"]]}
    lines = [[rows[project][column] for column in COLUMNS[name]] for project in sorted(rows, key=str.lower)]
    page.write(document, name, page.table([COLUMNS[name], *lines]))


def headlines(document):
    """README's table: what the first table of ``document`` says of a few projects, the messages by their beginning."""
    rows = {re.sub(r"\[([^]]*)\].*", r"\1", cells["project"]): cells for cells in read(document, "projects")}
    shown = [rows[name] for name in SHOWN if name in rows]
    lines = [[cells["project"], re.sub(r"`([^`]{50})[^`]*`", r"`\1…`", cells["before"]), cells["with `run`"],
              cells["PyTorch"]] for cells in shown]  # fmt: skip
    return page.table([["project", "with PyTorch alone", "under `run`", "PyTorch"], *lines])
