# tests/contract/test_section_2_9.py: the rows of section 2.9, in section_2_9.c.
import pytest

import th_rows

program = th_rows.program("2_9")


@pytest.mark.parametrize("row", th_rows.rows("2_9"))
def test_row(program, row):
    th_rows.run(program, row)
