# tests/portable/python/test_pybind_holders.py: who owns values, several bound bases, constructors of all forms.
import gc
import re
import weakref

import pytest

pytestmark = pytest.mark.slow  # the first test of a probe compiles it


@pytest.fixture(scope="module")
def probe(build):
    return build("holders")


@pytest.fixture(autouse=True)
def nothing_stays_alive(probe):
    gc.collect()
    before = probe.ours.alive(), probe.theirs.alive()
    yield
    gc.collect()
    assert (probe.ours.alive(), probe.theirs.alive()) == before


def subclass(*bases, **members):
    return type("Subclass", bases, members)


def both(m):
    def init(self, left, right):
        m.Left.__init__(self, left)
        m.Right.__init__(self, right)

    return subclass(m.Left, m.Right, __init__=init)


def only_left(m):
    return subclass(m.Left, m.Right, __init__=lambda self: m.Left.__init__(self, 1))


CALLS = {
    "custom holder": lambda m: [m.make_held().value, m.owners(m.make_held()), m.owners(m.Held())],
    "custom holder none": lambda m: m.null_held(None),
    "custom holder bad": lambda m: m.owners(3),
    "shared": lambda m: [s := m.Shared(), m.shared(s) is s, m.shared(None)],
    "shared of a reference": lambda m: m.shared(m.borrowed()),
    "shared of a unique": lambda m: m.plain_as_shared(m.Simple(2)),
    "unique of a shared": lambda m: m.shared_as_plain(),
    "unique as argument": lambda m: m.give_up(m.Simple(1)),
    "pointers in a vector": lambda m: [p.value for p in m.vector_of_pointers()],
    "two bases": lambda m: [b := both(m)(1, 2), b.left, b.right, m.sum(b, b), m.same_right(b) is b],
    "two bases set": lambda m: [b := both(m)(1, 2), setattr(b, "right", 5), m.sum(b, b)],
    "two bases deeper": lambda m: [d := subclass(both(m), m.Right)(3, 4), m.sum(d, d)],
    "two bases, one empty": lambda m: only_left(m)(),
    "two bases without init": lambda m: subclass(m.Left, m.Right)(1),
    "old constructor": lambda m: m.Old("text").text,
    "old constructor that throws": lambda m: m.Old(3),
    "old constructor bad": lambda m: m.Old([]),
    "factories": lambda m: [m.Virtual(2).value, m.Virtual(2).kind(), subclass(m.Virtual)(2).value, subclass(m.Virtual)(2).kind()],
    "factory without alias": lambda m: subclass(m.Virtual)("text"),
    "tagged": lambda m: [type(m.tagged(True)).__name__, m.tagged(True).more, type(m.tagged(False)).__name__],
    "final": lambda m: subclass(m.Final),
    "metaclass": lambda m: [type(m.OwnMeta).__name__, isinstance(m.OwnMeta(), m.OwnMeta), type(m.Simple).__name__, m.Simple.__base__.__name__],
    "implicit none": lambda m: [m.from_int(3), m.from_int(None), m.from_int(m.FromInt(2))],
    "implicit bad": lambda m: m.from_int("x"),
    "move out": lambda m: m.move_out(lambda: m.NoCopy(7)),
    "move out of a shared object": lambda m: [n := m.NoCopy(7), m.move_out(lambda: n)],
    "qualifiers": lambda m: [q := m.Qualified(), q.by_left(), q.by_right(), q.by_const()],
    "unknown type": lambda m: m.type_of_unknown(),
    "no self": lambda m: m.Simple.__init__(3),
    "init again": lambda m: [p := m.Simple(1), p.__init__(2), p.value],
    "init again with anything": lambda m: [p := m.Simple(1), p.__init__("text"), p.value],
}  # fmt: skip


def shown(value):
    return re.sub(" at 0x[0-9a-f]+", "", repr(value))


@pytest.mark.parametrize("name", CALLS)
def test_calls(probe, agree, name):
    agree(probe, CALLS[name], shown)


@pytest.mark.parametrize("name", ["shared of a unique", "unique of a shared", "unique as argument", "no self", "final"])
def test_texts_of_errors(probe, name):
    def text(module):
        with pytest.raises((TypeError, RuntimeError)) as raised:
            CALLS[name](module)
        return str(raised.value).replace("oracle_", "portable_")

    # pybind11 has the name of the heap type alone
    assert text(probe.ours).replace("portable_holders.", "") == text(probe.theirs).replace("portable_holders.", "")


def test_classes_of_python_end(probe):
    made = both(probe.ours)
    made(1, 2)
    watched = weakref.ref(made)
    del made
    gc.collect()
    assert watched() is None
    assert both(probe.ours)(1, 2).right == 2
