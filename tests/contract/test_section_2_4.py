# tests/contract/test_section_2_4.py: the rows of section 2.4, in section_2_4.c.
import pytest

import th_rows

program = th_rows.program("2_4")


@pytest.mark.parametrize("row", th_rows.rows("2_4"))
def test_row(program, row):
    th_rows.run(program, row)
