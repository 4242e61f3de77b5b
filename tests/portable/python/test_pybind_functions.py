# tests/portable/python/test_pybind_functions.py: arguments, overloads, docs and guards as pybind11 has them.
import gc
import inspect
import sys
import threading

import pytest

pytestmark = pytest.mark.slow  # the first test of a probe compiles it

CALLS = [
    ("nothing",), ("nothing", 1), ("one", 4), ("one", "x"), ("one", 2.0), ("one", None), ("unnamed", 1, 2),
    ("unnamed", 1), ("unnamed", 1, 2, 3), ("two", 1), ("two", 1, 2), ("two",), ("shown",), ("shown", 2, "t"),
    ("optional",), ("optional", None), ("optional", 3), ("optional", "a"), ("keyword_only", 1, 2),
    ("position_only", 1), ("position_only", 1, 4), ("both", 1, 2), ("both", 1, 2, 3), ("variadic",),
    ("variadic", 1, "b"), ("after", 1, 2, 3), ("after",), ("args_then", 1, 2, 3), ("args_then_default", 1, 2),
    ("exact", 1), ("exact", 1.0), ("exact_int", 1), ("exact_int", 1.0), ("exact_int", True), ("no_none", None),
    ("no_none", 1), ("mixed", 1), ("mixed", 1.5), ("mixed", "x"), ("mixed", None), ("mixed", 1, 2), ("mixed", True),
    ("mixed", []), ("first", 1), ("first", 1.0), ("guarded",), ("depth",), ("guarded_throws",), ("depth",),
    ("cast_over", 1), ("cast_over", 1.0), ("ten", *range(10)), ("ten", *range(9)), ("text_of", "x"),
    ("text_of", None), ("void_result", []), ("many", list(range(100))), ("many", ["x"]), ("quiet", 1),
]  # fmt: skip
KEYWORDS = [
    ("one", dict(x=3)), ("one", dict(y=3)), ("two", dict(b=1, a=2)), ("two", dict(b=1)), ("two", dict(a=1, c=2)),
    ("unnamed", dict(arg0=1, arg1=2)), ("keyword_only", dict(a=1, b=2)), ("position_only", dict(a=1)),
    ("variadic", dict(x=1, y=2)), ("after", dict(x=1, z=2)), ("args_then", dict(x=1, y=2)),
    ("args_then_default", dict(y=1, z=2)), ("no_none", dict(x=None)), ("mixed", dict(a=1, b=2)), ("mixed", dict(a=1)),
]  # fmt: skip


@pytest.fixture(scope="module")
def probe(build):
    return build("functions")


@pytest.mark.parametrize("call", CALLS, ids=str)
def test_positions(probe, agree, call):
    name, *arguments = call
    agree(probe, lambda m: getattr(m, name)(*arguments))


@pytest.mark.parametrize("call", KEYWORDS, ids=str)
def test_keywords(probe, agree, call):
    name, named = call
    agree(probe, lambda m: getattr(m, name)(**named))


def test_positions_and_keywords(probe, agree):
    for name, arguments, named in [
        ("two", (1,), dict(b=5)), ("two", (1,), dict(a=5)), ("two", (1, 2), dict(b=5)), ("keyword_only", (1,), dict(b=2)),
        ("position_only", (1,), dict(b=2)), ("both", (1,), dict(b=2, c=3)), ("both", (1, 2), dict(c=3)),
        ("variadic", (1, 2), dict(k=3)), ("after", (1, 2), dict(k=3)), ("after", (1, 2), dict(x=3)),
        ("args_then", (1, 2, 3), dict(y=4)), ("args_then_default", (1, 2), dict(y=4, w=5)), ("mixed", (1,), dict(b=2)),
    ]:  # fmt: skip
        agree(probe, lambda m: getattr(m, name)(*arguments, **named))


def test_docs_and_names(probe):
    ours, theirs = probe.ours, probe.theirs
    assert ours.__doc__ == theirs.__doc__
    assert ours.sub.__name__ == "portable_functions.sub" and ours.sub.__doc__ == theirs.sub.__doc__
    for name in vars(theirs):
        function = getattr(theirs, name)
        if inspect.isbuiltin(function):
            assert getattr(ours, name).__doc__ == function.__doc__
            assert getattr(ours, name).__name__ == function.__name__
            assert getattr(ours, name).__module__ == "portable_functions"


@pytest.mark.parametrize("call", [("one", "x"), ("mixed", []), ("two",), ("exact_int", 1.0)], ids=str)
def test_texts_of_refusals(probe, call):
    def text(module):
        with pytest.raises(TypeError) as raised:
            getattr(module, call[0])(*call[1:])
        return str(raised.value)

    assert text(probe.ours) == text(probe.theirs)


def test_functions_as_values(probe, agree):
    agree(probe, lambda m: m.apply(lambda x: x + 1, 4))
    agree(probe, lambda m: m.apply(m.one, 4))
    agree(probe, lambda m: m.apply(3, 4))
    agree(probe, lambda m: m.apply(lambda x: "text", 4))
    agree(probe, lambda m: m.apply(lambda x: 1 // 0, 4))
    agree(probe, lambda m: m.adder(5)(6))
    agree(probe, lambda m: m.pointer()(6))
    agree(probe, lambda m: m.call(lambda *a, **k: (a, k), 2, 3, x=4))
    agree(probe, lambda m: m.call(lambda *a, **k: (a, k), named=4))
    agree(probe, lambda m: (m.sub.inner(3), m.constant))


def test_gil_is_released(probe, agree):
    agree(probe, lambda m: m.released(1))


def test_calls_from_threads(probe):
    found = []
    threads = [threading.Thread(target=lambda: found.extend(probe.ours.mixed(1) for _ in range(200))) for _ in range(4)]
    [t.start() for t in threads]
    [t.join() for t in threads]
    assert found == ["int"] * 800


def test_no_references_are_lost(probe):
    ours, key, value = probe.ours, "a_key_of_its_own", object()

    def all_calls():
        ours.two(1, b=2)
        ours.variadic(value, k=value)
        ours.after(1, value, **{key: value})
        ours.no_none(value)
        ours.call(lambda *a, **k: None, value, k=value)
        ours.adder(1)(2)
        for name in ("one", "mixed"):
            try:
                getattr(ours, name)(value)
            except TypeError:
                pass

    all_calls()
    gc.collect()
    before = sys.getrefcount(value), sys.getrefcount(key), sys.getrefcount(None)
    for _ in range(50):
        all_calls()
    after = sys.getrefcount(value), sys.getrefcount(key), sys.getrefcount(None)
    assert before[:2] == after[:2] and abs(before[2] - after[2]) < 20
