# tests/contract/test_section_2_3.py: the rows of section 2.3, in section_2_3.c.
import pytest

import th_rows

program = th_rows.program("2_3")


@pytest.mark.parametrize("row", th_rows.rows("2_3"))
def test_row(program, row):
    th_rows.run(program, row)
