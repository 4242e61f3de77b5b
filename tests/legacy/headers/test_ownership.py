# tests/legacy/headers/test_ownership.py: storages that tensors of Python and C share.
import gc

import torch


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
