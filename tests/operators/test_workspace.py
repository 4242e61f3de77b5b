"""tests/operators/test_workspace.py: the workspace that functions/ keeps for each thread, and what could spoil it."""

import threading

import pytest
import torch
from torch._subclasses.fake_tensor import FakeTensorMode

from functions import _library
from functions.linear import linear

CPU = torch.empty(0)


def in_new_thread(work):
    """Runs ``work`` in a thread that has no workspace yet; what it returned or raised."""
    outcome = []

    def run():
        try:
            outcome.append(work())
        except Exception as error:
            outcome.append(error)

    thread = threading.Thread(target=run)
    thread.start()
    thread.join()
    return outcome[0]


def product():
    return linear(torch.ones(2, 3), torch.ones(4, 3))


def test_each_thread_has_its_own():
    here = _library.scratch(8, CPU).data_ptr()
    assert _library.scratch(16, CPU).data_ptr() == here
    assert in_new_thread(lambda: _library.scratch(8, CPU).data_ptr()) != here


def test_large_ones_are_not_kept():
    large = _library.scratch(_library.WORKSPACE_BYTES + 1, CPU)
    assert large.numel() == _library.WORKSPACE_BYTES + 1
    assert _library.scratch(_library.WORKSPACE_BYTES + 1, CPU).data_ptr() != large.data_ptr()


def test_made_in_inference_mode_serves_outside():
    def work():
        with torch.inference_mode():
            product()
        return product()

    assert torch.equal(in_new_thread(work), torch.full((2, 4), 3.0))


def test_made_under_another_default_device_is_cpu_memory():
    def work():
        with torch.device("meta"):
            return _library.scratch(8, CPU).device.type

    assert in_new_thread(work) == "cpu"


def test_fake_tensors_are_refused_and_leave_no_fake_workspace():
    def work():
        with pytest.raises((TypeError, ValueError)), FakeTensorMode():
            product()
        return product()

    assert torch.equal(in_new_thread(work), torch.full((2, 4), 3.0))


def test_sizes_that_overflow_are_an_error():
    with pytest.raises(ValueError, match="fit in memory|bytes|overflow|expected"):
        _library.workspace_size(_library.my_lib.lltm_forward_workspace_size, 1 << 40, 1 << 40, 1 << 40)
    with pytest.raises(ValueError):
        _library.workspace_size(_library.my_lib.lltm_forward_workspace_size, -1, 1, 1)
