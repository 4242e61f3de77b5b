// tests/portable/python/casts.cpp: each conversion as a function that returns its argument.
#include <pybind11/complex.h>
#include <pybind11/functional.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <deque>
#include <list>
#include <set>
#include <unordered_set>

namespace py = pybind11;

struct Metres {
    double value;
};
namespace pybind11 {
namespace detail {
template <> struct type_caster<Metres> {
    PYBIND11_TYPE_CASTER(Metres, const_name("Metres"));
    bool load(handle source, bool) {
        if (!isinstance<str>(source)) return false;
        value.value = std::stod(source.cast<std::string>());
        return true;
    }
    static handle cast(const Metres &metres, return_value_policy, handle) {
        return str(std::to_string(static_cast<int>(metres.value)) + "m").release();
    }
};
}  // namespace detail
}  // namespace pybind11

template <class T> void echo(py::module_ &m, const char *name) {
    m.def(name, [](T value) { return value; });
    m.def((std::string("exact_") + name).c_str(), [](T value) { return value; }, py::arg("value").noconvert());
}

PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) {
    echo<bool>(m, "bool");
    echo<std::int8_t>(m, "int8");
    echo<std::uint8_t>(m, "uint8");
    echo<std::int16_t>(m, "int16");
    echo<int>(m, "int32");
    echo<unsigned>(m, "uint32");
    echo<std::int64_t>(m, "int64");
    echo<std::uint64_t>(m, "uint64");
    echo<float>(m, "float32");
    echo<double>(m, "float64");
    echo<char>(m, "char");
    echo<std::complex<double>>(m, "complex");
    echo<std::string>(m, "string");
    echo<std::vector<int>>(m, "ints");
    echo<std::vector<double>>(m, "floats");
    echo<std::vector<bool>>(m, "bools");
    echo<std::vector<std::string>>(m, "strings");
    echo<std::vector<std::vector<int>>>(m, "nested");
    echo<std::list<int>>(m, "list");
    echo<std::deque<int>>(m, "deque");
    echo<std::array<int, 3>>(m, "array");
    echo<std::set<int>>(m, "set");
    echo<std::unordered_set<std::string>>(m, "unordered_set");
    echo<std::map<std::string, int>>(m, "map");
    echo<std::unordered_map<int, std::vector<float>>>(m, "unordered_map");
    echo<std::pair<int, std::string>>(m, "pair");
    echo<std::tuple<int, double, std::string>>(m, "tuple");
    echo<std::optional<int>>(m, "optional");
    echo<std::optional<std::vector<int>>>(m, "optional_vector");
    echo<std::variant<int, std::string, std::vector<int>>>(m, "variant");
    echo<std::variant<double, int>>(m, "variant_numbers");
    echo<py::object>(m, "object");
    echo<Metres>(m, "metres");
    echo<std::vector<Metres>>(m, "metres_list");
    m.def("optional_metres", [](std::optional<Metres> x) { return x; });
    m.def("string_view", [](std::string_view text) { return std::string(text); });
    m.def("c_string", [](const char *text) { return text; });
    m.def("by_reference", [](const std::vector<int> &v, const std::string &s) { return v.size() + s.size(); });
    m.def("mutable_reference", [](std::vector<int> &v) {
        v.push_back(1);
        return v;
    });
    m.def("pointer", [](int *x) { return *x; });
    m.def("wide", [](std::wstring text) { return text; });
    m.def("nullptr", [](std::nullptr_t) { return nullptr; });
    m.def("function", [](std::function<std::string(int, std::string)> f) { return f(1, "x"); });
    m.def("function_none", [](std::function<void()> f) { return static_cast<bool>(f); });
    m.def("returns_float", [] { return 1.5f; });
    m.def("big", [] { return std::uint64_t(1) << 63; });
    m.def("bad_text", [] { return std::string("\xff\xfe"); });
    m.def("raw", [] { return py::bytes("\xff\x00z", 3); });
    m.def("void_pointer", [](void *p) { return p; });
    m.def("complex_float", [](std::complex<float> z) { return z; });
    m.def("empty_tuple", [] { return std::tuple<>(); });
}
