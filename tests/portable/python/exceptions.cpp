// tests/portable/python/exceptions.cpp: C++ exceptions as Python errors and Python errors in C++.
#include <pybind11/functional.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <new>
#include <stdexcept>

namespace py = pybind11;

struct Own : std::runtime_error {
    using std::runtime_error::runtime_error;
};
struct Registered : std::exception {
    const char *what() const noexcept override { return "registered text"; }
};
struct Base : std::runtime_error {
    using std::runtime_error::runtime_error;
};
struct Derived : Base {
    using Base::Base;
};

template <class E> void thrower(py::module_ &m, const char *name) {
    m.def(name, []() { throw E("text"); });
}

PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) {
    thrower<std::runtime_error>(m, "runtime_error");
    thrower<std::logic_error>(m, "logic_error");
    thrower<std::domain_error>(m, "domain_error");
    thrower<std::invalid_argument>(m, "invalid_argument");
    thrower<std::length_error>(m, "length_error");
    thrower<std::out_of_range>(m, "out_of_range");
    thrower<std::range_error>(m, "range_error");
    thrower<std::overflow_error>(m, "overflow_error");
    thrower<py::value_error>(m, "value_error");
    thrower<py::type_error>(m, "type_error");
    thrower<py::index_error>(m, "index_error");
    thrower<py::key_error>(m, "key_error");
    thrower<py::stop_iteration>(m, "stop_iteration");
    thrower<py::buffer_error>(m, "buffer_error");
    thrower<py::import_error>(m, "import_error");
    thrower<py::attribute_error>(m, "attribute_error");
    thrower<py::cast_error>(m, "cast_error");
    thrower<Own>(m, "own");
    thrower<Base>(m, "base");
    thrower<Derived>(m, "derived");
    m.def("bad_alloc", []() { throw std::bad_alloc(); });
    m.def("number", []() { throw 5; });
    m.def("registered", []() { throw Registered(); });
    m.def("nested", [] {
        try {
            throw std::invalid_argument("cause");
        } catch (...) {
            std::throw_with_nested(std::runtime_error("effect"));
        }
    });
    m.def("call", [](py::object f) { return f(); });
    m.def("catch", [](py::object f) -> py::tuple {
        try {
            f();
        } catch (py::error_already_set &e) {
            bool is_key = e.matches(PyExc_KeyError);
            return py::make_tuple(is_key, e.type(), e.value(), std::string(e.what()).substr(0, 8));
        }
        return py::make_tuple();
    });
    m.def("catch_restore", [](py::object f) -> py::object {
        try {
            return f();
        } catch (py::error_already_set &e) {
            e.restore();
            throw py::error_already_set();
        }
    });
    m.def("raise_from", [](py::object f) {
        try {
            f();
        } catch (py::error_already_set &e) {
            py::raise_from(e, PyExc_RuntimeError, "effect");
            throw py::error_already_set();
        }
    });
    m.def("set_error", [] {
        PyErr_SetString(PyExc_KeyError, "set");
        throw py::error_already_set();
    });
    m.def("attribute", [](py::object o) { return o.attr("no_such"); });
    m.def("item", [](py::dict d) { return d["no_such"].cast<int>(); });
    m.def("bad_cast", [](py::object o) { return o.cast<int>(); });
    m.def("fails", [] { py::pybind11_fail("failed"); });
    m.def("callback", [](std::function<int(int)> f) { return f(1); });
    m.def("unregistered", [] { return Own("x"); });
    py::register_exception<Registered>(m, "RegisteredError");
    py::register_exception<Base>(m, "BaseError", PyExc_ValueError);
    py::register_exception_translator([](std::exception_ptr p) {
        try {
            if (p) std::rethrow_exception(p);
        } catch (const Own &e) {
            PyErr_SetString(PyExc_LookupError, e.what());
        }
    });
}
