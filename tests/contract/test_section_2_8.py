# tests/contract/test_section_2_8.py: the rows of section 2.8, in section_2_8.c.
import pytest

import th_rows

program = th_rows.program("2_8")


@pytest.mark.parametrize("row", th_rows.rows("2_8"))
def test_row(program, row):
    th_rows.run(program, row)
