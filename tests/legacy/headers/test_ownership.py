# tests/legacy/headers/test_ownership.py: the rows of ownership.c, one by one.
import gc

import pytest
import torch

from support import th_rows
from support.rows import row

program = th_rows.program("ownership")


@pytest.mark.parametrize("row", th_rows.rows("ownership"))
def test_row(program, row):
    th_rows.run(program, row)


@row("set")
def test_set_shares_the_storage_of_another_tensor(calls, row):
    tensor, source = torch.zeros(2), torch.arange(6.0).view(2, 3)
    calls.set(tensor, source)
    tensor[1, 2] = 9
    assert source[1, 2] == 9


@row("retain, free")
def test_retained_tensor_lives_and_follows(calls, row):
    tensor = torch.ones(4)
    calls.keep(tensor)
    tensor.resize_(100000).fill_(2)
    assert calls.kept_sum() == 8
    calls.grow_kept(10)
    assert calls.kept_sum() == 20
    del tensor
    gc.collect()
    assert calls.kept_sum() == 20
