"""torchthaw/modernize: makes a package of today of a legacy project, in a folder of its own.

``python -m torchthaw modernize PROJECT`` runs it; the old project is only read.
"""

import sys
import tempfile
from pathlib import Path


def add_modernize(subcommands, help):
    """The subcommand ``modernize`` of the command line."""
    parser = subcommands.add_parser(
        "modernize",
        help=help,
        description="Writes a package that does what a project for torch.utils.ffi did, on PyTorch and torchthaw of "
        "today, with the project's C code. PROJECT is only read. Exit status: 0; 1 if old and new results differ, or "
        "with --check if a person must look at something; 2 if the project cannot be modernized.",
    )
    parser.add_argument("project", metavar="PROJECT", help="the folder of the project")
    parser.add_argument(
        "--output", metavar="DIR", help="where the result goes; by default beside it, PROJECT-modernized"
    )
    parser.add_argument(
        "--check", action="store_true", help="report only: write nothing and run nothing of the project"
    )
    parser.add_argument("--diff", action="store_true", help="print all changes as a diff, and write nothing")
    parser.add_argument("--json", action="store_true", help="print one JSON object in place of text")
    parser.add_argument(
        "--no-compare", action="store_true", help="build neither project: compare nothing, write no tests of Functions"
    )
    parser.add_argument(
        "--build", metavar="FILE", action="append", default=[], help="the build file, of several; repeatable"
    )
    parser.add_argument(
        "--time-limit",
        metavar="SECONDS",
        type=float,
        default=60,
        help="for a build file that must be run; 60 by default",
    )
    parser.set_defaults(run=run_modernize, parser=parser)


def run_modernize(options):
    from ..base import printing
    from ..doctor import python2
    from .project import Refused

    if options.time_limit <= 0:
        options.parser.error(f"--time-limit: expected a number above 0, got {options.time_limit:g}")
    if options.diff and options.json:
        options.parser.error("--diff: expected without --json, got both")
    try:
        python2.require("modernize")
    except ImportError as error:
        printing.complain(f"modernize: {error}")
        return 2
    try:
        return _check(options) if options.check else _modernize(options)
    except Refused as error:
        printing.complain(f"modernize: {error}")
        return 2


def _modernize(options):
    from ..base import printing
    from ..base.writing import write as write_file
    from . import conversion, report, writing
    from .project import Project

    folder = writing.output_folder(Project(options.project), options.output)
    made = conversion.convert(options.project, folder, options.build, options.time_limit)
    if options.diff:
        return _show_diff(made, 0)
    with writing.written(made.contents, folder) as there:
        rows = _complete(made.result._replace(folder=there), options)
        page = report.page(made, rows).encode(errors="backslashreplace")  # names of files may be no text
        write_file(there / "MODERNIZED.md", page)
    status = report.exit_status(False, made.result.remarks, rows)
    printing.show(report.as_json(made, rows, status, True) if options.json else report.as_text(made, rows, True))
    return status


def _complete(result, options):
    """Adds the tests of the new project's Functions; returns the rows of the comparison with the old one."""
    from . import comparison, generated_tests, replacements

    rows = []
    if not options.no_compare:
        result.remarks.extend(generated_tests.write(result))
        rows = comparison.compare(result).rows
    result.remarks.extend(replacements.hints(result))
    return rows


def _check(options):
    from ..base import printing
    from . import conversion, replacements, report, writing
    from .literal import NeedsRun

    with tempfile.TemporaryDirectory(prefix="torchthaw-modernize-") as scratch:
        folder = Path(scratch, "result")
        try:
            made = conversion.convert(options.project, folder, options.build, may_run=False)
        except NeedsRun as error:
            printing.show(report.needs_run(options.project, error, options.json))
            return 1
        if not options.diff:
            with writing.written(made.contents, folder):
                pass
            made.result.remarks.extend(replacements.hints(made.result))
    status = report.exit_status(True, made.result.remarks, [])
    if options.diff:
        return _show_diff(made, status)
    printing.show(report.as_json(made, [], status, False) if options.json else report.as_text(made, [], False))
    return status


def _show_diff(made, status):
    from . import writing

    sys.stdout.flush()
    sys.stdout.buffer.write(writing.diff(made.project, made.contents))
    sys.stdout.buffer.flush()
    return status
