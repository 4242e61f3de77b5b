# tests/contract/test_section_2_2.py: the rows of section 2.2, in section_2_2.c.
import pytest

import th_rows

program = th_rows.program("2_2")


@pytest.mark.parametrize("row", th_rows.rows("2_2"))
def test_row(program, row):
    th_rows.run(program, row)
