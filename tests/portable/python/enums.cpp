// tests/portable/python/enums.cpp: enumerations: plain, scoped, arithmetic, nested.
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

namespace py = pybind11;

enum Plain : int { One = 1, Two = 2 };
enum class Scoped : std::uint8_t { Low, High = 200 };
enum Flags { Read = 4, Write = 2, Run = 1 };
enum class ScopedFlags { A = 1, B = 2 };
struct Owner {
    enum Kind { Cat, Dog };
    Kind kind = Dog;
};
enum class Hidden { X };

PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) {
    py::enum_<Plain>(m, "Plain", "Plain numbers").value("One", One).value("Two", Two, "The second").export_values();
    py::enum_<Scoped>(m, "Scoped").value("Low", Scoped::Low).value("High", Scoped::High);
    py::enum_<Flags>(m, "Flags", py::arithmetic()).value("Read", Read).value("Write", Write).value("Run", Run);
    py::enum_<ScopedFlags>(m, "ScopedFlags", py::arithmetic()).value("A", ScopedFlags::A).value("B", ScopedFlags::B);
    py::class_<Owner> owner(m, "Owner");
    owner.def(py::init<>()).def_readwrite("kind", &Owner::kind);
    py::enum_<Owner::Kind>(owner, "Kind").value("Cat", Owner::Cat).value("Dog", Owner::Dog).export_values();
    m.def("plain", [](Plain p) { return static_cast<int>(p); });
    m.def("scoped", [](Scoped s) { return static_cast<int>(s); });
    m.def("next", [](Plain p) { return p == One ? Two : One; });
    m.def("unknown", [] { return static_cast<Plain>(9); });
    m.def("with_default", [](Plain p) { return p; }, py::arg("p") = Two);
    m.def("all", [](std::vector<Plain> v) { return v; });
    m.def("hidden", [] { return Hidden::X; });
    m.def("twice", [m]() mutable {
        py::enum_<Hidden>(m, "Hidden").value("X", Hidden::X).value("X", Hidden::X);
    });
}
