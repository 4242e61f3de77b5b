# tests/legacy/headers/test_random_numbers.py: the cases of random_numbers.c, one by one.
import pytest

from support import th_cases

program = th_cases.program("random_numbers")


@pytest.mark.parametrize("case", th_cases.names("random_numbers"))
def test_in_c(program, case):
    th_cases.run(program, case)
