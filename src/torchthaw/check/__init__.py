"""torchthaw/check: `python -m torchthaw check`: a project is built and tested beside several versions of PyTorch and Python."""

import os
import sys
from pathlib import Path

from ..base import printing

OWN_PYTHON = "{}.{}".format(*sys.version_info[:2])
FORMATS = "text", "markdown", "json"
INTERRUPTED = 130  # the exit status that shells give a program which Ctrl-C ended


def add_check(subcommands, help):
    """Adds the subcommand."""
    parser = subcommands.add_parser(
        "check", help=help,
        usage="python -m torchthaw check [OPTION ...] [COMMAND ...]",
        description="Makes an environment for each PyTorch on each Python, builds the project in the current folder there, "
        "installs its wheel, and runs COMMAND in a copy of the project, such as `pytest tests`. Without COMMAND, the "
        "modules of the wheel are imported. Prints a table of what worked, with the first error of what did not; the exit "
        "status is 1 if anything failed. Environments and results are kept in the cache: a cell of the table whose files "
        "and commands are the same as before is not run again.",
    )  # fmt: skip
    parser.add_argument(
        "--torch",
        type=_listed,
        default=["newest"],
        metavar="VERSION,…",
        help="versions of PyTorch, and newest, the default",
    )
    parser.add_argument(
        "--python", type=_listed, default=[OWN_PYTHON], metavar="VERSION,…",
        help="versions of Python, such as 3.10, or paths of one; by default the one that runs this",
    )  # fmt: skip
    parser.add_argument("--index", default=os.environ.get("TORCH_INDEX"), metavar="URL", help="of PyTorch's wheels: a "
                        "package index; by default TORCH_INDEX, else pip's own")  # fmt: skip
    how = parser.add_mutually_exclusive_group()
    how.add_argument("--run", dest="by_run", action="store_true", help="builds under `python -m torchthaw run`")
    how.add_argument(
        "--portable", action="store_true",
        help="builds one wheel for all, beside the newest PyTorch, under `python -m torchthaw run --portable`",
    )  # fmt: skip
    how.add_argument(
        "--build", metavar="COMMAND", help="builds by this command of a shell in place of a wheel; needs COMMAND"
    )
    parser.add_argument(
        "--with",
        dest="packages",
        action="append",
        default=[],
        metavar="PACKAGE",
        help="installed besides; may be repeated",
    )
    parser.add_argument("--format", choices=FORMATS, default="text", help="of the table: text, markdown or json")
    parser.add_argument("--again", action="store_true", help="runs what has a result, too")
    parser.add_argument("--fresh", action="store_true", help="makes the environments again, too")
    parser.add_argument(
        "--seconds", type=float, default=3600, metavar="N", help="the limit of each step; by default 3600"
    )
    parser.add_argument("words", nargs="...", metavar="COMMAND", help="what runs the tests, and its arguments")
    parser.set_defaults(run=run, parser=parser)


def _listed(text):
    """The words of a list with commas, each once."""
    return list(dict.fromkeys(word for word in text.split(",") if word))


def run(options):
    """Checks each cell, says on stderr what it does, and prints the table."""
    options.words = options.words[options.words[:1] == ["--"] :]
    if options.build and not options.words:
        options.parser.error(
            "COMMAND: expected what runs the tests, since --build makes no wheel to import, got nothing"
        )
    for name in ("torch", "python"):
        if not getattr(options, name):
            options.parser.error(f"--{name}: expected one or more versions, got none")
    from . import cells, tables

    rows, status = [], 0
    matrix = cells.Matrix(Path.cwd(), options)
    try:
        for cell in matrix.cells():
            rows.append(matrix.check(cell, _say))
    except KeyboardInterrupt:
        _say("interrupted: the same command goes on from here")
        status = INTERRUPTED
    printing.show(tables.of(rows, options.format))
    return status or int(not rows or any(row.failed for row in rows))


def _say(text):
    printing.show(printing.one_line(f"torchthaw: {text}"), sys.stderr)
    sys.stderr.flush()
