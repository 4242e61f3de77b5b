"""torchthaw/legacy/doctor: what a legacy project needs before it runs today, found by reading it.

``python -m torchthaw doctor PATH`` prints it; ``examine.examine`` gives it to programs.
"""

import sys


def add_doctor(subcommands, help):
    """The subcommand ``doctor`` of the command line."""
    parser = subcommands.add_parser(
        "doctor",
        help=help,
        description="Reads a legacy project without running it. Exit status: 0 nothing has to be edited, "
        "1 something has, 2 PATH or a package that this needs is not there.",
    )
    parser.add_argument("path", nargs="?", metavar="PATH", help="a project's folder, or one file")
    form = parser.add_mutually_exclusive_group()
    form.add_argument("--json", action="store_true", help="print one JSON object")
    form.add_argument("--diff", action="store_true", help="print the certain edits as a diff")
    parser.add_argument("--apply", action="store_true", help="write the certain edits, then print what remains")
    parser.add_argument("--patches", action="store_true", help="list what is patched in PyTorch, and how to switch it")
    parser.set_defaults(run=run_doctor, parser=parser)


def run_doctor(options):
    if options.patches:
        from .patch_list import show

        return show(options.json)
    if options.path is None:
        options.parser.error("expected PATH or --patches")
    from . import apply, commands, python2, report
    from .examine import Examination

    try:
        python2.require("legacy")  # before anything is read, so that what is said depends on no file
        examination = Examination(options.path)
    except OSError as error:
        print(f"torchthaw: PATH: {error}", file=sys.stderr)
        return 2
    except ImportError as error:
        print(f"torchthaw: doctor: {error}", file=sys.stderr)
        return 2
    if options.diff:
        sys.stdout.flush()
        sys.stdout.buffer.write(apply.diff(examination))
        sys.stdout.buffer.flush()
    changed = failed = None
    if options.apply:
        changed, failed = apply.write(examination)
        examination = Examination(options.path)  # what remains
        for path, why in failed.items():
            print(f"torchthaw: {path}: not written: {why}", file=sys.stderr)
    off = examination.age.line(examination.left_out)
    if options.json:
        _print(report.as_json(options.path, examination.reports, off, changed, failed))
    elif options.apply or not options.diff:
        for path, lines in (changed or {}).items():
            _print(f"{path}: {lines} line{'' if lines == 1 else 's'} changed")
        _print(report.as_text(options.path, examination.reports, commands.build_command(examination), off))
    return report.exit_status(examination.reports)


def _print(text):
    """Prints what any terminal takes: names of files may be no text, and sources hold any character."""
    encoding = sys.stdout.encoding or "utf-8"
    print(text.encode(encoding, "backslashreplace").decode(encoding))
