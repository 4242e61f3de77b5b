"""torchthaw/legacy/doctor/examine.py: reads the files of a legacy project, running none, and says what it finds."""

from . import build_files, c_files, python_files
from .findings import FileReport
from .matching import match
from .project import Project, kind
from .rules import C, CHECK, PYTHON, PYTHON_TEXT, SHELL, WORKS
from .source import PYTHON_TOKENS, SHELL_TOKENS, blank

OURS = b"torchthaw.bridge"  # in every extension that this torch.utils.ffi built


def examine(path):
    """[FileReport] of the project or file at ``path``; OSError where it cannot be read."""
    project = Project(path)
    reports = {file: FileReport(file.relative_to(project.root).as_posix()) for file in project.files}
    examiners = {C: _examine_c, PYTHON: _examine_python, SHELL: _examine_script, "binary": _examine_binary}
    for file, report in reports.items():
        examiners[kind(file)](report, project, file)
    build_files.examine_headers(reports, project)
    for report in reports.values():
        report.findings.sort(key=lambda finding: finding.line)
    return list(reports.values())


def _examine_c(report, project, file):
    match(report, project.texts[file], {C: project.code[file]})
    c_files.examine(report, project, file)


def _examine_python(report, project, file):
    text = project.texts[file].removeprefix("\ufeff")
    views = {
        PYTHON: blank(text, PYTHON_TOKENS, ("comment", "string")),
        PYTHON_TEXT: blank(text, PYTHON_TOKENS, ("comment",)),
    }
    edited = match(report, text, views)
    python_files.examine(report, project, file, text, edited, views[PYTHON])
    if build_files.is_build_file(views[PYTHON]):
        build_files.examine_objects(report, project, file, views[PYTHON_TEXT])


def _examine_script(report, project, file):
    text = project.texts[file]
    match(report, text, {SHELL: blank(text, SHELL_TOKENS, ("comment",))})


def _examine_binary(report, project, file):
    if file.suffix == ".o":
        message = "compiled long ago; built anew from its source where there is one"
    elif OURS in file.read_bytes():
        message = "built by torchthaw"
    elif file.suffix == ".a":
        message = "a library compiled long ago: linked where the build file names it"
    else:
        message = "compiled for another Python or PyTorch; never loaded, the build replaces it"
    report.add(0, CHECK if file.suffix == ".a" else WORKS, "binary", message)
