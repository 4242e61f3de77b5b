# tests/legacy/headers/test_views.py: the cases of views.c, one by one.
import pytest

from support import th_cases

program = th_cases.program("views")


@pytest.mark.parametrize("case", th_cases.names("views"))
def test_in_c(program, case):
    th_cases.run(program, case)
