# tests/legacy/headers/test_loops.py: the cases of loops.c, one by one.
import pytest

from support import th_cases

program = th_cases.program("loops")


@pytest.mark.parametrize("case", th_cases.names("loops"))
def test_in_c(program, case):
    th_cases.run(program, case)
