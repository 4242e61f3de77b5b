# tests/legacy/headers/test_structs.py: the cases of structs.c, one by one.
import pytest

from support import th_cases

program = th_cases.program("structs")


@pytest.mark.parametrize("case", th_cases.names("structs"))
def test_in_c(program, case):
    th_cases.run(program, case)
