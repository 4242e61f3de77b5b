# tests/legacy/headers/test_ownership.py: the cases of ownership.c, one by one.
import gc

import pytest
import torch

from support import th_cases

program = th_cases.program("ownership")


@pytest.mark.parametrize("case", th_cases.names("ownership"))
def test_in_c(program, case):
    th_cases.run(program, case)


def test_set_shares_the_storage_of_another_tensor(calls):
    tensor, source = torch.zeros(2), torch.arange(6.0).view(2, 3)
    calls.set(tensor, source)
    tensor[1, 2] = 9
    assert source[1, 2] == 9


def test_retained_tensor_lives_and_follows(calls):
    """C keeps what it retained, and sees how Python resizes it."""
    tensor = torch.ones(4)
    calls.keep(tensor)
    tensor.resize_(100000).fill_(2)
    assert calls.kept_sum() == 8
    calls.grow_kept(10)
    assert calls.kept_sum() == 20
    del tensor
    gc.collect()
    assert calls.kept_sum() == 20
