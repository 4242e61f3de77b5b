# tests/portable/python/test_pybind_enums.py: enum_ of plain, scoped and arithmetic enumerations.
import pickle
import sys

import pytest

pytestmark = pytest.mark.slow  # the first test of a probe compiles it


@pytest.fixture(scope="module")
def probe(build):
    return build("enums")


CALLS = {
    "repr": lambda m: [repr(m.Plain.One), str(m.Plain.Two), m.One.name, m.One.value, repr(m.Scoped.High)],
    "equal": lambda m: [m.Plain.One == 1, m.Plain.One == m.One, m.Plain.One == 2, m.Plain.One is None, m.Plain.One != "x"],
    "none": lambda m: [m.Plain.One == None, m.Plain.One != None, m.Scoped.Low == None],  # noqa: E711
    "strict": lambda m: [m.Scoped.Low == 0, m.Scoped.Low == m.Scoped.Low, m.Scoped.High != m.Scoped.Low],
    "order": lambda m: m.Plain.One < m.Plain.Two,
    "flags order": lambda m: [m.Flags.Read > m.Flags.Write, m.Flags.Read <= 3, 5 >= m.Flags.Read],
    "flags": lambda m: [m.Flags.Read | m.Flags.Write, m.Flags.Read & 4, 1 | m.Flags.Run, m.Flags.Read ^ 5, ~m.Flags.Run],
    "scoped flags": lambda m: m.ScopedFlags.A < m.ScopedFlags.B,
    "scoped flags or": lambda m: m.ScopedFlags.A | m.ScopedFlags.B,
    "scoped flags other": lambda m: m.ScopedFlags.A < 3,
    "int": lambda m: [int(m.Scoped.High), [7, 8, 9][m.Plain.One], hash(m.Plain.Two), {m.Plain.One: 1}[m.Plain(1)]],
    "construct": lambda m: [m.Plain(1), m.Plain(value=2), m.Scoped(200)],
    "construct unknown": lambda m: repr(m.Plain(77)),
    "construct bad": lambda m: m.Plain("x"),
    "construct large": lambda m: m.Scoped(300),
    "call": lambda m: [m.plain(m.One), m.scoped(m.Scoped.High), m.next(m.One), repr(m.unknown())],
    "call int": lambda m: m.plain(1),
    "call other": lambda m: m.plain(m.Scoped.Low),
    "default": lambda m: [m.with_default(), m.with_default(m.One), m.with_default.__doc__],
    "all": lambda m: m.all([m.One, m.Plain.Two]),
    "members": lambda m: [list(m.Plain.__members__.items()), list(m.Scoped.__members__)],
    "exported": lambda m: [m.Two, m.Owner.Dog, hasattr(m, "Low"), m.Owner.Kind.__qualname__],
    "in class": lambda m: [m.Owner().kind, m.Owner.Kind.Cat],
    "hidden": lambda m: m.hidden(),
    "twice": lambda m: m.twice(),
    "doc": lambda m: m.Plain.__doc__,
    "name is fixed": lambda m: setattr(m.Plain.One, "name", "x"),
    "type": lambda m: [type(m.next(m.One)) is m.Plain, isinstance(m.One, m.Plain), isinstance(m.One, int)],
    "pickle": lambda m: [pickle.loads(pickle.dumps(m.Plain.Two)), pickle.loads(pickle.dumps(m.Scoped.High))],
    "init doc": lambda m: m.Plain.__init__.__doc__,
}  # fmt: skip


@pytest.mark.parametrize("name", CALLS)
def test_same(probe, agree, name):
    sys.modules[probe.ours.__name__], sys.modules[probe.theirs.__name__] = probe.ours, probe.theirs
    agree(probe, CALLS[name])


def test_no_references_are_lost(probe):
    m = probe.ours
    before = sys.getrefcount(m.Plain), sys.getrefcount(m.Plain.One)
    for _ in range(50):
        m.plain(m.One), m.next(m.One), m.all([m.One, m.Two]), m.Plain(1), repr(m.One), m.One == 1, m.Plain.__members__
    assert (sys.getrefcount(m.Plain), sys.getrefcount(m.Plain.One)) == before
