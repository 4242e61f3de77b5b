# tests/portable/python/test_pybind_exceptions.py: C++ exceptions in Python, Python errors in C++.
import gc
import sys
import weakref

import pytest

pytestmark = pytest.mark.slow  # the first test of a probe compiles it

NAMES = [
    "runtime_error", "logic_error", "domain_error", "invalid_argument", "length_error", "out_of_range", "range_error",
    "overflow_error", "value_error", "type_error", "index_error", "key_error", "stop_iteration", "buffer_error", "import_error",
    "attribute_error", "cast_error", "own", "base", "derived", "bad_alloc", "number", "registered", "nested", "set_error", "fails",
    "unregistered",
]  # fmt: skip


@pytest.fixture(scope="module")
def probe(build):
    return build("exceptions")


def error_of(call):
    with pytest.raises(Exception) as raised:
        call()
    return raised.value


@pytest.mark.parametrize("name", NAMES)
def test_types_and_texts(probe, name):
    ours, theirs = error_of(getattr(probe.ours, name)), error_of(getattr(probe.theirs, name))
    assert type(ours).__name__ == type(theirs).__name__
    if name != "unregistered":
        assert str(ours) == str(theirs)
    assert type(ours.__cause__) is type(theirs.__cause__)
    assert [t.__name__ for t in type(ours).__mro__] == [t.__name__ for t in type(theirs).__mro__]


def test_registered_types(probe):
    assert probe.ours.RegisteredError.__module__ == "portable_exceptions"
    assert issubclass(probe.ours.BaseError, ValueError)
    with pytest.raises(probe.ours.BaseError, match="text"):
        probe.ours.derived()


def fail(error):
    raise error


def test_python_errors_pass_through(probe):
    for m in (probe.ours, probe.theirs):
        error = KeyError("a")
        for name in ("call", "catch_restore"):
            assert error_of(lambda: getattr(m, name)(lambda: fail(error))) is error
        assert error_of(lambda: m.callback(lambda x: fail(error))) is error
        found = error_of(lambda: m.raise_from(lambda: fail(error)))
        assert type(found) is RuntimeError and found.__cause__ is error


def test_caught(probe, agree):
    agree(probe, lambda m: m.catch(lambda: fail(KeyError("a"))))
    agree(probe, lambda m: m.catch(lambda: fail(ValueError("a"))))
    agree(probe, lambda m: m.catch(lambda: 1))


def test_errors_of_conversions(probe, agree):
    agree(probe, lambda m: m.attribute(1))
    agree(probe, lambda m: m.item({}))
    agree(probe, lambda m: m.item({"no_such": 5}))
    agree(probe, lambda m: m.bad_cast("x"))
    agree(probe, lambda m: m.callback(lambda x: "x"))
    agree(probe, lambda m: m.callback(len))


def test_no_references_are_lost(probe):
    class Own(Exception):
        pass

    alive = []

    def failing():
        error = Own("text")
        alive.append(weakref.ref(error))
        raise error

    m = probe.ours
    for name in ("call", "catch", "catch_restore", "raise_from"):
        try:
            getattr(m, name)(failing)
        except Exception:
            pass
    gc.collect()
    assert [reference() for reference in alive] == [None] * 4

    def references(rounds):
        for _ in range(rounds):
            for name in NAMES:
                error_of(getattr(m, name))
        gc.collect()
        return sys.getrefcount(m.RegisteredError)

    assert references(2) + 5 > references(50)  # pytest keeps the last errors
