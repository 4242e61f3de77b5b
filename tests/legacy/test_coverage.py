# tests/legacy/test_coverage.py: every row that a CPU can show has a test, and every test names its row.
import re
import subprocess
import sys

import pytest

from support import TESTS, rows

NAMES = {"test_field_project", *(section for section, _ in rows.table())}
FILES = sorted(str(path) for path in TESTS.glob("**/test_*.py") if path.stem in NAMES)


@pytest.fixture(scope="module")
def tests():
    command = [sys.executable, "-m", "pytest", "-q", "--collect-only", "-p", "no:cacheprovider", *FILES]
    result = subprocess.run(command, capture_output=True, text=True)
    assert result.returncode == 0, result.stdout + result.stderr
    found = re.findall(r"^\S*?(test_\w+\.py::.*)$", result.stdout, re.MULTILINE)
    return found


def test_every_cpu_row_has_a_test(tests):
    named = set().union(*map(rows.named_by, tests))
    assert [row for row, cuda in rows.table().items() if not cuda and row not in named] == []


def test_every_test_names_rows_of_the_table(tests):
    known = rows.table()
    assert [test for test in tests if not rows.named_by(test)] == []
    assert [(test, row) for test in tests for row in rows.named_by(test) if row not in known] == []


def test_the_table_is_read():
    known = rows.table()
    assert len(known) > 300 and known["test_random_numbers", "random64"] is False
    assert known["test_thc_from_python", "streams"] is True


@pytest.mark.parametrize("test, found", [
    ("test_generic_types.py::test_row[row-TH_CONCAT]", {("test_generic_types", "TH_CONCAT")}),
    ("test_options.py::test_x[few-row-9-wrong-count]", {("test_options", "9-wrong-count")}),
    ("test_real_projects.py::test_x[row-a-b]", {("test_real_projects", "a-b")}),
    ("test_silent_changes.py::test_x[row-arange]", {("test_silent_changes", "arange")}),
    ("test_variables.py::test_x[row-note_15_empty]", {("notes", "15")}),
    ("test_field_notes.py::test_x[note_02-make]", {("notes", "02")}),
    ("test_field_notes.py::test_note_02_make", {("notes", "02")}),
    ("test_wrappers.py::test_x", set()),
])  # fmt: skip
def test_ids_are_understood(test, found):
    assert rows.named_by(test) == found
