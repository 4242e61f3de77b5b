# tests/legacy/headers/test_mathematics.py: the rows of mathematics.c, one by one.
import pytest

from support import th_rows

program = th_rows.program("mathematics")


@pytest.mark.parametrize("row", th_rows.rows("mathematics"))
def test_row(program, row):
    th_rows.run(program, row)
