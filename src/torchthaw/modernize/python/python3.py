"""torchthaw/modernize/python/python3.py: what the doctor knows: Python 3, renamed names, and what to look at."""

import io
import tempfile
import tokenize
from pathlib import Path

from ...base.writing import write as write_file
from ...doctor import python_files
from ...doctor.findings import FileReport
from ...doctor.project import Project as DoctorProject
from ...doctor.reading.textfile import Unreadable
from ...doctor.reading.tree import TooDeep
from ...doctor.rules import CHECK, EDIT, MODE
from .project import parses

# Not for the result: imports.py knows where modules lie, and texts have no encoding.
OTHERS = {"implicit-import", "encoding"}
PYTHON2 = {"python2-syntax", "python2-name"}


def change(project):
    """Makes the certain edits of the doctor; a text that does not parse afterwards stays as it is."""
    for file, report in _examined(project):
        edited = report.edited if report.edited is not None else file.text
        if not parses(edited):
            error = next((each for each in report.findings if each.rule == "syntax"), None)
            message = error.message if error else "Python 3 cannot parse this"
            file.remark(error.line if error else 0, "syntax", f"{message}; the file stays as it is", "look")
            file.stays = True
            continue
        for finding in report.findings:
            if finding.certain and finding.rule not in OTHERS:
                file.remark(finding.line, finding.rule, finding.message.partition("; or set ")[0], "done")
        file.is_python2 = any(each.certain and each.rule in PYTHON2 for each in report.findings)
        file.update(edited)


def look(project):
    """Remarks what the doctor would still have a person edit or look at."""
    for file, report in _examined(project):
        said = {(remark.line, remark.rule) for remark in file.remarks if remark.kind == "look"}
        for finding in report.findings:
            known = (file.old_line(finding.line), finding.rule) in said
            if finding.effect in (EDIT, MODE, CHECK) and finding.rule not in OTHERS and not known:
                message = finding.message
                if finding.after and finding.after != finding.before and "\n" not in finding.after:
                    message += f": {finding.after}"
                file.remark(finding.line, finding.rule, message, "look")


def _examined(project):
    """[(File, the doctor's FileReport)] of the texts as they are by now; what is too deep for it stays as it is."""
    found = []
    with tempfile.TemporaryDirectory(prefix="torchthaw-modernize-") as name:
        folder = Path(name)
        for path, file in project.files.items():
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            write_file(folder / path, _encoded(file.text))
        sources = DoctorProject(folder, [folder / path for path in project.files])
        for path, file in project.files.items():
            report = FileReport(path)
            try:
                if not file.stays:
                    if folder / path in sources.unreadable:  # an edit has made it longer than what is read
                        raise Unreadable(sources.unreadable[folder / path])
                    python_files.examine(report, sources, folder / path)
            except (TooDeep, RecursionError, Unreadable) as error:
                file.remark(0, "unreadable", f"it cannot be read: {error}; the file stays as it is", "look")
                file.stays = True
            else:
                found.append((file, report))
    return found


def _encoded(text):
    """As Python would read it again."""
    data = text.encode()
    try:
        name = tokenize.detect_encoding(io.BytesIO(data).readline)[0]
        return text.encode(name)
    except (SyntaxError, UnicodeError, LookupError):
        return data
