# my_lib/library.py: libmy_lib as ctypes has it, its errors, its version and its threads.
import ctypes
import os

import numpy

from . import declarations

SUFFIXES = {numpy.dtype("float32"): "", numpy.dtype("float64"): "_f64", numpy.dtype("float16"): "_f16"}


class MyLibError(ValueError):
    """What the library refuses: ``code``, its ``name`` (MY_LIB_ERROR_...) and the ``message``."""

    def __init__(self, code, message):
        super().__init__(message)
        self.code = code
        self.name = library.my_lib_error_name(code).decode()
        self.message = message

    def __reduce__(self):
        return type(self), (self.code, self.message)


def load():
    """The library that the environment variable MY_LIB names, else the one that the loader finds."""
    path = os.environ.get("MY_LIB") or "libmy_lib.so.1"
    try:
        found = declarations.declare(ctypes.CDLL(path))
    except (OSError, AttributeError) as error:
        raise ImportError(f"{error}; install libmy_lib, or set MY_LIB to the path of libmy_lib.so.1") from None
    if found.my_lib_abi_version() != declarations.MY_LIB_VERSION_MAJOR:
        expected, got = declarations.MY_LIB_VERSION_MAJOR, found.my_lib_abi_version()
        raise ImportError(f"{path}: expected version {expected} of the ABI, got {got}")
    return found


library = load()


def variants(name):
    """{dtype: the C function for its elements}, of those that there are."""
    return {
        dtype: getattr(library, name + suffix) for dtype, suffix in SUFFIXES.items() if hasattr(library, name + suffix)
    }


def check(success):
    """Raises the thread's last error unless a function succeeded."""
    if not success:
        raise last_error()


def last_error():
    message = library.my_lib_last_error_message().decode(errors="replace")
    return MyLibError(library.my_lib_last_error_code(), message)


def version():
    """The version of the loaded library, such as "1.0.0"."""
    return library.my_lib_version().decode()


def build_info():
    """One line about the loaded library: its version, the CPU path in use and the OpenMP run-time it shares."""
    return library.my_lib_build_info().decode()


def set_num_threads(num_threads):
    """Sets how many threads a call may use, in the whole process; 0 follows OpenMP."""
    check(library.my_lib_set_num_threads(num_threads))


def get_num_threads():
    """How many threads a large call from this thread may use now."""
    return library.my_lib_get_num_threads()
