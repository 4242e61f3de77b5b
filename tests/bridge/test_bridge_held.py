"""tests/bridge/test_bridge_held.py: a callback resizes a tensor which C is working on: the memory that C has stays until C
returns."""

import gc
import os
import subprocess
import sys
import threading

import pytest
import torch

from support import SRC, TESTS, misuse_probe
from torchthaw.bridge import pytorch

probe, legacy = misuse_probe.probe(), misuse_probe.legacy()
ffi = probe._misuse.ffi

pytestmark = pytest.mark.skipif(not pytorch.memory_deleter(), reason="this PyTorch does not tell what frees memory")

COUNT = 100_000  # floats: the allocator gives so many back to the system at once


def grow(tensor):
    tensor.resize_(10 * tensor.numel())


def empty(tensor):
    tensor.untyped_storage().resize_(0)


def replace(tensor):
    tensor.set_(torch.zeros(3))


def exchange(tensor):
    tensor.data = torch.zeros(3)


def share(tensor):
    tensor.share_memory_()


def grow_a_view(tensor):
    tensor[1:].resize_(10 * tensor.numel())


def grow_twice(tensor):
    grow(tensor)
    grow(tensor)


@pytest.fixture(scope="module", autouse=True)
def collections_are_short():
    """They do not look at what earlier tests left: half a second each time, 550 times in one of these tests."""
    gc.collect()
    gc.freeze()


ACTIONS = [grow, empty, replace, exchange, share, grow_a_view, grow_twice]


def run(work, action):
    """The sum that C finds in the memory after the callback did ``action``, and the tensor."""
    tensor = torch.ones(COUNT)

    @ffi.callback("void(void)")
    def between():
        action(tensor)
        gc.collect()

    return work(between, tensor), tensor


@pytest.mark.slow
@pytest.mark.parametrize("work", [
    lambda between, tensor: probe.sum_after(between, tensor, COUNT),
    lambda between, tensor: legacy.th_sum_after(between, tensor),
], ids=["pointer", "struct"])  # fmt: skip
@pytest.mark.parametrize("action", ACTIONS)
def test_c_reads_what_was_there(work, action):
    for _ in range(20):
        total, tensor = run(work, action)
        assert total == COUNT
    assert tensor.numel() != COUNT or action in (empty, share, grow_a_view)


@pytest.mark.slow
def test_memory_does_not_grow():
    def resident():
        with open("/proc/self/statm") as file:
            return int(file.read().split()[1]) * 4096

    for _ in range(50):
        run(lambda between, tensor: probe.sum_after(between, tensor, COUNT), grow)
    before = resident()
    for _ in range(500):
        run(lambda between, tensor: probe.sum_after(between, tensor, COUNT), grow)
    assert resident() - before < 100 * 4 * COUNT


def test_calls_within_calls():
    """The inner call holds the same memory, and ends first."""
    tensor = torch.ones(COUNT)
    inner = []

    @ffi.callback("void(void)")
    def resize():
        grow(tensor)

    @ffi.callback("void(void)")
    def again():
        inner.append(probe.sum_after(resize, tensor, COUNT))

    assert probe.sum_after(again, tensor, COUNT) == COUNT and inner == [COUNT]
    assert probe.sum_after(resize, tensor, COUNT) == COUNT


def test_calls_of_several_threads():
    tensor, results = torch.ones(COUNT), []
    barrier = threading.Barrier(4)

    @ffi.callback("void(void)")
    def resize():
        barrier.wait(60)
        grow(tensor) if tensor.numel() == COUNT else None
        barrier.wait(60)

    def work():
        results.append(probe.sum_after(resize, tensor, COUNT))

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert results == [COUNT] * 4


def test_a_class_whose_methods_do_more():
    """They are not asked: one could resize a tensor whose pointer C has."""

    class Meddling(torch.Tensor):
        @classmethod
        def __torch_function__(cls, function, types, arguments=(), keywords=None):
            names.append(function.__name__)
            return super().__torch_function__(function, types, arguments, keywords or {})

    names, tensor = [], torch.ones(COUNT).as_subclass(Meddling)
    keeper = ffi.callback("void(void)", lambda: grow(tensor))
    del names[:]
    assert probe.sum_after(keeper, tensor, COUNT) == COUNT
    assert "untyped_storage" not in names and "resize_" in names


def test_memory_that_another_storage_got():
    """It is freed with that one, not at the end of the call."""
    tensor, other = torch.ones(COUNT), torch.zeros(3)

    @ffi.callback("void(void)")
    def swap():
        torch.utils.swap_tensors(tensor, other)

    assert probe.sum_after(swap, tensor, COUNT) == COUNT
    assert other.sum() == COUNT and tensor.tolist() == [0, 0, 0]
    other.resize_(2 * COUNT)
    assert other[:COUNT].sum() == COUNT


def test_shared_memory_is_known_as_such_meanwhile():
    """PyTorch knows it by what frees it. Its storage is held: it can be replaced."""
    tensor, seen = torch.ones(COUNT).share_memory_(), []

    @ffi.callback("void(void)")
    def look():
        seen.append((tensor.is_shared(), tensor.data_ptr()))
        torch.multiprocessing.reductions.reduce_tensor(tensor)
        seen.append((tensor.is_shared(), tensor.data_ptr()))
        replace(tensor)

    address = tensor.data_ptr()
    assert probe.sum_after(look, tensor, COUNT) == COUNT
    assert seen == [(True, address)] * 2


# Without the private name of PyTorch

WITHOUT = """
import sys
import torch
from torchthaw.bridge import private_names

path, find = private_names.NAMES["storage_body"].path, private_names.find
other = private_names._ABSENT if sys.argv[1] == "deleted" else property(lambda storage: 7)
private_names.find = lambda asked: other if asked == path else find(asked)

from support import misuse_probe
from torchthaw.bridge import pytorch

probe = misuse_probe.probe()
assert pytorch.memory_deleter() == 0
tensor = torch.ones(1000)

@probe._misuse.ffi.callback("void(void)")
def replace():
    tensor.set_(torch.zeros(3))  # the storage is held in any case

assert probe.sum_after(replace, tensor, 1000) == 1000 and tensor.numel() == 3
"""


@pytest.mark.slow
@pytest.mark.parametrize("how", ["deleted", "replaced"])
def test_without_the_c_functions(how):
    done = subprocess.run(
        [sys.executable, "-c", WITHOUT, how], capture_output=True, text=True,
        env={**os.environ, "PYTHONPATH": f"{SRC}:{TESTS}"},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
