"""torchthaw/legacy/doctor: what a legacy project needs before it runs today, found by reading it.

``python -m torchthaw doctor PATH`` prints it; ``examine.examine`` gives it to programs.
"""

import sys


def add_doctor(subcommands):
    """The subcommand ``doctor`` of the command line."""
    parser = subcommands.add_parser(
        "doctor",
        help="say what a legacy project needs before it runs",
        description="Reads a legacy project without running it. Exit status: 0 nothing has to be edited, "
        "1 something has, 2 PATH cannot be read.",
    )
    parser.add_argument("path", nargs="?", metavar="PATH", help="a project's folder, or one file")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.add_argument("--patches", action="store_true", help="list what is patched in PyTorch, and how to switch it")
    parser.set_defaults(run=run_doctor, parser=parser)


def run_doctor(options):
    if options.patches:
        from .patch_list import show

        return show(options.json)
    if options.path is None:
        options.parser.error("expected PATH or --patches")
    from .examine import examine
    from .report import as_json, as_text, exit_status

    try:
        reports = examine(options.path)
    except OSError as error:
        print(f"torchthaw: PATH: {error}", file=sys.stderr)
        return 2
    print(as_json(options.path, reports) if options.json else as_text(reports))
    return exit_status(reports)
