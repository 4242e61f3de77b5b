// tests/portable/python/extras.cpp: pybind11's further headers: chrono, stl_bind, iostream, typing, numpy's records.
#include <pybind11/chrono.h>
#include <pybind11/eval.h>
#include <pybind11/functional.h>
#include <pybind11/iostream.h>
#include <pybind11/numpy.h>
#include <pybind11/stl.h>
#include <pybind11/stl/filesystem.h>
#include <pybind11/stl_bind.h>
#include <pybind11/type_caster_pyobject_ptr.h>
#include <pybind11/typing.h>
#include <pybind11/warnings.h>

#include <algorithm>

namespace py = pybind11;
using namespace py::literals;

using Numbers = std::vector<double>;
using Names = std::map<std::string, int>;
PYBIND11_MAKE_OPAQUE(Numbers)
PYBIND11_MAKE_OPAQUE(Names)

struct Record {
    bool flag;
    std::int32_t number;
    char text[4];
    std::array<float, 2> pair;
};
struct Unknown {};
struct Pair {
    int first, second;
};
/// Gives pairs by value.
struct Counting {
    int at;
    Pair operator*() const { return {at, 10 * at}; }
    Counting &operator++() { return ++at, *this; }
    bool operator==(const Counting &other) const { return at == other.at; }
};
int plus_one(int x) { return x + 1; }

PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) {
    m.def("duration", [](std::chrono::microseconds d) { return d.count(); });
    m.def("duration_back", [](double s) { return std::chrono::duration<double>(s); });
    m.def("point", [](std::chrono::system_clock::time_point t) { return t; });
    m.def("path", [](const std::filesystem::path &path) { return path.parent_path(); });
    py::bind_vector<Numbers>(m, "Numbers", py::buffer_protocol());
    py::bind_map<Names>(m, "Names");
    m.def("print", [](const std::string &text) {
        py::scoped_ostream_redirect redirect;
        std::cout << text << std::flush;
    });
    py::add_ostream_redirect(m, "redirect");
    m.def("print_raw", [](const std::string &text) { std::cout << text << std::flush; });
    m.def("typed", [](py::typing::List<int>, py::typing::Optional<py::str>, py::typing::Callable<int(double)>)
                       -> py::typing::Union<py::int_, py::str> { return py::int_(1); });
    m.def("made_tuple", [] { return py::make_tuple(1, 2.5, "x"); });
    m.def("all_of", [](const py::Args<int> &a, const py::KWArgs<py::str> &k) { return py::make_tuple(a, k); });
    m.def("warn", [](const char *text) { py::warnings::warn(text, PyExc_FutureWarning); });
    m.def("warn_badly", [] { py::warnings::warn("x", PyExc_ValueError); });
    m.def("u16", [](std::u16string text) { return text; });
    m.def("u32", [](std::u32string text) { return text; });
    m.def("c16", [](char16_t character) { return static_cast<int>(character); });
    m.def("wide_view", [](std::wstring_view text) { return text.size(); });
    m.def("in_place", [](py::object a, py::object b) {
        a += b;
        return a;
    });
    m.def("sum_of", [](py::sequence s) {
        int all = 0;
        std::for_each(s.begin(), s.end(), [&](py::object v) { all += v.cast<int>(); });
        return all;
    });
    m.def("last_of", [](py::list l, py::tuple t) { return py::make_tuple(*(l.end() - 1), t.begin()[1],
        l.end() - l.begin()); });
    m.def("merged", [](py::dict d) { return py::dict("a"_a = 1, **d); });
    m.def("slices", [](py::list l) { return py::make_tuple(l[py::slice()], l[py::slice(std::nullopt, 2, {})]); });
    m.def("firsts", [] { return py::make_key_iterator(Counting{1}, Counting{4}); });
    m.def("seconds", [] { return py::make_value_iterator(Counting{1}, Counting{4}); });
    m.def("view", [](py::buffer b) { return py::memoryview(b.request()); });
    m.def("view_of", [] {
        static const std::int16_t values[] = {1, 2, 3, 4};
        return py::memoryview::from_buffer(values, {2, 2}, {4, 2});
    });
    m.def("renamed", [](py::list log) {
        static py::list *kept;
        kept = new py::list(log);
        py::capsule c([] { kept->append("gone"); });
        c.set_name("another");
        return c;
    });
    m.def("raw_object", [](PyObject *value) { return py::reinterpret_borrow<py::object>(value); });
    m.def("call_raw", [](const std::function<PyObject *(int)> &f) { return py::reinterpret_steal<py::object>(f(3)); });
    m.def("call_unknown", [](py::object f) { return f(1, Unknown()); });
    m.def("call_unknown_named", [](py::object f) { return f("name"_a = Unknown()); });
    m.def("bad_default", [m]() mutable { m.def("f", [](Unknown) {}, "x"_a = Unknown()); });
    m.def("plus_one", &plus_one);
    m.def("is_plus_one", [](std::function<int(int)> f) {
        auto *plain = f.target<int (*)(int)>();
        return plain && *plain == plus_one;
    });
    m.def("indented", [] {
        py::dict scope;
        py::exec(R"(
            def f():
                return 7
        )", scope);
        return scope["f"]();
    });
    m.def("multiline_default", [](py::object) {}, py::arg_v("x", 1, "a\n   b"));
    m.attr_with_type_hint<py::typing::List<int>>("hinted") = py::list();
    PYBIND11_NUMPY_DTYPE(Record, flag, number, text, pair);
    m.def("records", [](size_t n) {
        py::array_t<Record> all(n);
        for (size_t i = 0; i < n; ++i) all.mutable_at(i) = Record{i > 0, int(i), "ab", {{1, float(i)}}};
        return all;
    });
    m.def("record_format", [] { return py::make_tuple(py::dtype::of<Record>(),
        py::format_descriptor<Record>::format()); });
    m.def("numbers_of_types", [] {
        return py::make_tuple(py::dtype::of<int>().num(), py::dtype::num_of<std::int64_t>(),
            py::dtype("longlong").normalized_num(),
                              py::dtype("float32").byteorder(), py::dtype(py::detail::npy_api::NPY_DOUBLE_));
    });
    m.def("vectorized", py::vectorize([](int x, double y) { return x * y; }));
    m.def("vectorized_partly", py::vectorize([](double x, std::string text) { return x
        + double(text.size()); }));
    m.def("objects", [](py::array_t<py::object> a) { return py::make_tuple(a.size(), a.dtype(), a.at(0)); });
    m.def("too_many", [](py::array a) { return a.offset_at(1, 2, 3); });
    m.def("resized", [](size_t n) {
        py::array_t<double> a({2, 2});
        a.resize({n});
        return a.size();
    });
}
