"""tests/support/instruction_sets.py: tests for an instruction set that the processor lacks are skipped, by its name."""

import os
import subprocess
import sys
from functools import lru_cache

import pytest

from torchthaw.base import config

ASK = """
import ctypes, sys
library = ctypes.CDLL(sys.argv[1])
library.my_lib_last_error_message.restype = ctypes.c_char_p
one = ctypes.c_float(1)
if not library.my_lib_mul_constant_forward(ctypes.byref(one), None, ctypes.c_int64(0), ctypes.c_double(1), ctypes.byref(one)):
    print(library.my_lib_last_error_message().decode())
"""


@lru_cache(maxsize=None)
def refusal(name):
    """What libmy_lib says when it is to use the instruction set ``name``; "" where this processor has it."""
    environment = {**os.environ, "MY_LIB_CPU": name}
    command = [sys.executable, "-c", ASK, config.library("my_lib")]
    return subprocess.run(command, env=environment, capture_output=True, text=True, check=True).stdout.strip()


def require(name):
    """Skips the test where this processor lacks the instruction set."""
    if ", which this processor has, got " in refusal(name):
        pytest.skip(refusal(name))
    assert refusal(name) == ""
