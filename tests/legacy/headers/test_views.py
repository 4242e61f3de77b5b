# tests/legacy/headers/test_views.py: the rows of views.c, one by one.
import pytest

from support import th_rows

program = th_rows.program("views")


@pytest.mark.parametrize("row", th_rows.rows("views"))
def test_row(program, row):
    th_rows.run(program, row)
