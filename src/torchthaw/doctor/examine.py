"""torchthaw/doctor/examine.py: reads the files of a legacy project, running none, and says what it finds."""

import re
from functools import cached_property

from ..legacy.cpp import cython_output
from . import c_files, python_files, system_headers
from .cxx.aten_files import AtenFiles
from .findings import FileReport
from .matching import add_findings, apply_certain, pattern_hits
from .project import INCLUDE, Project, kind
from .reading.build_files import BuildFile
from .reading.builds import Builds
from .reading.source import PYTHON_TOKENS, SHELL_TOKENS, blank
from .reading.tree import TooDeep
from .rules import CHECK, EDIT, PYTHON, SHELL, WORKS, C

# Several Pythons by name, such as those that wheels are built for.
PYTHONS = re.compile(r"\bpython[23][\d.]*(?:[\s\\,\"']+python[23][\d.]*)+")


def examine(path):
    """[FileReport] of the project or file at ``path``; OSError where it is not there."""
    return Examination(path).reports


class Examination:
    """What was found in the project or file at ``path``; OSError where it is not there.

    reports: a FileReport for each file. build_files: a BuildFile for each that calls create_extension.
    builds: the Builds of the project. age: its Age; left_out: how many findings that leaves out.
    """

    def __init__(self, path):
        self.project = Project(path)
        self._reports, self.build_files = {}, []
        for file, why in self.project.unreadable.items():
            self._report(file).add(0, CHECK, "unreadable", why)
        for file in self.project.left_over:
            self._report(file).add(0, WORKS, "left-over", "left by an --apply that was killed; the next one removes it")
        for file in self.project.sources:
            if kind(file) == PYTHON:
                self._examine(file, self._python)
        self.builds = Builds(self.project, self.build_files)
        self._aten = AtenFiles(self.project, self.builds.torch_files)
        for file in self.project.sources:
            if kind(file) != PYTHON:
                self._examine(file, self._c if kind(file) == C else self._lines)
        for file in self.project.binaries:
            self._binary(self._report(file), file)
        if self.build_files:
            named = {header for build_file in self.build_files for header in build_file.files("headers")}
            self.project.headers.examine(self._reports, named)
        order = {file: number for number, file in enumerate(self.project.files)}
        self.reports = [self._reports[file] for file in sorted(self._reports, key=lambda file: order.get(file, -1))]
        self.age, self.left_out = self.project.age, 0
        for report in self.reports:
            kept = [finding for finding in report.findings if not self.age.leaves_out(finding)]
            self.left_out += len(report.findings) - len(kept)
            report.findings = sorted(kept, key=lambda finding: finding.line)

    def _report(self, file):
        return self._reports.setdefault(file, FileReport(file.relative_to(self.project.root).as_posix()))

    def _examine(self, file, examiner):
        """Runs ``examiner``; a file that is too much for it is named, and the others are read."""
        report = self._report(file)
        try:
            examiner(report, file)
        except Exception as error:
            why = {TooDeep: str(error), RecursionError: "it is nested too deep"}.get(type(error))
            why = why or f"a fault of torchthaw: please report this {type(error).__name__}: {error}"
            self._reports[file] = FileReport(report.path)
            self._reports[file].add(0, CHECK, "unreadable", f"it cannot be read: {why}")

    def _python(self, report, file):
        steps = python_files.examine(report, self.project, file)
        if steps.tree and re.search(r"\bcreate_extension\(", steps.tree.code):
            build_file = BuildFile(self.project, file, steps.tree)
            if build_file.calls:
                self.build_files.append(build_file)
                add_findings(report, steps.parsed, build_file.hits(), steps.lines)

    def _c(self, report, file):
        role = "source" if not self.build_files or file.resolve() in self.builds.of_ffi else None
        if file.name in self._included:
            role = "included"
        c_files.examine(report, self.project, file, self._aten, role, self.builds.may_be_of_ffi)
        system_headers.examine(report, self.project, file)
        if version := cython_output.outdated(self.project.texts[file][:200]):
            source = cython_output.source_of(file)
            how = (
                f"`run` writes it anew from {source.name}, if Cython is installed" if source else "its .pyx is not here"
            )
            message = f"Cython {version} wrote it, which this Python does not compile; {how}"
            report.add(1, WORKS if source else EDIT, "cython-output", message)

    def _lines(self, report, file):
        """A script or a file of Cython, of which no more is read than its lines."""
        text, is_script = self.project.texts[file], kind(file) == SHELL
        tokens, groups = (SHELL_TOKENS, ("comment",)) if is_script else (PYTHON_TOKENS, ("comment", "string"))
        code = blank(text, tokens, groups)
        lists = [match.span() for match in PYTHONS.finditer(code)]

        def is_true(rule, match):
            at = match.end() - 1
            return rule.name != "python2-command" or not any(start <= at < end for start, end in lists)

        hits = list(pattern_hits(text, {kind(file): code}, is_true))
        report.text, report.edited = text, apply_certain(text, hits)
        add_findings(report, text, hits)

    def _binary(self, report, file):
        if file.suffix == ".o":
            message = "compiled long ago; built anew from its source where there is one"
        elif self.project.binaries[file]:
            message = "built by torchthaw"
        elif file.suffix == ".a":
            message = "a library compiled long ago: linked where the build file names it"
        else:
            message = "compiled for another Python or PyTorch; never loaded, the build replaces it"
        report.add(0, CHECK if file.suffix == ".a" else WORKS, "binary", message)

    @cached_property
    def _included(self):
        """The names of files that C++ and CUDA files include."""
        return {
            name.rpartition("/")[2] for file, text in self.project.texts.items()
            if kind(file) == C and file.suffix not in (".c", ".h") for name in INCLUDE.findall(text)
        }  # fmt: skip
