"""tests/bridge/test_bridge_values.py: structs by value without all fields, and numbers that C's type does not hold."""

import decimal
from fractions import Fraction

import numpy as np
import pytest

import torchthaw
from support import bridge_probe
from support.messages import names

HEADER = """
typedef struct { int i; double d; int more[3]; struct { short s; float f; } in; } point;
typedef union { int i; double d; } either;
typedef enum { LOW = 1, HIGH = 5 } level;
double total(point p);
double fill_the_stack(double value);
long first_bits(either e);
double through(const float *values, point p);
int of_level(level value);
int sum_of(const int *values, int n);
double sum_of_doubles(const double *values, int n);
double half(float value);
"""
SOURCE = """
#include "values.h"
#include <stddef.h>
#include <string.h>
double total(point p) { return p.i + p.d + p.more[0] + p.more[1] + p.more[2] + p.in.s + p.in.f; }
double fill_the_stack(double value) {
    volatile double memory[512];
    for (int i = 0; i < 512; ++i) memory[i] = value;
    return memory[37];
}
long first_bits(either e) { long bits; memcpy(&bits, &e, sizeof bits); return bits; }
double through(const float *values, point p) { return total(p) + (values == NULL ? 0 : values[0]); }
int of_level(level value) { return value; }
int sum_of(const int *values, int n) { int sum = 0; for (int i = 0; i < n; ++i) sum += values[i]; return sum; }
double sum_of_doubles(const double *values, int n) {
    double sum = 0;
    for (int i = 0; i < n; ++i) sum += values[i];
    return sum;
}
double half(float value) { return value / 2; }
"""


@pytest.fixture(scope="module")
def c(tmp_path_factory):
    folder = tmp_path_factory.mktemp("values")
    (folder / "values.h").write_text(HEADER)
    (folder / "values.c").write_text(SOURCE)
    torchthaw.create_extension("values", "values.h", ["values.c"], relative_to=folder / "build.py").build()
    return bridge_probe.load(folder / "values", "values")


@pytest.mark.parametrize("given, expected", [
    ([], 0), ((), 0), ({}, 0), ([1], 1), ((1, 2.5), 3.5), ({"d": 2.5}, 2.5), ([1, 2, [3]], 6), ({"more": [1, 2]}, 3),
    ({"in": {"f": 1.5}}, 1.5), ([1, 2, (3, 4, 5), {}], 15), ([1, 2, (), [7]], 10),
])  # fmt: skip
def test_fields_that_are_not_given_are_zero(c, given, expected):
    for noise in (1e300, -1.5, 3.0):
        c.fill_the_stack(noise)
        assert c.total(given) == expected
        assert c.through(None, given) == expected
        assert c.through(np.ones(1, dtype=np.float32), given) == expected + 1


def test_a_union(c):
    for noise in (1e300, -1.5):
        c.fill_the_stack(noise)
        assert c.first_bits([]) == c.first_bits({}) == 0 and c.first_bits([7]) == 7 and c.first_bits({"i": 7}) == 7


CUT = [Fraction(5, 3), np.float32(1.9), np.float64(1.9), decimal.Decimal("1.9"), 1.9]


@pytest.mark.parametrize("value", CUT, ids=lambda value: type(value).__name__)
def test_what_is_no_integer_is_not_cut(c, value):
    calls = [
        lambda: c.of_level(value), lambda: c.sum_of([1, value], 2), lambda: c.total([value]),
        lambda: c.total({"more": [1, value]}), lambda: c.total({"in": {"s": value}}), lambda: c.sum_of([value], value),
    ]  # fmt: skip
    for call in calls:
        with pytest.raises(TypeError, match=names("integer")):
            call()
    with pytest.raises(TypeError, match=names("value", "integer")):
        c.of_level(value)


def test_integers_of_other_types_are(c):
    for value in (5, np.int8(5), np.uint64(5), c.HIGH):
        assert c.of_level(value) == 5 and c.sum_of([value, 1], 2) == 6 and c.total([value]) == 5
    assert c.of_level(True) == 1
    assert c.sum_of_doubles([Fraction(1, 2), 1, np.float32(0.25)], 3) == 1.75 and c.half(Fraction(1, 2)) == 0.25


TEXTS = {
    "text": np.array("1.5"), "bytes": np.array(b"1.5"), "object": np.array("1.5", dtype=object),
    "time": np.datetime64(3, "s"), "0-d time": np.array(3, dtype="datetime64[s]"), "span": np.timedelta64(3, "s"),
    "complex": np.complex64(1.5 + 2j), "0-d complex": np.array(1.5 + 2j), "masked": np.ma.masked,
    "str": "1.5",
}  # fmt: skip


@pytest.mark.parametrize("name", TEXTS)
def test_a_number_is_not_read_from_a_text_or_time(c, name):
    calls = bridge_probe.probe()
    for call in calls.give_float, calls.give_double, c.half:
        with pytest.raises(TypeError, match=names("value", "number")):
            call(TEXTS[name])
    for call in lambda x: c.sum_of_doubles([x], 1), lambda x: c.total({"d": x}):
        with pytest.raises(TypeError):
            call(TEXTS[name])


def test_real_numbers_are(c):
    calls = bridge_probe.probe()
    values = (
        1.5, Fraction(3, 2), decimal.Decimal("1.5"), np.float32(1.5), np.float64(1.5), np.float16(1.5), np.array(1.5),
        np.ma.array(1.5).data,
    )  # fmt: skip
    for value in values:
        assert calls.give_double(value) == calls.give_float(value) == 1.5
    for value in (2, True, np.int64(2), np.array(2), np.bool_(True)):
        assert calls.give_double(value) == int(value)
