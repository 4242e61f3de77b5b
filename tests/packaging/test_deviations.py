# tests/packaging/test_deviations.py: each deviation that docs/reference/deviations.md names has the test that it names.
import re

import pytest

from support import ROOT

DOCUMENT = ROOT / "docs" / "reference" / "deviations.md"
ROWS = [
    line
    for line in DOCUMENT.read_text().splitlines()
    if re.match(r"\| [^-|]", line) and "| PyTorch ≤ 0.4 |" not in line
]


def test_the_document_has_its_rows():
    assert len(ROWS) == 16


@pytest.mark.parametrize("row", ROWS, ids=[row.split("|")[1].strip() for row in ROWS])
def test_the_test_exists(row):
    ((name, file),) = re.findall(r"\[(test_\w+)\]\((\S+)\)", row)
    assert re.search(rf"^def {name}\(", (DOCUMENT.parent / file).read_text(), re.MULTILINE)
