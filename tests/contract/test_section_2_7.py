# tests/contract/test_section_2_7.py: the rows of section 2.7, in section_2_7.c.
import pytest

import th_rows

program = th_rows.program("2_7")


@pytest.mark.parametrize("row", th_rows.rows("2_7"))
def test_row(program, row):
    th_rows.run(program, row)
