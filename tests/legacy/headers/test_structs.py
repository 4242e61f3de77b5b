# tests/legacy/headers/test_structs.py: the rows of structs.c, one by one.
import pytest

from support import th_rows

program = th_rows.program("structs")


@pytest.mark.parametrize("row", th_rows.rows("structs"))
def test_row(program, row):
    th_rows.run(program, row)
