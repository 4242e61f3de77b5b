"""torchthaw/legacy/doctor/build_files.py: the headers and objects that a build file names."""

import re

import cffi

from .project import C_FILES
from .rules import EDIT, WORKS
from .source import PYTHON_TOKENS, blank


def is_build_file(code):
    return re.search(r"\bcreate_extension\(", code) is not None


def examine_objects(report, project, file, text):
    """Compiled objects: each needs a source beside it or in the project."""
    stems = {path.name.split(".")[0] for path in project.files if path.suffix in C_FILES}
    for match in re.finditer(r"['\"]([^'\"\s]*?([\w-]+)(?:\.cu)?\.o)['\"]", text):
        line = text.count("\n", 0, match.start()) + 1
        if match[2] in stems:
            message = "is built from its source when CUDA is there, and left out of a build for the CPU"
            report.add(line, WORKS, "object", f"{match[1]} {message}")
        elif not any((folder / match[1]).exists() for folder in (file.parent, project.root)):
            message = f"there is no source for it, such as {match[2]}.cu, and no object"
            report.add(line, EDIT, "object", f"{match[1]}: {message}")


def examine_headers(reports, project):
    """Adds what cffi cannot read in the headers that build files name, alone or together."""
    for file, report in reports.items():
        if file.suffix != ".py" or "create_extension" not in project.texts[file]:
            continue
        text = blank(project.texts[file], PYTHON_TOKENS, ("comment",))
        named = re.findall(r"['\"]([^'\"\s]+\.h)['\"]", text)
        headers = [header for header in (file.parent / name for name in named) if header in reports]
        failed = [header for header in headers if _unreadable(reports[header], project, header)]
        repeated = None if failed else _repeated(headers)
        if repeated:
            report.add(0, EDIT, "header", f"two of its headers declare {repeated}, or one is named twice")


def _unreadable(report, project, header):
    """Adds a finding if cffi cannot read one header."""
    error = _error_of([header])
    if error is None:
        return False
    if not any(finding.rule == "header" for finding in report.findings):
        twice = re.match(r"multiple declarations of function (\w+)", error)
        message = f"declares {twice[1]} twice" if twice else "cffi cannot read this declaration"
        position = _first_unreadable(project.code[header])
        line = 0 if position is None else project.code[header].count("\n", 0, position) + 1
        before = project.texts[header].split("\n")[line - 1].strip() if line else None
        after = before and re.sub(r"^(?:THC?_(?:API|EXTERNC)|extern\s+\"C\")\s+", "", before)
        report.add(line, EDIT, "header", message, before, after if after != before else None)
    return True


def _first_unreadable(code):
    """Where the first declaration starts that cffi cannot read after those before it; None where that is not known."""
    code = re.sub(r"^[ \t]*#(?:\\\n|[^\n])*", lambda directive: re.sub(r"[^\n]", " ", directive[0]), code, flags=re.M)
    start = depth = 0
    for token in re.finditer(r"[{};]", code):
        depth += {"{": 1, "}": -1}.get(token[0], 0)
        if token[0] == ";" and depth == 0:
            if not _is_readable(code[: token.end()]):
                return start + len(code[start:]) - len(code[start:].lstrip())
            start = token.end()
    return None


def _repeated(headers):
    """The name that two of the headers declare."""
    error = _error_of(headers)
    match = re.match(r"multiple declarations of function (\w+)", error or "")
    return match and match[1]


def _error_of(headers):
    """Why the headers are no declarations for cffi; None where they are, or where that cannot be told."""
    from ... import config
    from ...build import cdef
    from .. import structs

    try:
        cdef.parse(headers, [config.includes()], (), structs.CDEF)
    except (cffi.CDefError, cffi.FFIError) as error:
        return str(error)
    except (OSError, ValueError):  # no compiler, or headers of other libraries
        pass
    return None


def _is_readable(text):
    from .. import structs

    try:
        cffi.FFI().cdef(structs.CDEF + text)
    except (cffi.CDefError, cffi.FFIError):
        return False
    return True
