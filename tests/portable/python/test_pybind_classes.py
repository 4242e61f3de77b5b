# tests/portable/python/test_pybind_classes.py: class_: construction, ownership, inheritance, properties, overriding.
import copy
import gc
import inspect
import pickle
import sys
import weakref

import pytest

pytestmark = pytest.mark.slow  # the first test of a probe compiles it


@pytest.fixture(scope="module")
def probe(build):
    return build("classes")


@pytest.fixture(autouse=True)
def nothing_stays_alive(probe):
    gc.collect()
    before = probe.ours.alive()
    yield
    gc.collect()
    assert probe.ours.alive() == before


CALLS = {
    "two arguments": lambda m: m.Point(1, 2).norm(),
    "default": lambda m: m.Point(3).norm(),
    "keywords": lambda m: m.Point(y=1, x=2).norm(),
    "factory": lambda m: m.Point("4").x,
    "no arguments": lambda m: m.Point(),
    "bad arguments": lambda m: m.Point([]),
    "set": lambda m: [p := m.Point(1), setattr(p, "x", 9), p.x],
    "set bad": lambda m: setattr(m.Point(1), "x", "a"),
    "set readonly": lambda m: setattr(m.Point(1), "x_only", 2),
    "set unknown": lambda m: setattr(m.Point(1), "other", 2),
    "property": lambda m: [p := m.Point(1, 2), setattr(p, "sum", 10), p.x, p.sum, p.length],
    "static": lambda m: [m.Point.origin().x, m.Point.make(3).x, m.Point.make("abcd").x, m.Point(1).make(2).y],
    "static bad": lambda m: m.Point.make(None),
    "unbound": lambda m: m.Point.norm(m.Point(2)),
    "unbound bad": lambda m: m.Point.norm(3),
    "add": lambda m: (m.Point(1, 2) + m.Point(3, 4)).y,
    "add bad": lambda m: m.Point(1) + 3,
    "multiply": lambda m: [(m.Point(1, 2) * 3).y, (3 * m.Point(1, 2)).x, (-m.Point(5)).x],
    "in place": lambda m: [p := m.Point(1), q := p, p.__iadd__(m.Point(2)), q.x],
    "equal": lambda m: [m.Point(1) == m.Point(1), m.Point(1) != m.Point(2), m.Point(1) == 3, m.Point(1) < m.Point(2)],
    "hash": lambda m: hash(m.Point(1)),
    "special": lambda m: [repr(m.Point(3)), m.Point(1, 2)[1], len(m.Point(1)), m.Point(1)(4), list(m.Point(1, 2))],
    "by value": lambda m: m.by_value(m.Point(4)),
    "by value none": lambda m: m.by_value(None),
    "by reference": lambda m: [p := m.Point(1), m.by_reference(p), p.x],
    "by pointer": lambda m: [m.by_pointer(m.Point(2)), m.by_pointer(None)],
    "by pointer bad": lambda m: m.by_pointer(3),
    "vector": lambda m: m.points([m.Point(1), m.Point(2)]),
    "vector bad": lambda m: m.points([1]),
    "vector result": lambda m: [p.x for p in m.make_points(3)],
    "optional": lambda m: [m.optional_point(None), m.optional_point(m.Point(2)).x],
    "same": lambda m: [p := m.Point(1), m.same(p) is p, p.shift(2) is p, p.copy() is p],
    "pointers": lambda m: [m.new_pointer().x, m.unique_pointer().x, m.null_pointer()],
    "default argument": lambda m: [m.with_default(), m.with_default(m.Point(1)), m.default_point.x],
    "members": lambda m: [a := m.Line(), setattr(a.from_, "x", 5), a.from_.x, a.from_ is a.from_],
    "member vector": lambda m: [a := m.Line(), setattr(a, "marks", [1, 2]), a.marks, a.marks.append(3), a.marks],
    "member set": lambda m: [a := m.Line(), setattr(a, "to", m.Point(7)), a.to.x],
    "internal": lambda m: [a := m.Line(), setattr(a.start(), "x", 6), a.from_.x, setattr(a.start_copy(), "x", 1), a.from_.x],
    "kept": lambda m: m.Line().start_pointer().x,
    "static member": lambda m: [setattr(m.Line, "made", 8), m.Line.made, m.Line.twice, m.Line().made, setattr(m.Line, "made", 3)],
    "static member bad": lambda m: setattr(m.Line, "made", "x"),
    "static member readonly": lambda m: setattr(m.Line, "twice", 1),
    "virtual": lambda m: [m.Animal("a").speak(), m.Dog("d").speak(), m.listen(m.Dog("d")), m.listen_shared(m.Dog("d"))],
    "downcast": lambda m: [type(m.make_animal(True)).__name__, m.make_animal(True).bark(), type(m.make_animal(False)).__name__],
    "downcast raw": lambda m: [type(m.raw_animal()).__name__, m.raw_animal().bark()],
    "derived only": lambda m: m.only_dog(m.Animal("a")),
    "abstract": lambda m: m.area(m.Shape()),
    "multiple": lambda m: [b := m.Both(), b.get_a(), b.get_b(), b.c, m.second_of(b), setattr(b, "a", 5), b.get_a()],
    "multiple reference": lambda m: [b := m.Both(), m.as_second(b).get_b()],
    "shared": lambda m: [n := m.Node(), n.me() is n, n.add(m.Node()), n.add(n.children[0]), len(n.children), n.children[0] is n.children[1], n.children.clear()],
    "not copyable": lambda m: m.make_unique_one().get(),
    "not copyable bad": lambda m: m.copy_unique(m.Unique()),
    "implicit": lambda m: [m.text("abc"), m.text(m.Text("d"))],
    "implicit bad": lambda m: m.text(3),
    "implicit refused": lambda m: m.exact_text("abc"),
    "dynamic": lambda m: [o := m.Open(), setattr(o, "z", 3), o.z, vars(o)],
    "braces": lambda m: [m.Plain(1, 2.5).a, m.Plain(1, 2.5).b],
    "no constructor": lambda m: m.Single(),
    "singleton": lambda m: [m.single().value, m.single() is m.single()],
    "iterator": lambda m: [list(m.Container()), len(m.Container()), 2 in m.Container(), 9 in m.Container(), next(iter(m.Container()))],
    "pickle": lambda m: pickle.loads(pickle.dumps(m.default_point)).y,
    "copy": lambda m: copy.deepcopy(m.default_point).x,
    "names": lambda m: [m.Point.__name__, m.Point.__module__, m.Line.Inner.__qualname__, m.Point.__doc__, m.Point.norm.__name__],
    "twice": lambda m: [p := m.Point(1), p.__init__(5, 5), p.x],
}  # fmt: skip


@pytest.mark.parametrize("name", CALLS)
def test_same(probe, agree, name):
    sys.modules[probe.ours.__name__], sys.modules[probe.theirs.__name__] = probe.ours, probe.theirs

    def show(value):
        """Without the objects of the classes, whose addresses differ."""
        values = value if isinstance(value, list) else [value]
        return repr([v for v in values if not type(v).__module__.endswith("_classes")])

    agree(probe, CALLS[name], show)


def test_docs(probe):
    for cls in ("Point", "Line", "Animal", "Container"):
        theirs, ours = getattr(probe.theirs, cls), getattr(probe.ours, cls)
        for name, member in vars(theirs).items():
            if (
                name.startswith("_pybind11")
                or name in ("__doc__", "__module__", "__new__", "__getstate__", "__iter__")
                or not callable(member)
            ):
                continue
            found = inspect.getattr_static(ours, name)
            assert (found.__doc__ or "").replace("portable_", "oracle_") == (getattr(theirs, name).__doc__ or ""), name
        for name in ("y", "sum"):
            if hasattr(theirs, name):
                assert getattr(ours, name).__doc__ == getattr(theirs, name).__doc__


def test_texts_of_refusals(probe):
    def text(module, call):
        with pytest.raises(TypeError) as raised:
            call(module)
        return str(raised.value).replace("oracle_", "portable_")

    for call in (lambda m: m.Point(), lambda m: m.Point.norm(3), lambda m: m.by_value(3), lambda m: m.Single()):
        assert text(probe.ours, call) == text(probe.theirs, call)


def test_python_subclasses(probe, agree):
    def overriding(m):
        class Cat(m.Animal):
            def __init__(self):
                super().__init__("cat")
                self.extra = 3

            def sound(self, times):
                return "meow" * times + super().sound(1)

        class Kitten(Cat):
            def legs(self):
                return super().legs() + 1

        cat, kitten = Cat(), Kitten()
        return [m.listen(cat), m.listen_shared(kitten), cat.extra, cat.speak(), isinstance(kitten, m.Animal), cat.name]

    agree(probe, overriding)

    def without_init(m):
        class Cat(m.Animal):
            def __init__(self):
                pass

        return Cat()

    agree(probe, without_init)

    def shape(m):
        class Square(m.Shape):
            def area(self):
                return 16

        return m.area(Square())

    agree(probe, shape)

    def failing(m):
        class Square(m.Shape):
            def area(self):
                raise KeyError("inside")

        return m.area(Square())

    agree(probe, failing)

    def mixed(m):
        class Mixin:
            def more(self):
                return 5

        class P(Mixin, m.Point):
            __slots__ = ("z",)

        p = P(1, 2)
        p.z = 3
        return [p.more(), p.norm(), m.by_value(p), p.z]

    agree(probe, mixed)


def test_the_class_can_be_patched(probe):
    class Sub(probe.ours.Text):
        pass

    original = probe.ours.Text.__init__
    probe.ours.Text.__init__ = lambda self: original(self, "patched")
    try:
        assert probe.ours.Text().content == "patched" and Sub().content == "patched"
    finally:
        probe.ours.Text.__init__ = original
    assert probe.ours.Text("a").content == "a"


def test_lifetimes(probe):
    m = probe.ours
    line = m.Line()
    inner, alive = line.from_, weakref.ref(line)
    del line
    gc.collect()
    assert alive() is not None and inner.x == 0
    del inner
    gc.collect()
    assert alive() is None

    class Held:
        pass

    held, container = Held(), m.Container()
    gone = weakref.ref(held)
    container.hold(held)
    del held
    assert gone() is not None
    del container
    gc.collect()
    assert gone() is None


def test_a_shared_subclass_lives_as_long_as_cpp_holds_it(probe):
    m = probe.ours
    m.keep(m.Dog("kept"))
    gc.collect()
    assert type(m.kept()) is m.Dog and m.kept().name == "kept"
    m.keep(None)
    assert m.kept() is None


def test_no_references_are_lost(probe):
    m = probe.ours
    types = [m.Point, m.Line, m.Animal, m.Dog, m.Node, m.Open, m.Container]

    def all_calls():
        for _name, call in CALLS.items():
            try:
                call(m)
            except Exception:
                pass
        gc.collect()

    all_calls()
    before = [sys.getrefcount(t) for t in types]
    for _ in range(3):
        all_calls()
    assert [sys.getrefcount(t) for t in types] == before
