# tests/legacy/doctor/test_doctor_truth.py: an edit that the doctor demands is needed and right; what is needed is
# found.
import re
from pathlib import Path

import pytest

from support.doctor_project import applied, places, project  # noqa: F401
from torchthaw.doctor import system_headers

MARKER = re.compile(r"^(===|---|>>>|\+\+\+) ?(.*)\n", re.MULTILINE)


def cases(path):
    """{name: (files, findings, files after --apply)} of a file of cases."""
    found = {}
    _, *parts = MARKER.split(path.read_text())
    for marker, name, text in zip(parts[::3], parts[1::3], parts[2::3]):
        if marker == "===":
            case = found[name] = ({}, set(), {})
        elif marker == ">>>":
            case[1].update(text.split("\n"))
            case[1].discard("")
        else:
            case[0 if marker == "---" else 2][name] = text
    return found


CASES = {}
for file in sorted((Path(__file__).parent / "cases").glob("*.txt")):
    CASES.update(cases(file))


@pytest.mark.parametrize("name", CASES)
def test_case(project, name, monkeypatch):
    monkeypatch.setattr(system_headers, "folders", list)  # a machine with no library
    files, expected, edited = CASES[name]
    folder = project(files)
    assert places(folder) == expected
    # The blank line between two cases belongs to the last file of the first one.
    assert {path: data.decode().rstrip("\n") for path, data in applied(folder).items()} == {
        path: text.rstrip("\n") for path, text in edited.items()
    }
