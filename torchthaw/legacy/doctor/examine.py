"""torchthaw/legacy/doctor/examine.py: reads the files of a legacy project, running none, and says what it finds."""

import re
from itertools import groupby

from . import build_files, c_files, python_files
from .findings import FileReport
from .project import Project, kind
from .rules import C, CHECK, PYTHON, PYTHON_TEXT, RULES, SHELL, WORKS
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
    _match(report, project.texts[file], {C: project.code[file]})
    c_files.examine(report, project, file)


def _examine_python(report, project, file):
    text = project.texts[file].removeprefix("\ufeff")
    views = {
        PYTHON: blank(text, PYTHON_TOKENS, ("comment", "string")),
        PYTHON_TEXT: blank(text, PYTHON_TOKENS, ("comment",)),
    }
    _match(report, text, views)
    python_files.examine(report, project, file, text, views[PYTHON])
    if build_files.is_build_file(views[PYTHON]):
        build_files.examine_objects(report, project, file, views[PYTHON_TEXT])


def _examine_script(report, project, file):
    text = project.texts[file]
    _match(report, text, {SHELL: blank(text, SHELL_TOKENS, ("comment",))})


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


def _match(report, text, views):
    """Adds what the rules find; ``views``: {kind: the text that rules of this kind see}."""
    for rule in RULES:
        view = views.get(rule.kind)
        if view is None or not rule.pattern.search(view) or not rule.holds_for(view):
            continue
        for start, matches in groupby(rule.pattern.finditer(view), lambda match: _start_of_line(view, match.start())):
            before = text[start : (text + "\n").index("\n", start)]
            after = _edited(rule, [*matches], before, start, text)
            number = view.count("\n", 0, start) + 1
            report.add(number, rule.effect, rule.name, rule.message, before.strip(), after, rule.item)
            if rule.effect == WORKS:
                break  # what works is said once in a file


def _start_of_line(text, position):
    return text.rfind("\n", 0, position) + 1


def _edited(rule, matches, before, start, text):
    """The line ``before``, which starts at ``start``, with the rule's edit made; None where it goes beyond the line."""
    if rule.edit is None or matches[-1].end() > start + len(before):
        return None
    after = before
    for match in reversed(matches):
        edit = re.sub(r"\\(\d)", lambda group: text[slice(*match.span(int(group[1])))], rule.edit)
        after = after[: match.start() - start] + edit + after[match.end() - start :]
    return after.strip()
