// tests/portable/python/functions.cpp: functions with defaults, keywords, overloads, guards and docs.
#include <pybind11/functional.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <thread>

namespace py = pybind11;
using namespace py::literals;

struct Guard {
    static int &depth() {
        static int value = 0;
        return value;
    }
    Guard() { ++depth(); }
    ~Guard() { --depth(); }
};

int doubled(int x) { return 2 * x; }
int doubled_text(const std::string &x) { return 2 * static_cast<int>(x.size()); }
int over(int) { return 1; }
int over(double) { return 2; }

PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) {
    m.doc() = "A module";
    m.def("nothing", [] {});
    m.def("one", &doubled, "Twice the number", py::arg("x"));
    m.def("unnamed", [](int a, float b) { return a + b; });
    m.def("two", [](int a, int b) { return 10 * a + b; }, "a"_a, "b"_a = 3);
    m.def("shown", [](int a, std::string b) { return b + std::to_string(a); }, "a"_a = 1, py::arg_v("b", "x", "'ex'"));
    m.def("optional", [](std::optional<int> a) { return a ? *a : -1; }, py::arg("a") = py::none());
    m.def("keyword_only", [](int a, int b) { return 10 * a + b; }, "a"_a, py::kw_only(), "b"_a);
    m.def("position_only", [](int a, int b) { return 10 * a + b; }, "a"_a, py::pos_only(), "b"_a = 2);
    m.def("both", [](int a, int b, int c) { return 100 * a + 10 * b + c; }, "a"_a, py::pos_only(), "b"_a,
          py::kw_only(), "c"_a = 5);
    m.def("variadic", [](py::args a, py::kwargs k) -> py::tuple { return py::make_tuple(a, k); });
    m.def("after", [](int x, py::args a, py::kwargs k) -> py::tuple { return py::make_tuple(x, a, k); }, "x"_a);
    m.def("args_then", [](int x, py::args a, int y) -> py::tuple { return py::make_tuple(x, a, y); }, "x"_a, "y"_a);
    m.def("args_then_default", [](py::args a, int y, py::kwargs k) -> py::tuple { return py::make_tuple(a, y, k); },
          py::arg("y") = 7);
    m.def("exact", [](double x) { return x; }, py::arg("x").noconvert());
    m.def("exact_int", [](int x) { return x; }, py::arg().noconvert());
    m.def("no_none", [](py::object x) { return x; }, py::arg("x").none(false));
    m.def("mixed", [](int) { return "int"; });
    m.def("mixed", [](double) { return "float"; });
    m.def("mixed", [](const std::string &) { return "str"; }, "Takes a text");
    m.def("mixed", [](int, int) { return "two"; }, "a"_a, "b"_a = 0);
    m.def("first", [](double) { return "float"; });
    m.def("first", [](int) { return "int"; }, py::prepend());
    m.def("guarded", [] { return Guard::depth(); }, py::call_guard<Guard>());
    m.def("depth", [] { return Guard::depth(); });
    m.def("guarded_throws", []() -> int { throw std::runtime_error("inside"); }, py::call_guard<Guard>());
    m.def("released", [](int count) {
        std::thread other([&] {
            py::gil_scoped_acquire gil;
            count += 1;
        });
        other.join();  // only ends when this thread has released the GIL
        return count;
    }, py::call_guard<py::gil_scoped_release>());
    m.def("cast_over", py::overload_cast<int>(&over));
    m.def("cast_over", py::overload_cast<double>(&over));
    m.def("apply", [](const std::function<int(int)> &f, int x) { return f(x); });
    m.def("adder", [](int n) { return std::function<int(int)>([n](int x) { return x + n; }); });
    m.def("pointer", [] { return std::function<int(int)>(&doubled); });
    m.def("call", [](py::object f, py::args a, py::kwargs k) { return f(1, *a, "named"_a = 2, **k); });
    m.def("ten", [](int a, int b, int c, int d, int e, int f, int g, int h, int i, int j) { return a + b + c + d + e +
          f + g + h + i + j; });
    m.def("text_of", [](const char *text) { return text ? std::string(text) : std::string("null"); });
    m.def("void_result", [](py::list l) { l.append(1); });
    m.def("many", [](py::list values) {
        long total = 0;
        for (py::handle value : values) total += value.cast<long>();
        return total;
    });
    py::module_ sub = m.def_submodule("sub", "A submodule");
    sub.def("inner", [](int x) { return x - 1; });
    m.attr("constant") = 5;
    py::options quiet;
    quiet.disable_function_signatures();
    m.def("quiet", [](int x) { return x; }, "Only this text");
}
