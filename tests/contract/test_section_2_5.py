# tests/contract/test_section_2_5.py: the rows of section 2.5, in section_2_5.c.
import pytest

import th_rows

program = th_rows.program("2_5")


@pytest.mark.parametrize("row", th_rows.rows("2_5"))
def test_row(program, row):
    th_rows.run(program, row)
