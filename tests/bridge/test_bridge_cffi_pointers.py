"""tests/bridge/test_bridge_cffi_pointers.py: pointers and arrays of cffi's reach C without a call of Python code."""

import os
import subprocess
import sys

import cffi
import pytest

from support import ROOT, TESTS, bridge_probe, checks_probe
from support.messages import names

probe, checks = bridge_probe.probe(), checks_probe.probe()
ffi = probe._extension.ffi


def address(pointer):
    return int(ffi.cast("uintptr_t", pointer))


def calls_of_python(call, *arguments):
    """The functions in Python that a call of C runs."""
    found = []
    sys.setprofile(lambda frame, event, argument: found.append(frame.f_code.co_name) if event == "call" else None)
    try:
        call(*arguments)
    finally:
        sys.setprofile(None)
    return found


def test_the_address_is_cffi_s():
    values, foreign = ffi.new("float[4]"), cffi.FFI().new("float[4]")
    point = ffi.new("probe_point *")
    for given in (values, foreign, values + 2, ffi.cast("float *", 4096), ffi.cast("void *", 4096), ffi.NULL):
        assert probe.read_float(given) == probe.write_float(given) == address(given)
    for given in (values, point, ffi.NULL, ffi.new("int *")):
        assert probe.read_void(given) == probe.write_void(given) == address(given)
    assert probe.read_point(point) == address(point)


@pytest.mark.parametrize("function, type", [
    ("read_float", "double[2]"), ("read_float", "float"), ("read_point", "float[2]"), ("read_int64", "int[2]"),
])  # fmt: skip
def test_another_type_is_refused(function, type):
    value = ffi.new(type) if "[" in type else ffi.cast(type, 1)
    with pytest.raises(TypeError, match=names("array", type.partition("[")[0])):
        getattr(probe, function)(value)


def test_no_python_code_runs():
    x, y = ffi.new("float[6]", [1] * 6), ffi.new("float[6]")
    pointer = ffi.cast("float *", y)
    assert calls_of_python(probe.add, x, x, y, 6) == [] and list(y) == [2] * 6
    assert calls_of_python(checks.scale, x, (2, 3), 2, 3.0, y) == [] and list(y) == [3] * 6
    assert calls_of_python(checks.scale, x, (2, 3), 2, 4.0, pointer) == [] and list(y) == [4] * 6


def test_what_is_known_of_them_is_checked():
    x, y = ffi.new("float[6]"), ffi.new("float[7]")
    for call, parts in (
        (lambda: checks.scale(x, (2, 3), 2, 2.0, y), ("output", "(2, 3)", "7")),
        (lambda: checks.scale(y, (6,), 1, 2.0, x), ("input", "(6,)", "7")),
        (lambda: checks.scale(x, (6,), 1, 2.0, x + 1), ("output", "overlaps", "input")),
        (lambda: checks.scale(x[1:5], (4,), 1, 2.0, x[0:4]), ("output", "overlaps", "input")),
    ):
        with pytest.raises(ValueError, match=names(*parts)):
            call()
    with pytest.raises(TypeError, match=names("output", "(6,)", "None")):
        checks.scale(x, (6,), 1, 2.0, ffi.cast("float *", 0))
    assert checks.scale(x, (6,), 1, 2.0, ffi.cast("float *", x)) == 1


def test_a_read_only_buffer_is_not_written_to():
    buffer = ffi.from_buffer("float[]", bytes(8))
    assert probe.read_float(buffer) == address(buffer)
    for call in (lambda: probe.write_float(buffer), lambda: checks.scale(buffer, (2,), 1, 2.0, buffer)):
        with pytest.raises(ValueError, match="read-only"):
            call()
    released = ffi.from_buffer("float[]", bytearray(8))
    ffi.release(released)
    with pytest.raises(ValueError, match="released"):
        probe.read_float(released)


def test_a_call_with_something_for_cffi_goes_through_cffi():
    x = ffi.new("float[2]", [1, 2])
    probe.add(x, [3, 4], x, 2)
    assert list(x) == [4, 6] and checks.fail_by_struct([0], x, 2) == 1


def test_a_function_of_python_may_raise():
    callback = ffi.callback("int(int)", lambda value: 1 // value)
    assert probe.call_back(callback, 1) == 1
    with pytest.raises(ZeroDivisionError):
        probe.call_back(callback, 0)


@pytest.mark.slow
def test_without_cffi_s_table(tmp_path):
    """All of this where the table for generated modules is not there: cffi converts each time."""
    source = "import _cffi_backend; del _cffi_backend._C_API; import pytest, sys; sys.exit(pytest.main(sys.argv[1:]))"
    done = subprocess.run(
        [sys.executable, "-c", source, "-q", "-p", "no:cacheprovider", __file__, "-k", "not table and not no_python_code"],
        capture_output=True, text=True, env={**os.environ, "PYTHONPATH": f"{ROOT / 'src'}:{TESTS}"},
    )  # fmt: skip
    assert done.returncode == 0 and " passed" in done.stdout, done.stdout + done.stderr
