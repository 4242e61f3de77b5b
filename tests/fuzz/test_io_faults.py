"""tests/fuzz/test_io_faults.py: support/io_faults.py holds for some failed calls, and finds what is planted."""

import errno
import os

import pytest

from support import io_faults
from support.io_faults import ONE, Case, Work, try_one, wanted

WRITES = """
import os, pathlib
path = pathlib.Path("kept.txt")
{write}
print("written")
"""
# How a careless program writes, and what is wrong with it.
CARELESS = {
    "in part": ("path.write_text('')\npath.write_text('new')", "kept.txt is neither the old nor the new one"),
    "in silence": ("try:\n    path.write_text('new')\nexcept OSError:\n    os._exit(3)", "an error that names nothing"),
}


@pytest.mark.slow
@pytest.mark.parametrize("fault", CARELESS)
def test_a_careless_program_is_found(tmp_path, fault):
    write, expected = CARELESS[fault]
    work = Work(
        {"kept.txt": "old"}, [io_faults.sys.executable, "-c", WRITES.format(write=write)], "written", changes=True
    )
    before_and_after = wanted(work, tmp_path / "wanted")
    found = []
    for nth in range(1, 8):
        for error in (errno.ENOSPC, 0):
            call, wrong = try_one(work, tmp_path / f"{nth}-{error}", before_and_after, nth, error)
            found += wrong
    assert any(expected in each for each in found), found


def test_the_library_makes_the_call_fail_that_was_chosen(tmp_path):
    code = "open('a', 'w').close(); open('b', 'w').close(); print('done')"
    case = Case(Work({}, [io_faults.sys.executable, "-c", code], "done"), tmp_path / "case")
    result = case.run(2, errno.ENOSPC)
    assert os.strerror(errno.ENOSPC) in result.stderr and "b" in case.failed_call()
    assert (case.project / "a").exists() and not (case.project / "b").exists()


@pytest.mark.slow
@pytest.mark.parametrize("nth, error", [(2, errno.ENOSPC), (5, errno.EIO), (9, 0)])
def test_load_holds(tmp_path, nth, error):
    work = Work(ONE, [io_faults.sys.executable, "-c", io_faults.LOAD], "one is 1\n")
    call, wrong = try_one(work, tmp_path / "case", wanted(work, tmp_path / "wanted"), nth, error)
    assert call and not wrong
