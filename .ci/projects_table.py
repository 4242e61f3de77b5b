"""projects_table.py: the table of docs/reference/projects.md, and the lines of a step's log that it shows."""

import re

import page

COLUMNS = ["project", "commit", "PyTorch", "before", "with `run`", "what was replaced", "date"]
LONGEST = 160  # characters of a message

# What the first line that says why a build stopped looks like, and lines that only say that one did.
ERROR = re.compile(
    r"(?:fatal error|error)(?: #\d+(?:-D)?)?: (.*)|^(nvcc fatal .*)|^CMake Error[^:]*(?::\d+ \([^)]*\))?: *(.*)"
    r"|^(\w+(?:\.\w+)*(?:Error|Exception|NotFound): .*)"
)
NO_REASON = re.compile(r"error: (subprocess-exited|metadata-generation|command )|^error: legacy-install|ninja: build")
TOLD = re.compile(r"^torchthaw: (.*)", re.MULTILINE)


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
    return list(dict.fromkeys(shortened(line) for line in TOLD.findall(log) if not line.startswith("compil")))


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
    """The cells by column, and whether the project stops under `run`."""
    after = outcomes["run"]
    cells = [
        f"[{project.name}](https://github.com/{project.repository})", project.commit[:8], environment.torch,
        outcomes["plain"].failed and code(outcomes["plain"].message) or told_of(outcomes["plain"]),
        after_cell(project, environment, after), "; ".join(map(code, after.replaced)), date,
    ]  # fmt: skip
    return {"cells": cells, "stops": bool(after.failed)}


def after_cell(project, environment, after):
    shown = ", ".join(after.shown)
    if project.doctor:
        shown = f"after `doctor --apply`: {shown}"
    if project.cuda == "part" and not environment.cuda:
        shown += " (CPU part)"
    if not after.failed:
        return shown
    reason = f"{after.failed}: no: {code(after.message)}"
    return "; ".join(part for part in (shown, reason, project.fault) if part)


def code(text):
    return f"`{text.replace('`', chr(39))}`"


def publish(document, rows):
    """Writes the rows into the document; rows of other projects stay, with their dates."""
    merged = {
        cells[0]: cells for cells in [*page.cells(page.part(document, "projects")), *(row["cells"] for row in rows)]
    }
    page.write(
        document, "projects", page.table([COLUMNS, *sorted(merged.values(), key=lambda cells: cells[0].lower())])
    )
