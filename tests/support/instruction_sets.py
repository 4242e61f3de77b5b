"""tests/support/instruction_sets.py: which instruction sets of libmy_lib the processor has; tests for others are skipped."""

import os
import subprocess
import sys
from functools import lru_cache

import pytest

from torchthaw.base import config

NAMES = ("portable", "avx2", "avx512", "avx512_bf16", "amx_bf16")
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


def is_lacking(name):
    return ", which this processor has, got " in refusal(name)


def lacking():
    """The names of those that this processor lacks."""
    return [name for name in NAMES if is_lacking(name)]


def require(name):
    """Skips the test where this processor lacks the instruction set."""
    if is_lacking(name):
        pytest.skip(refusal(name))
    assert refusal(name) == ""
