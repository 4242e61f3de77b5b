# tests/legacy/headers/test_random_numbers.py: the rows of random_numbers.c, one by one.
import pytest

from support import th_rows

program = th_rows.program("random_numbers")


@pytest.mark.parametrize("row", th_rows.rows("random_numbers"))
def test_row(program, row):
    th_rows.run(program, row)
