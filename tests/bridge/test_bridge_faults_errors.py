"""tests/bridge/test_bridge_faults_errors.py: errors in C, wherever they are raised: what becomes of them, and what is
left."""

import gc
import re
import resource
import sys

import pytest
import torch

from support import th_probe
from support.messages import names

probe = th_probe.probe()
lib, ffi = probe._th_probe.lib, probe._th_probe.ffi
ONES = torch.ones(3)

# Name -> (a call that fails, the error's text).
FAILURES = {
    "THError": (lambda: probe.fail(b"the message"), r"^the message at .*probe\.c:\d+$"),
    "THArgCheck": (lambda: probe.fail_if_negative(-1), "^invalid argument 1: expected no negative "),
    "below cffi": (lambda: probe.fail(ffi.new("char[]", b"the message")), r"^the message at "),
    "in libth": (lambda: probe.gather(torch.ones(1, 2), torch.ones(1, 2), torch.tensor([[0, 2]])), "^Invalid index "),
    "with a tensor": (lambda: probe.add(ONES, torch.ones(2), torch.empty(0)), "^invalid argument 2: sizes do not"),
    "after a resize": (lambda: probe.fail_after_resize(torch.ones(3), 100), "^after the resize at "),
    "std::runtime_error": (lambda: probe.throw_exception(1), "^a runtime error$"),
    "std::bad_alloc": (lambda: probe.throw_exception(2), "^std::bad_alloc$"),
    "no std::exception": (lambda: probe.throw_exception(3), r"^a C\+\+ exception that is no std::exception$"),
    "a region": (lambda: probe.fail_in_region(torch.ones(4, 2), 2, 3), "^invalid argument 3: out of range at "),
    "a resize refused": (lambda: probe.resize(torch.ones(3).share_memory_(), 9), "is not resizable"),
    "a thread that C joins": (lambda: probe.fail_on_thread(1), "^on a thread at "),
}


@pytest.mark.parametrize("name", FAILURES)
def test_an_error_is_a_fatal_error_with_its_text(name):
    call, message = FAILURES[name]
    with pytest.raises(torch.FatalError, match=message) as error:
        call()
    assert isinstance(error.value, RuntimeError)


def resident():
    """The bytes of memory that this process has."""
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * resource.getpagesize()


@pytest.mark.slow
@pytest.mark.parametrize("name", FAILURES)
def test_ten_thousand_errors_leave_nothing_behind(name):
    call = FAILURES[name][0]

    def fail(count):
        for _ in range(count):
            try:
                call()
            except torch.FatalError:
                continue
            raise AssertionError("expected an error")

    def state():
        gc.collect()
        return sys.getrefcount(ONES), len(gc.get_objects()), sys.getallocatedblocks(), resident()

    fail(500)
    growth, before = [], state()
    for _ in range(3):
        fail(4_000)
        after = state()
        growth.append([abs(after[0] - before[0]), *(new - old for new, old in zip(after[1:], before[1:]))])
        before = after
    references, objects, blocks, memory = map(min, zip(*growth))  # what is lost by calls is lost in each round
    # One object or block lost per call would be thousands. The allocator takes memory in steps of a megabyte, but not
    # each time.
    assert references == 0 and objects < 100 and blocks < 500 and memory < 60_000, growth


@pytest.mark.parametrize("name", ["THError", "below cffi", "std::runtime_error"])
def test_errors_cost_no_recursion_budget(name):
    call = FAILURES[name][0]
    for _ in range(3 * sys.getrecursionlimit()):
        with pytest.raises(torch.FatalError):
            call()

    def depth(level=0):
        try:
            return depth(level + 1)
        except RecursionError:
            return level

    assert depth() > sys.getrecursionlimit() * 0.8


def test_an_error_that_nobody_asked_for_is_not_the_next_call_s():
    lib.fail(b"raised by cffi's own function, which has nobody to tell")
    with pytest.raises(TypeError, match=names("cdata", "pointer", "float")):
        probe.sum_of_longs(1.5)
    assert probe.fail_if_negative(ffi.cast("int", 3)) == 3


def test_a_tensor_keeps_its_sizes_after_an_error():
    tensor = torch.arange(3.0)
    with pytest.raises(torch.FatalError):
        probe.fail_after_resize(tensor, 1000)
    assert tensor.tolist() == [0, 1, 2]
    probe.resize(tensor, 4)
    assert tensor.shape == (4,) and tensor[:3].tolist() == [0, 1, 2]


@pytest.mark.slow
def test_what_c_kept_before_an_error_stays_valid():
    for _ in range(10):
        with pytest.raises(torch.FatalError, match="^after it was kept"):
            probe.fail_after_keep(torch.full((4,), 2.0))
        gc.collect()
        torch.full((4,), 9.0)  # would take the memory if it were free
        assert probe.sum_of_kept() == 8
    probe.release()


# Regions of C code


@pytest.mark.parametrize("schedule", ["fail_in_region", "fail_in_dynamic_region"])
@pytest.mark.parametrize("threads", [1, 2, 4])
def test_an_error_in_a_region_is_raised_after_the_join(schedule, threads):
    for bad_row in (0, 3, 7):
        rows = torch.ones(8, 5)
        with pytest.raises(torch.FatalError, match="^invalid argument 3: out of range"):
            getattr(probe, schedule)(rows, bad_row, threads)
        assert rows[bad_row].tolist() == [2] * 5
    rows = torch.ones(8, 5)
    getattr(probe, schedule)(rows, -1, threads)
    assert rows.eq(2).all(), "the next region is whole again"


def test_the_threads_of_libth_bring_their_error_home():
    index = torch.zeros(2000, 100, dtype=torch.long)
    index[1999, 99] = 100
    with pytest.raises(torch.FatalError, match="^Invalid index in gather"):
        probe.gather(torch.ones(2000, 100), torch.ones(2000, 100), index)


# What ends the process, and what it says


@pytest.mark.slow
@pytest.mark.parametrize(
    "call, message",
    [
        ("fail_on_thread(0)", "on a thread at "),
        ("fail_in_cxx_region(2)", "in a region of C++ at "),
    ],
)
def test_an_error_that_cannot_leave_its_thread_is_printed(call, message):
    done = th_probe.run(f"probe.{call}\nprint('still here')")
    assert done.returncode == -6, "abort()"
    assert message in done.stderr and "still here" not in done.stdout


@pytest.mark.slow
def test_an_error_in_a_region_of_another_library_is_printed(tmp_path):
    """Its regions are not the extension's: nothing can catch the error before it leaves the region."""
    library = th_probe.library(
        tmp_path / "libregion.so",
        """
        void call_in_region(void (*body)(void)) {
            #pragma omp parallel num_threads(2)
            body();
        }""",
    )
    done = th_probe.run(f"""
import ctypes
region = ctypes.cast(ctypes.CDLL({str(library)!r}).call_in_region, ctypes.c_void_p).value
probe.fail_in_region_of(ffi.cast("void (*)(void (*)(void))", region))
""")
    assert done.returncode == -6
    assert re.search(names("parallel", "end", "early"), done.stderr)
