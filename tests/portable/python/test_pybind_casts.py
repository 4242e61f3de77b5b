# tests/portable/python/test_pybind_casts.py: what each C++ type accepts, with and without implicit conversion.
import collections
import decimal
import fractions
import sys

import numpy
import pytest

pytestmark = pytest.mark.slow  # the first test of a probe compiles it


class Index:
    def __index__(self):
        return 7


class Integer:
    def __int__(self):
        return 8


class Float:
    def __float__(self):
        return 2.5


class Truth:
    def __bool__(self):
        return True


class FailingIndex:
    def __index__(self):
        raise ValueError("no index")


class Items:
    """A mapping by its methods only."""

    def __getitem__(self, key):
        return {"a": 1}[key]

    def items(self):
        return [("a", 1)]


VALUES = [
    0, 1, -1, 127, 128, 255, 256, -129, 2**31, 2**32, 2**63, 2**64, -(2**63), 2**100, 0.0, 1.0, 1.5, -2.7, 1e300,
    float("nan"), True, False, None, "", "a", "ab", "é", "日", "3.5", b"", b"a", b"\xff", bytearray(b"xy"), 1j, 1 + 2j,
    [], [1], [1, 2, 3], [1.5], [True, False], ["a", "b"], [[1], [2, 3]], [None], (), (1,), (1, 2, 3), (1, "a"),
    (1, 2.5, "x"), ("a", 1), {}, {"a": 1}, {1: [1.0]}, {"a": "b"}, set(), {1, 2}, {"a"}, frozenset([1]), range(3),
    Index(), Integer(), Float(), Truth(), FailingIndex(), Items(), decimal.Decimal("1.5"), fractions.Fraction(1, 2),
    numpy.int32(3), numpy.int64(-3), numpy.uint8(200), numpy.float32(1.5), numpy.float64(2.5), numpy.bool_(True),
    numpy.array([1, 2, 3]), numpy.array([1.5, 2.5]), numpy.array(4), numpy.array([[1, 2]]), collections.deque([1, 2]),
    collections.OrderedDict(a=1), collections.UserDict(a=1), {"a": 1}.keys(), {1: 2}.keys(), {1: 2}.values(),
    {"a": 1}.items(), object, len, memoryview(b"ab"), slice(1),
]  # fmt: skip
TYPES = [
    "bool", "int8", "uint8", "int16", "int32", "uint32", "int64", "uint64", "float32", "float64", "char", "complex", "string",
    "ints", "floats", "bools", "strings", "nested", "list", "deque", "array", "set", "unordered_set", "map",
    "unordered_map", "pair", "tuple", "optional", "optional_vector", "variant", "variant_numbers", "object", "metres",
    "metres_list",
]  # fmt: skip
OTHERS = [
    "string_view", "c_string", "pointer", "wide", "nullptr", "function", "function_none", "optional_metres",
    "mutable_reference", "complex_float",
]  # fmt: skip


@pytest.fixture(scope="module")
def probe(build):
    return build("casts")


def values_for(name):
    """Without an object that pybind11 iterates for a list or deque though it has no length."""
    return [v for v in VALUES if not (isinstance(v, Items) and name in ("list", "deque"))]


@pytest.mark.parametrize("name", TYPES)
def test_conversion(probe, agree, name):
    for value in values_for(name):
        agree(probe, lambda m: getattr(m, name)(value))


@pytest.mark.parametrize("name", TYPES)
def test_without_conversion(probe, agree, name):
    for value in values_for(name):
        agree(probe, lambda m: getattr(m, "exact_" + name)(value))


@pytest.mark.parametrize("name", OTHERS)
def test_other_parameters(probe, agree, name):
    for value in VALUES:
        agree(probe, lambda m: getattr(m, name)(value))


def test_generators(probe, agree):
    agree(probe, lambda m: m.ints(i for i in range(3)))
    agree(probe, lambda m: m.ints(map(int, "123")))
    agree(probe, lambda m: m.ints(i / 2 for i in range(3)))
    agree(probe, lambda m: m.ints(1 // 0 for _ in range(1)))
    agree(probe, lambda m: m.exact_ints(i for i in range(3)))
    agree(probe, lambda m: m.set(i for i in range(3)))
    agree(probe, lambda m: m.nested(zip([1], [2])))


def test_results(probe, agree):
    for name in ("returns_float", "big", "bad_text", "raw", "empty_tuple"):
        agree(probe, lambda m: getattr(m, name)())
    agree(probe, lambda m: m.by_reference([1, 2], "abc"))
    agree(probe, lambda m: m.void_pointer(None))
    agree(probe, lambda m: m.void_pointer(3))


def test_functions(probe, agree):
    agree(probe, lambda m: m.function(lambda n, text: text * n + "!"))
    agree(probe, lambda m: m.function(lambda n: 1))


def test_signatures(probe):
    for name in [*TYPES, *("exact_" + name for name in TYPES), *OTHERS]:
        assert getattr(probe.ours, name).__doc__ == getattr(probe.theirs, name).__doc__


def test_no_references_are_lost(probe):
    value = ["a text of its own", 12345678, {"k": 87654321}]
    inner = [sys.getrefcount(v) for v in value]
    before = sys.getrefcount(value)
    for _ in range(20):
        for name in TYPES:
            for i in range(-1, len(value)):
                try:
                    getattr(probe.ours, name)(value if i < 0 else value[i])
                except (TypeError, ValueError):
                    pass
    assert sys.getrefcount(value) == before
    assert [sys.getrefcount(v) for v in value] == inner
