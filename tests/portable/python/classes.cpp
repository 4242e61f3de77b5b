// tests/portable/python/classes.cpp: classes with holders, bases, properties, operators, pickling and trampolines.
#include <pybind11/operators.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <algorithm>
#include <set>

namespace py = pybind11;
using namespace py::literals;

int alive = 0;
struct Counted {
    Counted() { ++alive; }
    Counted(const Counted &) { ++alive; }
    ~Counted() { --alive; }
};

struct Point : Counted {
    double x, y;
    Point(double x, double y) : x(x), y(y) {}
    double norm() const { return x * x + y * y; }
    Point &shift(double by) {
        x += by;
        return *this;
    }
    Point operator+(const Point &o) const { return {x + o.x, y + o.y}; }
    Point operator*(double k) const { return {x * k, y * k}; }
    friend Point operator*(double k, const Point &p) { return p * k; }
    Point operator-() const { return {-x, -y}; }
    Point &operator+=(const Point &o) {
        x += o.x, y += o.y;
        return *this;
    }
    bool operator==(const Point &o) const { return x == o.x && y == o.y; }
    bool operator<(const Point &o) const { return norm() < o.norm(); }
};

struct Line {
    Point from{0, 0}, to{1, 1};
    std::vector<int> marks;
    static int made;
};
int Line::made = 3;

struct Animal : Counted {
    std::string name;
    explicit Animal(std::string name) : name(std::move(name)) {}
    virtual ~Animal() = default;
    virtual std::string sound(int times) const { return name + std::string(static_cast<size_t>(times), '?'); }
    virtual int legs() const { return 4; }
    std::string speak() const { return sound(2) + std::to_string(legs()); }
};
struct Dog : Animal {
    using Animal::Animal;
    std::string sound(int times) const override { return name + std::string(static_cast<size_t>(times), '!'); }
    int bark() const { return 7; }
};
struct Trampoline : Animal {
    using Animal::Animal;
    std::string sound(int times) const override { PYBIND11_OVERRIDE(std::string, Animal, sound, times); }
    int legs() const override { PYBIND11_OVERRIDE(int, Animal, legs, ); }
};

struct Shape : Counted {
    virtual ~Shape() = default;
    virtual double area() const = 0;
};
struct ShapeTrampoline : Shape {
    double area() const override { PYBIND11_OVERRIDE_PURE(double, Shape, area, ); }
};

struct First : Counted {
    int a = 1;
    int get_a() const { return a; }
};
struct Second : Counted {
    int b = 2;
    int get_b() const { return b; }
};
struct Both : First, Second {
    int c = 3;
};

struct Node : Counted, std::enable_shared_from_this<Node> {
    int value = 0;
    std::vector<std::shared_ptr<Node>> children;
};

struct Unique {
    std::unique_ptr<int> p = std::make_unique<int>(5);
};
struct Text {
    std::string content;
};
struct Open {};
struct Braced {
    int a;
    float b;
};
struct Single {
    static Single &get() {
        static Single one;
        return one;
    }
    int value = 11;
};
struct Container {
    std::vector<int> values{1, 2, 3};
};

PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) {
    m.def("alive", [] { return alive; });
    py::class_<Point>(m, "Point", "A point")
        .def(py::init<double, double>(), "x"_a, "y"_a = 0.0)
        .def(py::init([](const std::string &text) { return Point(std::stod(text), 0); }))
        .def("norm", &Point::norm, "Squared length")
        .def("shift", &Point::shift, "by"_a)
        .def("copy", [](const Point &p) { return p; })
        .def_readwrite("x", &Point::x)
        .def_readwrite("y", &Point::y, "The second")
        .def_readonly("x_only", &Point::x)
        .def_property("sum", [](const Point &p) { return p.x + p.y; }, [](Point &p, double v) { p.x = v - p.y; })
        .def_property_readonly("length", &Point::norm)
        .def_static("origin", [] { return Point(0, 0); })
        .def_static("make", [](int a) { return Point(a, a); })
        .def_static("make", [](const std::string &a) { return Point(double(a.size()), 0); })
        .def(py::self + py::self)
        .def(py::self * double())
        .def(double() * py::self)
        .def(-py::self)
        .def(py::self += py::self)
        .def(py::self == py::self)
        .def(py::self < py::self)
        .def("__repr__", [](const Point &p) { return "Point(" + std::to_string(int(p.x)) + ")"; })
        .def("__getitem__", [](const Point &p, int i) {
            if (i > 1) throw py::index_error();
            return i ? p.y : p.x;
        })
        .def("__len__", [](const Point &) { return 2; })
        .def("__call__", [](const Point &p, int k) { return p.x + k; })
        .def(py::pickle([](const Point &p) { return py::make_tuple(p.x, p.y); },
                        [](py::tuple t) { return Point(t[0].cast<double>(), t[1].cast<double>()); }));
    m.def("by_value", [](Point p) { return p.x; });
    m.def("by_reference", [](Point &p) { p.x = 100; });
    m.def("by_pointer", [](Point *p) { return p ? p->x : -1; });
    m.def("points", [](const std::vector<Point> &v) {
        double all = 0;
        for (const Point &p : v) all += p.x;
        return all;
    });
    m.def("make_points", [](int n) {
        std::vector<Point> v;
        for (int i = 0; i < n; ++i) v.emplace_back(i, i);
        return v;
    });
    m.def("optional_point", [](std::optional<Point> p) { return p; });
    m.def("same", [](Point &p) -> Point & { return p; });
    m.def("new_pointer", [] { return new Point(8, 8); });
    m.def("unique_pointer", [] { return std::make_unique<Point>(9, 9); });
    m.def("null_pointer", []() -> Point * { return nullptr; });

    py::class_<Line>(m, "Line")
        .def(py::init<>())
        .def_readwrite("from_", &Line::from)
        .def_readwrite("to", &Line::to)
        .def_readwrite("marks", &Line::marks)
        .def_readwrite_static("made", &Line::made)
        .def_property_readonly_static("twice", [](py::object) { return 2 * Line::made; })
        .def("start", [](Line &l) -> Point & { return l.from; }, py::return_value_policy::reference_internal)
        .def("start_copy", [](Line &l) -> Point & { return l.from; })
        .def("start_pointer", [](Line &l) { return &l.from; }, py::return_value_policy::reference, py::keep_alive<0,
             1>());

    py::class_<Animal, Trampoline, std::shared_ptr<Animal>>(m, "Animal")
        .def(py::init<std::string>())
        .def("sound", &Animal::sound)
        .def("legs", &Animal::legs)
        .def("speak", &Animal::speak)
        .def_readwrite("name", &Animal::name);
    py::class_<Dog, Animal, std::shared_ptr<Dog>>(m, "Dog").def(py::init<std::string>()).def("bark", &Dog::bark);
    m.def("make_animal", [](bool dog) -> std::shared_ptr<Animal> {
        if (dog) return std::make_shared<Dog>("rex");
        return std::make_shared<Animal>("cow");
    });
    m.def("raw_animal", []() -> Animal * { return new Dog("raw"); });
    m.def("listen", [](const Animal &a) { return a.speak(); });
    m.def("listen_shared", [](std::shared_ptr<Animal> a) { return a->speak(); });
    static std::shared_ptr<Animal> kept;
    m.def("keep", [](std::shared_ptr<Animal> a) { kept = std::move(a); });
    m.def("kept", [] { return kept; });
    m.def("only_dog", [](Dog &d) { return d.bark(); });

    py::class_<Shape, ShapeTrampoline>(m, "Shape").def(py::init<>()).def("area", &Shape::area);
    m.def("area", [](const Shape &s) { return s.area(); });

    py::class_<First>(m, "First").def(py::init<>()).def("get_a", &First::get_a).def_readwrite("a", &First::a);
    py::class_<Second>(m, "Second").def(py::init<>()).def("get_b", &Second::get_b);
    py::class_<Both, First, Second>(m, "Both").def(py::init<>()).def_readwrite("c", &Both::c);
    m.def("second_of", [](const Second &s) { return s.b; });
    m.def("as_second", [](Both &both) -> Second & { return both; }, py::return_value_policy::reference);

    py::class_<Node, std::shared_ptr<Node>>(m, "Node")
        .def(py::init<>())
        .def_readwrite("value", &Node::value)
        .def_readwrite("children", &Node::children)
        .def("me", [](Node &n) { return n.shared_from_this(); })
        .def("add", [](Node &n, std::shared_ptr<Node> c) { n.children.push_back(std::move(c)); });

    py::class_<Unique>(m, "Unique").def(py::init<>()).def("get", [](const Unique &u) { return *u.p; });
    m.def("make_unique_one", [] { return Unique(); });
    m.def("copy_unique", [](Unique &u) -> Unique & { return u; }, py::return_value_policy::copy);
    py::class_<Text>(m, "Text").def(py::init<std::string>()).def_readwrite("content", &Text::content);
    py::implicitly_convertible<std::string, Text>();
    m.def("text", [](const Text &t) { return t.content; });
    m.def("exact_text", [](const Text &t) { return t.content; }, py::arg("t").noconvert());
    py::class_<Open>(m, "Open", py::dynamic_attr()).def(py::init<>());
    py::class_<Braced>(m, "Plain").def(py::init<int, float>()).def_readwrite("a", &Braced::a).def_readwrite("b",
            &Braced::b);
    py::class_<Single>(m, "Single").def_readonly("value", &Single::value);
    m.def("single", &Single::get, py::return_value_policy::reference);
    py::class_<Container>(m, "Container")
        .def(py::init<>())
        .def("__iter__", [](Container &c) { return py::make_iterator(c.values.begin(), c.values.end()); },
             py::keep_alive<0, 1>())
        .def("__len__", [](const Container &c) { return c.values.size(); })
        .def("__contains__", [](const Container &c, int v) { return std::find(c.values.begin(), c.values.end(),
                v) != c.values.end(); })
        .def("hold", [](Container &, py::object) {}, py::keep_alive<1, 2>());
    m.attr("default_point") = py::cast(Point(3, 4));
    m.def("with_default", [](const Point &p) { return p.x; }, "p"_a = Point(6, 6));
    struct Inner {};
    py::class_<Inner>(m.attr("Line"), "Inner").def(py::init<>());
}
