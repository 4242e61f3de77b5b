# tests/legacy/headers/test_mathematics.py: the cases of mathematics.c, one by one.
import pytest

from support import th_cases

program = th_cases.program("mathematics")


@pytest.mark.parametrize("case", th_cases.names("mathematics"))
def test_in_c(program, case):
    th_cases.run(program, case)
