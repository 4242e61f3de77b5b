"""torchthaw/check/tables.py: the table of a check, as text, Markdown or JSON."""

import dataclasses
import json

from ..base import printing

HEADS = ["torch", "Python", "environment", "build", "test", "first error"]


def of(rows, format):
    """The table of cells.Row in one of the formats."""
    if format == "json":
        return json.dumps([dataclasses.asdict(row) for row in rows], indent=2)
    table = [HEADS, *map(_words, rows)]
    if format == "markdown":
        lines = ["| " + " | ".join(word.replace("|", "\\|") for word in row) + " |" for row in table]
        return "\n".join([lines[0], "| --- " * len(HEADS) + "|", *lines[1:]])
    widths = [max(len(row[column]) for row in table) for column in range(len(HEADS) - 1)]
    lines = [[*(word.ljust(width) for word, width in zip(row, widths)), row[-1]] for row in table]
    logs = [f"{row.torch}, Python {row.python}: {row.log}" for row in rows if row.failed]
    shown = ["  ".join(line).rstrip() for line in lines]
    return "\n".join([*shown, *(["", "what failed, in full:", *map(printing.one_line, logs)] if logs else [])])


def _words(row):
    """The words of one row."""
    asked = f"{row.torch_found} (newest)" if row.torch == "newest" and row.torch_found else row.torch
    steps = (row.build, row.build_seconds), (row.test, row.test_seconds)
    done = [f"{what}, {seconds:.0f} s" if seconds else what for what, seconds in steps]
    return [*map(printing.one_line, [asked, row.python_found or row.python, row.environment, *done, row.error])]
