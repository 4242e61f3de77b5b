# tests/support/doctor_project.py: small legacy projects for the doctor to read, and what it writes into them.
import ast
import re
import warnings

import pytest

from torchthaw.doctor import apply
from torchthaw.doctor.examine import Examination, examine
from torchthaw.doctor.reading.source import C_TOKENS, blank

C_SUFFIXES = {".c", ".h", ".cc", ".cpp", ".cxx", ".hpp", ".cu", ".cuh"}


@pytest.fixture
def project(tmp_path):
    """write({relative path: text}) makes the project and returns its folder."""

    def write(files):
        for name, content in files.items():
            path = tmp_path / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return tmp_path

    return write


def findings(folder, name=None):
    """Of all files, or of one."""
    return [finding for report in examine(folder) if name in (None, report.path) for finding in report.findings]


def places(folder):
    """{"path:line effect rule"} of all findings."""
    return {f"{report.path}:{finding.line} {finding.effect} {finding.rule}"
            for report in examine(folder) for finding in report.findings}  # fmt: skip


def applied(folder):
    """{path: bytes} of the files that --apply changed; checks that they parse, and that nothing is left to apply."""
    before = {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    changed, failed, *_ = apply.write(Examination(folder))
    assert not failed
    after = {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    assert after.keys() == before.keys()  # no file left behind
    written = {path.relative_to(folder).as_posix(): data for path, data in after.items() if data != before[path]}
    assert written.keys() == changed.keys()
    for name, data in written.items():
        assert parses(name, data) or not name.endswith(".py") and not parses(name, before[folder / name]), data
    assert apply.write(Examination(folder))[:2] == ({}, {})
    left = [finding for finding in findings(folder) if finding.certain]
    assert not left
    return written


def parses(name, data):
    """Python as Python 3 reads it; C by its brackets, outside of comments and strings."""
    suffix = "." + name.rpartition(".")[2]
    if suffix == ".py":
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            ast.parse(data)
    elif suffix in C_SUFFIXES:
        return is_balanced(data.decode("latin-1"))
    return True


def is_balanced(text):
    open_ = []
    for bracket in re.findall(r"[][(){}]", blank(text, C_TOKENS, ("comment", "string"))):
        if bracket in "([{":
            open_.append(bracket)
        elif not open_ or open_.pop() + bracket not in ("()", "[]", "{}"):
            return False
    return not open_
