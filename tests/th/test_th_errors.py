"""tests/th/test_th_errors.py: libth checks what the original checked: the same argument, the same text, nothing
written."""

import ctypes
import json
import subprocess
import sys

import pytest

from support import TESTS, th_errors
from torchthaw.base import config


@pytest.mark.slow
def test_every_function_is_in_the_table():
    checked = {name for words, *_ in th_errors.rows() for word in words.split() for name, *_ in th_errors.expand(word)}
    without = th_errors.without_checks()
    assert sorted(checked & without) == []
    assert sorted(set(th_errors.functions()) - checked - without) == []


@pytest.mark.slow
def test_errors():
    command = [sys.executable, "-m", "support.th_errors", str(config.library("th"))]
    run = subprocess.run(command, cwd=TESTS, capture_output=True, text=True)
    assert run.returncode == 0, run.stderr
    assert json.loads(run.stdout) == []


@pytest.mark.parametrize("name, expected", [
    ("2", "The size of tensor a (3) must match the size of tensor b (5) at non-singleton dimension 1."),
    ("N", "The size of tensor 1 (5) must match the expanded sizeof tensor (3) at non-singleton dimension 1."),
])  # fmt: skip
def test_the_last_mismatch_is_put_in_the_buffer(name, expected):
    library = ctypes.CDLL(str(config.library("th")))
    library.THLongStorage_newWithSize.restype = ctypes.c_void_p
    output = ctypes.c_void_p(library.THLongStorage_newWithSize(0))
    a, b = (ctypes.c_int64 * 2)(2, 3), (ctypes.c_int64 * 2)(4, 5)
    text = ctypes.create_string_buffer(256)
    if name == "2":
        dims = ctypes.c_int64(2)
        status = library.THLongStorage_inferSize2(output, a, dims, b, dims, text, 256)
    else:
        sizes = (ctypes.c_void_p * 2)(ctypes.addressof(a), ctypes.addressof(b))
        status = library.THLongStorage_inferSizeN(output, 2, sizes, (ctypes.c_int64 * 2)(2, 2), text, 256)
    library.THLongStorage_size.restype = ctypes.c_ssize_t
    assert (status, text.value.decode(), library.THLongStorage_size(output)) == (-1, expected, 0)
    library.THLongStorage_free(output)
