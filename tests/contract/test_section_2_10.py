# tests/contract/test_section_2_10.py: the rows of section 2.10, in section_2_10.c.
import pytest

import th_rows

program = th_rows.program("2_10")


@pytest.mark.parametrize("row", th_rows.rows("2_10"))
def test_row(program, row):
    th_rows.run(program, row)
