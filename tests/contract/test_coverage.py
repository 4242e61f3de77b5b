# tests/contract/test_coverage.py: every row that a CPU can show has a test, and every test names its row.
import re
import subprocess
import sys
from pathlib import Path

import pytest
import rows

FOLDER = Path(__file__).parent


@pytest.fixture(scope="module")
def tests():
    command = [sys.executable, "-m", "pytest", "-q", "--collect-only", "-p", "no:cacheprovider", str(FOLDER)]
    result = subprocess.run(command, capture_output=True, text=True)
    assert result.returncode == 0, result.stdout + result.stderr
    found = re.findall(r"^\S*?(test_\w+\.py::.*)$", result.stdout, re.MULTILINE)
    return [test for test in found if not test.startswith(Path(__file__).name)]


def test_every_cpu_row_has_a_test(tests):
    named = set().union(*map(rows.named_by, tests))
    assert [row for row, cuda in rows.table().items() if not cuda and row not in named] == []


def test_every_test_names_rows_of_the_table(tests):
    known = rows.table()
    assert [test for test in tests if not rows.named_by(test)] == []
    assert [(test, row) for test in tests for row in rows.named_by(test) if row not in known] == []


def test_the_table_is_read():
    known = rows.table()
    assert len(known) > 300 and known["2.10", "random64"] is False and known["3", "streams"] is True


@pytest.mark.parametrize("test, found", [
    ("test_section_2_6.py::test_row[row-TH_CONCAT]", {("2.6", "TH_CONCAT")}),
    ("test_section_4_1.py::test_x[few-row-9-wrong-count]", {("4.1", "9-wrong-count")}),
    ("test_section_5.py::test_x[row-a-b]", {("5", "a-b")}),
    ("test_silent_changes.py::test_x[row-arange]", {("silent", "arange")}),
    ("test_section_4_2.py::test_x[row-note_15_empty]", {("notes", "15")}),
    ("test_field_notes.py::test_x[note_02-make]", {("notes", "02")}),
    ("test_field_notes.py::test_note_02_make", {("notes", "02")}),
    ("test_section_1_6.py::test_x", set()),
])  # fmt: skip
def test_ids_are_understood(test, found):
    assert rows.named_by(test) == found
