"""torchthaw/legacy/doctor/examine.py: reads the files of a legacy project, running none, and says what it finds."""

import os
import re
from dataclasses import dataclass, field
from pathlib import Path

from . import python2, symbols
from .rules import C, CHECK, DEBUG_HINT, EDIT, PYTHON, PYTHON_TEXT, RULES, SHELL, WORKS
from .source import C_TOKENS, PYTHON_TOKENS, SHELL_TOKENS, blank

PYTHON_FILES = {".py"}
C_FILES = {".c", ".h", ".cc", ".cpp", ".cxx", ".hpp", ".cu", ".cuh"}
SHELL_FILES = {".sh", ".bash", ".cmake", ".mk"}
SHELL_NAMES = {"Makefile", "makefile", "GNUmakefile", "CMakeLists.txt"}
BINARIES = {".so", ".o", ".pyd", ".a", ".dylib"}
SKIPPED = {"__pycache__", "node_modules", "site-packages"}


@dataclass
class Finding:
    """One thing about one line (from 1; 0: the whole file). ``after``: ``before`` as edited, None where not known."""

    line: int
    effect: str
    rule: str
    message: str
    before: str | None = None
    after: str | None = None
    item: str | None = None


@dataclass
class FileReport:
    """The findings of one file, by line; its path is relative to the project."""

    path: str
    findings: list[Finding] = field(default_factory=list)

    def count(self, effect):
        return sum(finding.effect == effect for finding in self.findings)


def files(path):
    """The files below ``path`` that say something about a project, in order; ``path`` itself if it is a file."""
    if path.is_file():
        return [path]
    found = []
    for folder, names, members in os.walk(path):
        names[:] = sorted(name for name in names if name not in SKIPPED and not name.startswith("."))
        found += [Path(folder, member) for member in sorted(members) if kind(Path(member))]
    return found


def kind(path):
    """PYTHON, C, SHELL, "binary", or None for a file that is passed over."""
    if path.name in SHELL_NAMES or path.suffix in SHELL_FILES:
        return SHELL
    if path.suffix in BINARIES or re.search(r"\.so\.\d+(\.\d+)*$", path.name):
        return "binary"
    return PYTHON if path.suffix in PYTHON_FILES else C if path.suffix in C_FILES else None


def examine(path):
    """[FileReport] of the project or file at ``path``; OSError where it cannot be read."""
    path = Path(path)
    if not path.exists():
        raise FileNotFoundError(f"expected a folder or a file, got {str(path)!r}, which does not exist")
    root = path if path.is_dir() else path.parent
    found = files(path)
    read = [file for file in found if kind(file) in (PYTHON, C, SHELL)]
    texts = {file: file.read_text(encoding="utf-8", errors="replace") for file in read}
    code = {file: blank(text, C_TOKENS, ("comment", "string")) for file, text in texts.items() if kind(file) == C}
    own = set().union(*map(symbols.defined, code.values())) if code else set()
    reports = []
    for file in found:
        report = FileReport(file.relative_to(root).as_posix())
        if file in code:
            _examine_c(report, texts[file], code[file], own)
        elif kind(file) == PYTHON:
            _examine_python(report, texts[file], file, root, found)
        elif kind(file) == SHELL:
            _match(report, texts[file], {SHELL: blank(texts[file], SHELL_TOKENS, ("comment",))})
        else:
            _examine_binary(report, file, found)
        report.findings.sort(key=lambda finding: finding.line)
        reports.append(report)
    return reports


def _match(report, text, views):
    """Adds what the rules find; ``views``: {kind: the text that rules of this kind see}."""
    lines = text.split("\n")
    for rule in RULES:
        if rule.kind not in views:
            continue
        view = views[rule.kind].split("\n")
        said = set()
        for number, line in enumerate(view):
            if not rule.pattern.search(line):
                continue
            if rule.effect == WORKS:
                if rule.name in said:
                    continue  # once in a file
                said.add(rule.name)
            before = lines[number]
            after = _edited(rule, line, before)
            report.findings.append(
                Finding(number + 1, rule.effect, rule.name, rule.message, before.strip(), after, rule.item)
            )


def _edited(rule, line, before):
    """``before`` with the rule's edit made where it matches in ``line``, the same line with parts blanked."""
    if rule.edit is None:
        return None
    for match in reversed(list(rule.pattern.finditer(line))):
        before = before[: match.start()] + match.expand(rule.edit) + before[match.end() :]
    return before.strip()


def _examine_python(report, text, file, root, found):
    text = text.removeprefix("\ufeff")
    views = {
        PYTHON: blank(text, PYTHON_TOKENS, ("comment", "string")),
        PYTHON_TEXT: blank(text, PYTHON_TOKENS, ("comment",)),
    }
    _match(report, text, views)
    _examine_syntax(report, text)
    if re.search(r"\bcreate_extension\(", views[PYTHON]):
        _examine_objects(report, views[PYTHON_TEXT], file, root, found)


# async= is one finding of its own; a stand-in lets the rest be parsed.
KEYWORD = re.compile(r"\basync(?=\s*=(?!=))")
STAND_IN = "async_keyword_stand_in"


def _examine_syntax(report, text):
    readable = KEYWORD.sub(STAND_IN, text)
    if python2.parse_error(readable) is None:
        return
    translated = python2.translate(readable)
    if translated is not None:
        for line, *edit in python2.changes(readable, translated):
            before, after = (part.replace(STAND_IN, "async").strip() for part in edit)
            report.findings.append(Finding(line, EDIT, "python2-syntax", "Python 2 syntax", before, after))
    error = python2.parse_error(readable if translated is None else translated)
    if error is not None:
        message = f"Python 3 cannot parse this: {error.msg}"
        report.findings.append(Finding(error.lineno or 0, EDIT, "syntax", message, (error.text or "").strip()))


def _examine_objects(report, text, file, root, found):
    """Compiled objects that a build file names: each needs a source beside it or in the project."""
    stems = {path.name.split(".")[0] for path in found if path.suffix in C_FILES}
    for match in re.finditer(r"['\"]([^'\"\s]*?([\w-]+)(?:\.cu)?\.o)['\"]", text):
        line = text.count("\n", 0, match.start()) + 1
        if match[2] in stems:
            message = "is built from its source when CUDA is there, and left out of a build for the CPU"
            report.findings.append(Finding(line, WORKS, "object", f"{match[1]} {message}"))
        elif not any((folder / match[1]).exists() for folder in (file.parent, root)):
            message = f"there is no source for it, such as {match[2]}.cu, and no object"
            report.findings.append(Finding(line, EDIT, "object", f"{match[1]}: {message}"))


READS_DATA = re.compile(r"\bTH\w+?_\(?data\)?\s*\(")
ASKS_STRIDES = re.compile(r"[sS]tride|isContiguous|newContiguous|TH_TENSOR_")


def _examine_c(report, text, code, own):
    _match(report, text, {C: code})
    lines = text.split("\n")
    for position, name, meant in symbols.unknown(code, own):
        line = code.count("\n", 0, position) + 1
        before = lines[line - 1].strip()
        after = None
        if meant is not None:  # of THTensor_(name), name
            old, new = (whole.rpartition("(")[2].removesuffix(")") for whole in (name, meant))
            after = re.sub(rf"\b{old}\b", new, before)
        message = f"{name}: TH and THC up to 0.4.0 have no such function" + (f"; {meant} is one" if meant else "")
        report.findings.append(Finding(line, EDIT, "unknown-symbol", message, before, after))
    reads = READS_DATA.search(code)
    if reads and not ASKS_STRIDES.search(code):
        line = code.count("\n", 0, reads.start()) + 1
        report.findings.append(Finding(line, CHECK, "strides", DEBUG_HINT, lines[line - 1].strip()))
    include = re.search(r"#\s*include\s*<ATen/", code)
    if include and not report.count(EDIT):
        line = code.count("\n", 0, include.start()) + 1
        report.findings.append(Finding(line, WORKS, "aten-include", "nothing of ATen is used; its header may stay"))


def _examine_binary(report, file, found):
    if file.suffix == ".o":
        message = "compiled long ago; built anew from its source where there is one"
    elif file.suffix == ".a":
        message = "a library compiled long ago: linked where the build file names it"
    else:
        message = "compiled for another Python or PyTorch; never loaded, the build replaces it"
    report.findings.append(Finding(0, CHECK if file.suffix == ".a" else WORKS, "binary", message))
