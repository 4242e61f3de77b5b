# tests/legacy/headers/test_loops.py: the rows of loops.c, one by one.
import pytest

from support import th_rows

program = th_rows.program("loops")


@pytest.mark.parametrize("row", th_rows.rows("loops"))
def test_row(program, row):
    th_rows.run(program, row)
