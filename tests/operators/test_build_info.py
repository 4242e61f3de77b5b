"""tests/operators/test_build_info.py: my_lib_build_info() says no more than what calls do."""

import os
import subprocess
import sys

import pytest

from torchthaw.base import config

PROGRAM = """
import ctypes, sys
lib = ctypes.CDLL(sys.argv[1])
lib.my_lib_build_info.restype = lib.my_lib_last_error_message.restype = ctypes.c_char_p
x, shape = (ctypes.c_float * 1)(2), (ctypes.c_int64 * 1)(1)
ok = lib.my_lib_cube_forward(x, shape, ctypes.c_int64(1), (ctypes.c_float * 1)())
print(lib.my_lib_build_info().decode())
print("" if ok else lib.my_lib_last_error_message().decode())
"""


def says(cpu):
    """(the line, the message of a call that failed)"""
    environment = {**os.environ, "MY_LIB_CPU": cpu}
    words = [sys.executable, "-c", PROGRAM, str(config.library("my_lib"))]
    return subprocess.run(words, capture_output=True, text=True, env=environment, check=True).stdout.split("\n")[:2]


@pytest.mark.parametrize("cpu", ["nonsense", "AVX2", "portable "])
def test_a_path_that_is_refused_is_not_in_use(cpu):
    line, message = says(cpu)
    assert "MY_LIB_CPU" in message and repr(cpu) in message
    assert " cpu=none " in line and line.endswith(message)


def test_the_path_in_use():
    line, message = says("portable")
    assert message == "" and " cpu=portable " in line and "MY_LIB_CPU" not in line
