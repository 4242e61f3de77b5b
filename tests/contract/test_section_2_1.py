# tests/contract/test_section_2_1.py: the rows of section 2.1, in section_2_1.c.
import pytest

import th_rows

program = th_rows.program("2_1")


@pytest.mark.parametrize("row", th_rows.rows("2_1"))
def test_row(program, row):
    th_rows.run(program, row)
