// tests/portable/python/types.cpp: Python's own types as C++ classes.
#include <pybind11/eval.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

namespace py = pybind11;
using namespace py::literals;

PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) {
    m.def("make_list", [] {
        py::list l;
        l.append(1);
        l.append("two");
        l.insert(0, 0.5);
        l[1] = py::int_(7);
        return l;
    });
    m.def("make_dict", [](py::object value) {
        py::dict d("a"_a = 1, "b"_a = value);
        d["c"] = py::make_tuple(1, 2.5, "x", py::none());
        d[py::int_(3)] = true;
        return d;
    });
    m.def("make_set", [] {
        py::set s;
        s.add(1);
        s.add("k");
        s.add(1);
        return s;
    });
    m.def("make_tuple", [](size_t n) {
        py::tuple t(n);
        for (size_t i = 0; i < n; ++i) t[i] = i * i;
        return t;
    });
    m.def("walk_dict", [](py::dict d) {
        std::string all;
        for (auto item : d) all += std::string(py::str(item.first)) + "=" + std::string(py::str(item.second)) + ";";
        return all;
    });
    m.def("walk", [](py::iterable values) {
        py::list out;
        for (py::handle v : values) out.append(v);
        return out;
    });
    m.def("items", [](py::sequence s) { return py::make_tuple(s.size(), s[0], py::len(s)); });
    m.def("attributes", [](py::object o) {
        o.attr("x") = 4;
        py::object y = py::getattr(o, "missing", py::str("none"));
        return py::make_tuple(py::hasattr(o, "x"), o.attr("x"), y, py::hasattr(o, "zz"));
    });
    m.def("delete_attribute", [](py::object o) { py::delattr(o, "x"); });
    m.def("call_method", [](py::object o, py::str name) { return o.attr(name)(); });
    m.def("format", [] { return "{} and {named}"_s.format(1, "named"_a = "two"); });
    m.def("to_str", [](py::object o) { return py::str(o); });
    m.def("to_repr", [](py::object o) { return py::repr(o); });
    m.def("to_int", [](py::object o) { return py::int_(o); });
    m.def("to_float", [](py::object o) { return py::float_(o); });
    m.def("to_bool", [](py::object o) { return py::bool_(o); });
    m.def("to_list", [](py::object o) { return py::list(o); });
    m.def("to_tuple", [](py::object o) { return py::tuple(o); });
    m.def("to_dict", [](py::object o) { return py::dict(o); });
    m.def("to_set", [](py::object o) { return py::set(o); });
    m.def("bytes_of", [](py::bytes b) { return py::bytes(std::string(b) + "!"); });
    m.def("int_value", [](py::int_ i) { return static_cast<long>(i) + 1; });
    m.def("takes_str", [](py::str) {});
    m.def("takes_list", [](py::list) {});
    m.def("takes_dict", [](py::dict) {});
    m.def("takes_tuple", [](py::tuple) {});
    m.def("takes_float", [](py::float_ f) { return f; });
    m.def("takes_function", [](py::function f) { return f(3); });
    m.def("takes_slice", [](py::slice s) {
        py::ssize_t start, stop, step, count;
        if (!s.compute(10, &start, &stop, &step, &count)) throw py::error_already_set();
        return py::make_tuple(start, stop, step, count);
    });
    m.def("make_slice", [] { return py::slice(1, 8, 2); });
    m.def("capsule", [](py::list log) {
        auto *held = new py::list(log);
        return py::capsule(held, [](void *p) {
            auto *all = static_cast<py::list *>(p);
            all->append("gone");
            delete all;
        });
    });
    m.def("capsule_value", [] {
        static int number = 42;
        py::capsule c(&number, "number");
        return *static_cast<int *>(c.get_pointer()) + static_cast<int>(std::string(c.name()).size());
    });
    m.def("compare", [](py::object a, py::object b) {
        return py::make_tuple(a.is(b), a.equal(b), a.not_equal(b), a < b, a <= b, a > b, a >= b);
    });
    m.def("arithmetic", [](py::object a, py::object b) { return py::make_tuple(a + b, a - b, a * b, -a); });
    m.def("contains", [](py::object o, py::object k) { return o.contains(k); });
    m.def("dict_contains", [](py::dict d) { return d.contains("key"); });
    m.def("isinstance", [](py::object o) {
        return py::make_tuple(py::isinstance<py::int_>(o), py::isinstance<py::str>(o), py::isinstance<py::list>(o),
                              py::isinstance<py::dict>(o), py::isinstance<py::function>(o),
                                  py::isinstance<py::none>(o));
    });
    m.def("type_name", [](py::object o) { return py::type::of(o).attr("__name__"); });
    m.def("import", [](const char *name) { return py::module_::import(name).attr("__name__"); });
    m.def("evaluate", [] { return py::eval("1 + 2 * x", py::globals(), py::dict("x"_a = 5)); });
    m.def("execute", [](py::dict scope) { py::exec("y = 3\ndef f(): return y\n", scope); });
    m.def("print", [](py::object file) { py::print("a", 1, "sep"_a = "-", "end"_a = "|", "file"_a = file); });
    m.def("cast_int", [](py::object o) { return o.cast<int>(); });
    m.def("cast_vector", [](py::object o) { return py::cast<std::vector<int>>(o); });
    m.def("cast_list", [](py::object o) { return o.cast<py::list>(); });
    m.def("index", [](py::object o, py::object k) { return o[k]; });
    m.def("set_item", [](py::object o, py::object k, py::object v) { o[k] = v; });
    m.def("nested", [](py::dict d) { return d["a"]["b"][py::int_(0)].cast<int>(); });
    m.def("ref_count", [](py::handle h) { return h.ref_count(); });
    m.def("borrow", [](py::object o) {
        py::object twice = py::reinterpret_borrow<py::object>(o.ptr());
        py::object moved = std::move(twice);
        return moved.is(o) && !twice;
    });
    m.def("hash", [](py::object o) { return py::hash(o); });
    m.def("none", [] { return py::none(); });
    m.def("weak", [](py::object o) { return py::weakref(o)(); });
    m.def("unpack", [](py::object f, py::tuple t, py::dict d) { return f(*t, **d); });
    m.def("frozen", [](py::frozenset s) { return s.size(); });
}
