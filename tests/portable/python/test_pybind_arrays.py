# tests/portable/python/test_pybind_arrays.py: NumPy arrays and buffers.
import array
import gc
import sys

import numpy
import pytest

pytestmark = pytest.mark.slow  # the first test of a probe compiles it

ARRAYS = [
    numpy.arange(6.0).reshape(2, 3), numpy.arange(6.0).reshape(2, 3).T, numpy.arange(6, dtype=numpy.int32).reshape(2, 3),
    numpy.arange(12, dtype=numpy.float32).reshape(3, 4)[::2], numpy.zeros((0, 3)), numpy.array(3.0), numpy.array([True, False]),
    numpy.array([1 + 2j]), numpy.arange(4, dtype=numpy.uint8), numpy.arange(4, dtype=">f8"), [[1, 2], [3, 4]], [1.5, 2], 3, 2.5,
    "text", None, [], [[1], [2, 3]], numpy.array(["a"]), {}, b"bytes", numpy.arange(3, dtype=numpy.int64), object(), range(3),
]  # fmt: skip
ONE_ARGUMENT = [
    "float64", "float32", "int32", "int64", "uint8", "bool", "complex128", "exact", "strict", "c_order", "f_order", "any", "sum",
    "request", "ensure", "converted", "check", "optional", "overloaded", "reshape",
]  # fmt: skip


@pytest.fixture(scope="module")
def probe(build):
    return build("arrays")


@pytest.mark.filterwarnings("ignore:Casting complex values:")
@pytest.mark.parametrize("name", ONE_ARGUMENT)
def test_conversion(probe, agree, name):
    for value in ARRAYS:
        agree(probe, lambda m: getattr(m, name)(value))


def test_elements(probe, agree):
    numbers = numpy.arange(6, dtype=numpy.int32).reshape(2, 3)
    for place in [(0, 0), (1, 2), (2, 0), (0, 3)]:
        agree(probe, lambda m: m.at(numbers, *place))
    agree(probe, lambda m: m.at(numbers[0], 0, 0))
    agree(probe, lambda m: [a := numbers.copy(), m.set_at(a, 1, 1, 50), a.tolist()])
    agree(probe, lambda m: [m.shape_at(numbers, 0), m.shape_at(numbers, 1)])
    agree(probe, lambda m: m.shape_at(numbers, 2))


def test_writing(probe, agree):
    agree(probe, lambda m: [a := numpy.zeros(3), m.fill(a, 2.5), a.tolist()])
    agree(probe, lambda m: [a := numpy.zeros((3, 2)), m.fill(a[:, 1], 2.5), a.tolist()])
    agree(probe, lambda m: m.fill(numpy.zeros((3, 2)), 2.5))

    def read_only(m):
        a = numpy.zeros(3)
        a.flags.writeable = False
        m.fill(a, 1)

    agree(probe, read_only)


def test_made(probe, agree):
    for shape in ([4], [2, 3], [], [0, 2]):
        agree(probe, lambda m: m.make(shape))
    agree(
        probe, lambda m: [m.make_1d(5).shape, m.make_1d(5).dtype, m.make_2d().shape, m.copy_of([1.5, 2.5]), m.dtypes()]
    )


def test_views_keep_their_owner(probe):
    for m in (probe.ours, probe.theirs):
        log = []
        view = m.view_of(log)
        assert view.tolist() == [[1, 3], [2, 4]] or view.strides == (8, 4)
        part = view[0]
        del view
        gc.collect()
        assert log == []
        del part
        gc.collect()
        assert log == ["freed"]


def test_buffers(probe, agree):
    for value in (b"abc", bytearray(b"abc"), array.array("d", [1, 2]), memoryview(b"abcdef")[::2], 3, [1]):
        agree(probe, lambda m: m.request(value))
        agree(probe, lambda m: m.request_writable(value))


def test_classes_with_buffers(probe, agree):
    def shared(m):
        matrix = m.Matrix(2, 3)
        view = numpy.array(matrix, copy=False)
        view[1, 2] = 8
        return [matrix.get(1, 2), view.shape, view.strides, memoryview(matrix).format, memoryview(matrix).tolist()]

    agree(probe, shared)
    agree(probe, lambda m: m.Matrix(numpy.arange(4.0).reshape(2, 2)).get(1, 0))
    agree(probe, lambda m: m.request(m.Matrix(2, 2)))


def test_no_references_are_lost(probe):
    m, value = probe.ours, numpy.arange(6.0).reshape(2, 3)

    def all_calls():
        for name in ONE_ARGUMENT:
            m.__getattribute__(name)(value)
        numpy.array(m.Matrix(2, 2), copy=False)

    all_calls()
    gc.collect()
    before = sys.getrefcount(value), sys.getrefcount(value.dtype), sys.getrefcount(m.Matrix)
    for _ in range(20):
        all_calls()
    gc.collect()
    assert (sys.getrefcount(value), sys.getrefcount(value.dtype), sys.getrefcount(m.Matrix)) == before
