"""tests/bridge/test_bridge_faults_threads.py: calls at the same time, within each other, and in forked processes."""

import sys

import pytest
import torch

from support import th_probe
from support.at_once import in_threads

probe = th_probe.probe()
ffi = probe._th_probe.ffi


@pytest.fixture(autouse=True)
def frequent_switches():
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(interval)


def fails(message):
    with pytest.raises(torch.FatalError) as error:
        probe.fail(message)
    return str(error.value).encode().startswith(message + b" at ")


def test_threads_with_tensors_of_their_own():
    def work(number):
        for count in range(1, 300):
            a, result = torch.full((count,), float(number)), torch.empty(0)
            probe.add(a, a, result)
            assert result.shape == (count,) and result.eq(2 * number).all()
            assert probe.sum(a) == number * count
            if count % 10 == 0:
                assert fails(b"of %d in %d" % (count, number))

    in_threads(work)


def test_threads_with_the_same_tensors():
    a, b = torch.ones(64), torch.arange(64.0)
    expected = a + b

    def work(number):
        result = torch.empty(0)
        for _ in range(500):
            probe.add(a, b, result)
            assert torch.equal(result, expected)

    in_threads(work)
    assert a.eq(1).all() and torch.equal(b, torch.arange(64.0))


def test_threads_that_grow_views_of_their_own_storages():
    def work(number):
        for count in range(100, 3000, 100):
            base = torch.full((8,), float(number))
            head, tail = base[:4], base[4:]
            assert probe.resize_one_sum_other(head, count, tail) == 4 * number
            assert probe.resize_one_sum_other(tail, 2 * count, head) == 8 * number
            assert base.data_ptr() == head.data_ptr()

    in_threads(work)


def test_threads_that_keep_and_release():
    def work(number):
        for count in range(1, 400):
            probe.keep_at(number, torch.full((count,), float(number)))
            assert probe.sum(torch.ones(3)) == 3
            assert probe.release_at(number) == number * count

    in_threads(work)


# Callbacks


def test_calls_within_calls():
    """Twenty deep, in several threads: each level has its own tensors, of which the same function resizes one."""

    def work(number):
        tensors = [torch.ones(level + 1) for level in range(20)]
        seen = []

        @ffi.callback("void(int)")
        def deeper(level):
            if level < 20:
                seen.append(probe.call_between(tensors[level], 100 + level, deeper, level + 1))
                assert fails(b"at level %d" % level)
                assert probe.add(tensors[0], tensors[0], torch.empty(0)) == 1

        deeper(0)
        assert seen == [level + 1 for level in reversed(range(20))]
        assert [tensor.numel() for tensor in tensors] == [100 + level for level in range(20)]

    in_threads(work)


def test_the_same_tensor_within_the_call():
    """Each call sees the sizes that it gave the tensor, in memory that is there; the outermost has the last word."""
    tensor = torch.ones(2)
    sizes = []

    @ffi.callback("void(int)")
    def deeper(level):
        if level < 20:
            assert probe.call_between(tensor, 1000 * (level + 1), deeper, level + 1) == 2
            sizes.append(tensor.numel())

    assert probe.call_between(tensor, 500, deeper, 0) == 2
    assert sizes == [1000 * (level + 1) for level in reversed(range(20))] and tensor.shape == (500,)
    assert tensor.untyped_storage().nbytes() == 80_000


def test_a_callback_that_raises():
    errors = []

    @ffi.callback("int(int)", error=-7, onerror=lambda type, value, traceback: errors.append(value))
    def raising(value):
        if value > 0:
            probe.fail(b"within")
        raise ValueError("in Python")

    assert probe.call_back(raising, 1) == -7 and probe.call_back(raising, 0) == -7
    assert type(errors[0]) is type(probe_error()) and str(errors[0]).startswith("within at ")
    assert repr(errors[1]) == "ValueError('in Python')"
    assert probe.fail_if_negative(ffi.cast("int", 5)) == 5, "nothing is left of them"


def probe_error():
    with pytest.raises(torch.FatalError) as error:
        probe.fail(b"")
    return error.value


# C's own threads. With the GIL held during the call, these would wait for each other for ever.


@pytest.mark.slow
@pytest.mark.parametrize("script", [
    pytest.param("""
tensor = torch.ones(4)
assert probe.resize_on_thread(tensor, 100_000) == 1
assert tensor.shape == (100_000,) and tensor.eq(2).all()
""", id="resize"),
    pytest.param("""
import threading
flag = torch.zeros(1, dtype=torch.int64)
threading.Timer(0.05, lambda: flag.fill_(1)).start()
assert probe.wait_on_thread(flag, 20_000) == 1
""", id="wait"),
])  # fmt: skip
def test_c_may_wait_for_a_thread_that_needs_python(script):
    done = th_probe.run(script, timeout=50)
    assert done.returncode == 0, done.stderr


# Forked processes

CHILD = """
def child():
    a, result = torch.ones(500), torch.empty(0)
    assert probe.add(a, a, result) == 1 and result.eq(2).all()
    try:
        probe.fail(b"in the child")
        raise SystemExit("expected an error")
    except torch.FatalError as error:
        assert str(error).startswith("in the child")
    try:
        probe.fail_in_region(torch.ones(8, 100), 3, 4)
        raise SystemExit("expected an error")
    except torch.FatalError as error:
        assert "out of range" in str(error)
    assert probe.sum_of_kept() == 3000
    probe.resize_kept(100_000)
    assert kept[:3000].eq(1).all() and kept.untyped_storage().nbytes() == 400_000
    probe.release()
    return 7

kept = torch.ones(3000)
probe.keep(kept)
torch.set_num_threads(4)
probe.fail_in_region(torch.ones(8, 100), -1, 4)  # starts threads that a child does not inherit
probe.gather(torch.ones(2000, 100), torch.ones(2000, 100), torch.zeros(2000, 100, dtype=torch.long))
"""


@pytest.mark.slow
@pytest.mark.parametrize("fork", [
    pytest.param("""
import os
for _ in range(3):
    pid = os.fork()
    if pid == 0:
        os._exit(child())
    assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 7
""", id="os.fork"),
    pytest.param("""
import multiprocessing
def run(_):
    return child() if probe.size_of_kept() == 3000 else 0
with multiprocessing.get_context("fork").Pool(2, maxtasksperchild=1) as pool:
    assert pool.map(run, range(4), chunksize=1) == [7] * 4
""", id="multiprocessing"),
])  # fmt: skip
def test_forked_processes_call_and_have_what_was_kept(fork):
    done = th_probe.run(CHILD + fork + "\nassert probe.sum_of_kept() == 3000 and kept.numel() == 3000\n", timeout=60)
    assert done.returncode == 0, done.stderr
