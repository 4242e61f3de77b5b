"""tests/bridge/test_bridge_lifetime.py: leaks, threads and the GIL around the calls of torchthaw.bridge."""

import gc
import sys
import threading
import time
import tracemalloc

import pytest
import torch

from support import bridge_probe

probe = bridge_probe.probe()
ffi = probe._extension.ffi


def refuse(function, *arguments):
    try:
        function(*arguments)
    except (TypeError, ValueError, OverflowError, RuntimeError, MemoryError):
        return
    raise AssertionError("expected an error")


SPARSE = torch.eye(2).to_sparse()
TENSOR, DOUBLE, LEAF = torch.ones(4), torch.ones(1, dtype=torch.float64), torch.ones(4, requires_grad=True)
SIZES, LONG = torch.Size([2, 3]), list(range(1000, 1100))
OUTPUT = torch.zeros(4)
ARRAY = ffi.new("float[4]")
NAME = b"a name long enough to be an object of its own"

CALLS = {
    "tensors": lambda: probe.add(TENSOR, TENSOR, OUTPUT, 4),
    "keywords": lambda: probe.add(TENSOR, TENSOR, output=OUTPUT, count=4),
    "sizes": lambda: probe.sum_sizes(SIZES, 2),
    "long sizes": lambda: probe.sum_sizes(LONG, 100),
    "cffi": lambda: probe.add(ARRAY, TENSOR, OUTPUT, 4),
    "text": lambda: probe.text(0),
    "pointer": lambda: probe.first(TENSOR),
    "no memory": lambda: refuse(probe.read_float, torch._efficientzerotensor(3)),
    "dtype": lambda: refuse(probe.read_float, DOUBLE),
    "stride": lambda: refuse(probe.read_float, TENSOR.expand(4, 4)),
    "leaf": lambda: refuse(probe.write_float, LEAF),
    "range": lambda: refuse(probe.give_int32, 2**70),
    "long sizes, bad": lambda: refuse(probe.sum_two_sizes, LONG, 1, [*LONG, "x"], 1),
    "cffi refusal": lambda: refuse(probe.sum_floats, [1.0, NAME], 2),
    "count": lambda: refuse(probe.add, TENSOR),
    "exception": lambda: refuse(probe.throw_exception, 1, OUTPUT),
    "exception below cffi": lambda: refuse(probe.throw_at, b"text"),
    "sparse": lambda: refuse(probe.read_float, SPARSE),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", CALLS)
def test_ten_thousand_calls_leave_nothing_behind(name):
    call = CALLS[name]
    repetitions = 1_000 if name == "sparse" else 10_000  # PyTorch takes a millisecond to say no
    objects = [TENSOR, DOUBLE, LEAF, OUTPUT, SIZES, LONG, ARRAY, NAME, SPARSE, LONG[0], torch.Tensor]
    if sys.version_info < (3, 12):  # from then on None is immortal: the stable ABI counts it, Python itself does not
        objects.append(None)

    def state():
        gc.collect()
        return [sys.getrefcount(thing) for thing in objects], len(gc.get_objects()), sys.getallocatedblocks()

    for _ in range(100):
        call()
    for _ in range(3):  # what a call loses or leaves, it does in each; other tests' objects go once
        counts, tracked, blocks = state()
        for _ in range(repetitions):
            call()
        counts_after, tracked_after, blocks_after = state()
        # One reference or block lost per call would be as many; caches of Python and PyTorch move these by a few. Objects
        # of other tests may be collected meanwhile, so that fewer are left: they refer to None and torch.Tensor.
        differences = [after - before for before, after in zip(counts, counts_after)]
        if min(differences) > -repetitions // 2:
            break
    assert max(differences) < 100 and min(differences) > -repetitions // 2, differences
    assert tracked_after - tracked < 100 and blocks_after - blocks < 500


def test_long_sizes_are_freed():
    tracemalloc.start()
    for _ in range(10):
        probe.sum_sizes(LONG, 100)
    before = tracemalloc.get_traced_memory()[0]
    for _ in range(1000):
        probe.sum_sizes(LONG, 100)
    after = tracemalloc.get_traced_memory()[0]
    tracemalloc.stop()
    assert after - before < 50_000


def test_the_gil_is_released_during_the_call():
    """C waits for a flag that another Python thread sets; with the GIL held it would wait in vain."""
    flag = torch.zeros(1, dtype=torch.int64)
    thread = threading.Timer(0.02, lambda: flag.fill_(1))
    thread.start()
    waited = probe.wait_for_flag(flag, 5000)
    thread.join()
    assert waited >= 0


def test_the_gil_is_released_below_cffi():
    flag = ffi.new("int64_t *")
    thread = threading.Timer(0.02, lambda: flag.__setitem__(0, 1))
    thread.start()
    waited = probe.wait_for_flag(flag, 5000)
    thread.join()
    assert waited >= 0


def test_threads_do_not_mix_their_arguments():
    failures = []
    end = time.perf_counter() + 0.5

    def work(value):
        input1, input2 = torch.full((64,), float(value)), torch.arange(64.0)
        output = torch.empty(64)
        want = input1 + input2
        while time.perf_counter() < end and not failures:
            probe.add(input1, input2, output, 64)
            if not torch.equal(output, want):
                failures.append("values")
            if probe.sum_two_sizes([value] * 30, 30, (value,), 1) != 30_000 * value + value:
                failures.append("sizes")
            try:
                probe.throw_at(b"%d" % value)
            except RuntimeError as error:
                if str(error) != str(value):
                    failures.append("message")

    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    try:
        threads = [threading.Thread(target=work, args=(value,)) for value in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    finally:
        sys.setswitchinterval(interval)
    assert not failures


def test_an_exception_of_one_thread_stays_there():
    """While one thread is inside C, the exception of another does not become its own."""
    errors = []
    sleeper = threading.Thread(target=lambda: probe.sleep_ms(30) and errors.append("slept badly"))
    sleeper.start()
    with pytest.raises(RuntimeError, match="a runtime error"):
        probe.throw_exception(1, None)
    sleeper.join()
    assert not errors


def test_exceptions_cost_no_recursion_budget():
    for _ in range(3 * sys.getrecursionlimit()):
        with pytest.raises(RuntimeError, match="^text$"):
            probe.throw_at(b"text")
