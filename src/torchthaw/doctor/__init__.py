"""torchthaw/doctor: what a legacy project needs before it runs today, found by reading it.

``python -m torchthaw doctor PATH`` prints it; ``examine.examine`` gives it to programs.
"""

import sys


def add_doctor(subcommands, help):
    """The subcommand ``doctor`` of the command line."""
    parser = subcommands.add_parser(
        "doctor",
        help=help,
        description="Reads a legacy project without running it. Exit status: 0 nothing has to be edited, "
        "1 something has, 2 PATH is not there or holds nothing to read. Of --so: 0 nothing is missing here, 1 something is.",
    )
    parser.add_argument("path", nargs="?", metavar="PATH", help="a project's folder, or one file")
    form = parser.add_mutually_exclusive_group()
    form.add_argument("--json", action="store_true", help="print one JSON object")
    form.add_argument("--diff", action="store_true", help="print the certain edits as a diff")
    parser.add_argument("--apply", action="store_true", help="write the certain edits, then print what remains")
    parser.add_argument(
        "--portable",
        action="store_true",
        help="say whether run --portable can build it, and with which PyTorch it works",
    )
    parser.add_argument(
        "--so",
        metavar="FILE",
        help="say which Python and PyTorch a compiled extension, or each of a wheel, was built for, and what is missing here",
    )
    parser.add_argument("--patches", action="store_true", help="list what is patched in PyTorch, and how to switch it")
    parser.set_defaults(run=run_doctor, parser=parser)


def run_doctor(options):
    if options.patches:
        from .patch_list import show

        return show(options.json)
    if options.so is not None:
        if options.path is not None or options.diff or options.apply or options.portable:
            options.parser.error("--so: expected no PATH, --diff, --apply or --portable with it")
        from .shared_objects import report as of_shared_objects

        return of_shared_objects.run(options.so, options.json)
    if options.path is None:
        options.parser.error("expected PATH, --so FILE or --patches")
    if options.portable:
        if options.diff or options.apply:
            options.parser.error("--portable: expected no --diff and no --apply, which edit")
        return run_portable(options)
    from ..base import printing
    from . import apply, python2, report
    from .examine import Examination
    from .reading import commands

    try:
        examination = Examination(options.path)
    except OSError as error:
        printing.complain(f"PATH: {error}")
        return 2
    if not examination.reports:
        printing.complain(
            f"PATH: expected a project or a file that the doctor reads ({report.READ}), got {options.path!r}"
        )
        return 2
    if options.diff:
        sys.stdout.flush()
        sys.stdout.buffer.write(apply.diff(examination))
        sys.stdout.buffer.flush()
    written = None
    if options.apply:
        written = apply.write(examination)
        examination = Examination(options.path)  # what remains
        for path, why in written.failed.items():
            printing.complain(printing.one_line(f"{path}: not written: {why}"))
    off = examination.age.line(examination.left_out)
    if any(finding.rule == "syntax" for each in examination.reports for finding in each.findings):
        try:
            python2.require("legacy")
        except ImportError as error:
            printing.complain(f"doctor: what is Python 2 is not translated: {error}")
    # Once the edits are made, PyTorch may need no more of torchthaw.
    is_alone = options.apply and not examination.build_files and not report.needs_run(examination.reports)
    command = commands.build_command(examination, commands.ALONE if is_alone else commands.RUN)
    if options.json:
        printing.show(report.as_json(options.path, examination.reports, off, written))
    elif options.apply or not options.diff:
        for line in report.what_was_written(written) if written else ():
            printing.show(line)
        printing.show(report.as_text(options.path, examination.reports, command, off))
    return report.exit_status(examination.reports)


def run_portable(options):
    """doctor --portable. Exit status: 0 every name is served, 1 some are not, 2 as above, or torchthaw[portable] is missing."""
    from ..base import printing
    from ..base.errors import BuildError
    from . import portable

    try:
        answer = portable.examine(options.path)
    except (OSError, ImportError, BuildError) as error:
        printing.complain(f"{'PATH: ' if isinstance(error, OSError) else ''}{error}")
        return 2
    if not answer.files and not answer.unseen:
        printing.complain(f"PATH: expected files of C++ or CUDA that use PyTorch, got {options.path!r}")
        return 2
    for line in [portable.as_json(options.path, answer)] if options.json else portable.report(options.path, answer):
        printing.show(line)
    return 1 if answer.missing else 0
