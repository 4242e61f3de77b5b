# tests/portable/python/test_pybind_extras.py: pybind11's further headers as pybind11 has them.
import array
import contextlib
import datetime
import io
import pathlib
import pickle
import re
import sys
import warnings

import numpy
import pytest

pytestmark = pytest.mark.slow  # the first test of a probe compiles it


@pytest.fixture(scope="module")
def probe(build):
    return build("extras")


def printed(m, call):
    file = io.StringIO()
    with contextlib.redirect_stdout(file):
        call(m)
    return file.getvalue()


def warned(m):
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        m.warn("text")
    return [(each.category, str(each.message)) for each in found]


def redirected(m):
    def call(m):
        with m.redirect():
            m.print_raw("é and more")

    return printed(m, call)


def gone(m):
    log = []
    m.renamed(log)
    return log


NOW = datetime.datetime(2024, 3, 5, 6, 7, 8, 9)
CALLS = {
    "durations": lambda m: [m.duration(datetime.timedelta(1, 2, 3)), m.duration(1.5), m.duration_back(1.25)],
    "duration bad": lambda m: m.duration("x"),
    "points": lambda m: [m.point(NOW), m.point(NOW.date())],
    "paths": lambda m: [m.path("a/b"), m.path(pathlib.Path("c/d")), m.path(b"e/f")],
    "path bad": lambda m: m.path(3),
    "vector": lambda m: [v := m.Numbers([1, 2, 3]), v.append(4), v[1:3], v[-1], len(v), 2 in v, v.count(1), v.pop(0), repr(v)],
    "vector slices": lambda m: [v := m.Numbers(range(6)), v.__setitem__(slice(0, 2), m.Numbers([7, 8])), v.__delitem__(slice(2, 6, 2)), list(v)],
    "vector extend": lambda m: [v := m.Numbers(), v.extend([1, 2]), v.insert(0, 5), v.remove(1), list(v), bool(v), v == m.Numbers([5, 2])],
    "vector index": lambda m: m.Numbers([1])[3],
    "vector bad": lambda m: m.Numbers(["x"]),
    "vector buffer": lambda m: [memoryview(m.Numbers([1, 2])).tolist(), list(m.Numbers(array.array("d", [3, 4])))],
    "vector format": lambda m: m.Numbers(array.array("i", [3])),
    "map": lambda m: [d := m.Names(), d.__setitem__("a", 1), d["a"], "a" in d, "b" in d, 3 in d, len(d), list(d), list(d.items()), list(d.values()), "a" in d.keys(), repr(d)],
    "map key": lambda m: m.Names()["no_such"],
    "map delete": lambda m: [d := m.Names(), d.__setitem__("a", 1), d.__delitem__("a"), bool(d)],
    "print": lambda m: printed(m, lambda m: m.print("日本\n")),
    "redirect": redirected,
    "made tuple": lambda m: [m.made_tuple(), m.made_tuple.__doc__],
    "typed": lambda m: [m.typed([], None, len), m.typed.__doc__, m.all_of(1, x="y"), m.all_of.__doc__],
    "warn": warned,
    "warn badly": lambda m: m.warn_badly(),
    "wide texts": lambda m: [m.u16("aé日𝄞"), m.u32("aé日𝄞"), m.c16("日"), m.wide_view("abc")],
    "wide characters": lambda m: m.c16("𝄞"),
    "wide bad": lambda m: m.u16(3),
    "in place": lambda m: [a := [1], m.in_place(a, [2]) is a, a, m.in_place((1,), (2,)), m.in_place(1, 2)],
    "iterators": lambda m: [m.sum_of([1, 2]), m.sum_of(range(4)), m.last_of([1, 2, 3], (4, 5))],
    "merged": lambda m: m.merged({"b": 2}),
    "merged twice": lambda m: m.merged({"a": 2}),
    "slices": lambda m: m.slices([1, 2, 3]),
    "pairs by value": lambda m: [list(m.firsts()), list(m.seconds())],
    "views": lambda m: [m.view(b"ab").tolist(), m.view_of().tolist(), m.view_of().format],
    "renamed capsule": gone,
    "raw objects": lambda m: [m.raw_object("x"), m.call_raw(lambda n: [n])],
    "plain function": lambda m: [m.is_plus_one(m.plus_one), m.is_plus_one(lambda x: x)],
    "indented": lambda m: m.indented(),
    "hints": lambda m: m.__annotations__,
    "records": lambda m: [m.records(2).tolist(), m.record_format()],
    "types": lambda m: m.numbers_of_types(),
    "vectorized": lambda m: [m.vectorized(2, 1.5), m.vectorized([1, 2], 2), m.vectorized([[1], [2]], [1, 2, 3]), m.vectorized_partly([1, 2], "abc")],
    "vectorized order": lambda m: m.vectorized(numpy.ones((2, 3), "i", order="F"), numpy.ones((2, 3), order="F")).flags.f_contiguous,
    "vectorized strides": lambda m: m.vectorized(numpy.arange(8, dtype="i")[::2], numpy.ones((2, 4))),
    "vectorized empty": lambda m: m.vectorized([], []),
    "vectorized bad": lambda m: m.vectorized([1, 2], [1, 2, 3]),
    "objects": lambda m: m.objects(["a", 2]),
    "too many": lambda m: m.too_many(numpy.zeros((1, 1))),
    "resized": lambda m: m.resized(3),
    "file of a submodule": lambda m: m.__file__ is not None,
}  # fmt: skip


def shown(value):
    return re.sub(" at 0x[0-9a-f]+", "", repr(value))


@pytest.mark.parametrize("name", CALLS)
def test_calls(probe, agree, name):
    agree(probe, CALLS[name], shown)


TEXTS = {
    "unknown": lambda m: m.call_unknown(len),
    "unknown named": lambda m: m.call_unknown_named(len),
    "default": lambda m: m.bad_default(),
    "map key": lambda m: m.Names()["no_such"],
    "too many": CALLS["too many"],
    "warn badly": CALLS["warn badly"],
    "vectorized bad": CALLS["vectorized bad"],
}


@pytest.mark.parametrize("name", TEXTS)
def test_texts_of_errors(probe, name):
    def text(module):
        with pytest.raises(Exception) as raised:
            TEXTS[name](module)
        return type(raised.value).__name__, str(raised.value)

    assert text(probe.ours) == text(probe.theirs)


def test_docs(probe):
    for name in ("multiline_default", "vectorized", "path", "duration", "point", "records", "raw_object"):
        assert getattr(probe.ours, name).__doc__ == getattr(probe.theirs, name).__doc__


def test_functions_are_pickled_by_name(probe, monkeypatch):
    monkeypatch.setitem(sys.modules, "portable_extras", probe.ours)
    assert pickle.loads(pickle.dumps(probe.ours.plus_one)) is probe.ours.plus_one
