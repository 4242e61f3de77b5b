# tests/legacy/create_extension/test_errors_in_c.py: what errors in C become, and what runs while C does.
import sys
import threading
import time
from pathlib import Path

import pytest
import torch

from support import legacy_project


def test_errors_are_fatal_errors_and_runtime_errors(calls):
    """An error in C is a torch.FatalError, which is a RuntimeError."""
    for error in (torch.FatalError, RuntimeError):
        with pytest.raises(error) as caught:
            calls.fresh(-1)
        assert isinstance(caught.value, torch.FatalError) and isinstance(caught.value, RuntimeError)


def test_message(calls):
    """<text> at <file>:<line>"""
    with pytest.raises(torch.FatalError, match=r"^count -1 at .*calls\.c:\d+$"):
        calls.fresh(-1)


def test_message_of_an_argument(calls):
    """invalid argument <n>: <text> at <file>:<line>"""
    with pytest.raises(torch.FatalError, match=r"^invalid argument 1: expected 2 dimensions at .*calls\.c:\d+$"):
        calls.same(torch.ones(3))


def test_exceptions_of_the_project(calls):
    with pytest.raises(torch.FatalError, match="^the project's own$"):
        calls.throw_project_error()
    with pytest.raises(torch.FatalError, match="^a C.. exception that is no std::exception$"):
        calls.throw_number()


def test_many_errors_leave_nothing_behind(calls):
    """The calling thread goes on as before, however often: errors cost no recursion budget."""
    tensor = torch.ones(3)
    before = sys.getrefcount(tensor)
    for _ in range(5 * sys.getrecursionlimit()):
        with pytest.raises(torch.FatalError):
            calls.same(tensor)
    assert sys.getrefcount(tensor) == before


def test_errors_pass_the_frames_of_c(calls):
    """From a function of C that C calls, ten deep, and out of a TH function."""
    with pytest.raises(torch.FatalError, match=r"^deep at .*calls\.c:\d+$"):
        calls.fail_below(10)
    with pytest.raises(torch.FatalError, match=r"^invalid argument 2: out of range at "):
        calls.narrow_badly(torch.ones(2))


def test_sizes_stay_after_an_error(calls):
    """What C resized before the error is not resized in Python."""
    tensor = torch.ones(3)
    with pytest.raises(torch.FatalError, match="^too late"):
        calls.fail_after_resize(tensor)
    assert tensor.tolist() == [1, 1, 1]


@pytest.mark.slow
def test_exit_ends_the_process(calls):
    """C's exit() ends the process with its status."""
    folder = Path(calls.__file__).parents[2]
    (folder / "leave.py").write_text(
        "from legacy_calls import calls\nprint('before', flush=True)\ncalls.leave(7)\nprint('after')\n"
    )
    result = legacy_project.python(folder, "leave.py")
    assert (result.stdout, result.returncode) == ("before\nleaving\n", 7), result.stderr


def test_other_threads_run_during_a_call(calls):
    """The GIL is released for the whole call. C waits for what a Python thread writes; with the GIL held it would
    give up.
    """
    flag = torch.zeros(1)
    thread = threading.Timer(0.05, lambda: flag.fill_(1))
    thread.start()
    started = time.perf_counter()
    assert calls.wait_for(flag, 10.0) == 1
    assert time.perf_counter() - started < 9
    thread.join()


def test_calls_of_several_threads_do_not_mix(calls):
    def work():
        a, out = torch.ones(50), torch.FloatTensor()
        for _ in range(200):
            calls.add_forward(a, a, out)
        results.append(out.eq(2).all().item())

    results = []
    threads = [threading.Thread(target=work) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert results == [True] * 8
