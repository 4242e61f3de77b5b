// tests/portable/python/arrays.cpp: NumPy arrays, buffers and classes with the buffer protocol.
#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

namespace py = pybind11;

struct Matrix {
    py::ssize_t rows, columns;
    std::vector<double> data;
    Matrix(py::ssize_t rows, py::ssize_t columns) : rows(rows), columns(columns), data(size_t(rows * columns)) {}
};

template <class T> void typed(py::module_ &m, const char *name) {
    m.def(name, [](py::array_t<T> a) { return py::make_tuple(a.ndim(), a.size(), a.dtype(), a); });
}

PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) {
    typed<double>(m, "float64");
    typed<float>(m, "float32");
    typed<int>(m, "int32");
    typed<std::int64_t>(m, "int64");
    typed<std::uint8_t>(m, "uint8");
    typed<bool>(m, "bool");
    typed<std::complex<double>>(m, "complex128");
    m.def("exact", [](py::array_t<double> a) { return a.size(); }, py::arg("a").noconvert());
    m.def("strict", [](py::array_t<double, 0> a) { return a.size(); });
    m.def("c_order", [](py::array_t<double, py::array::c_style | py::array::forcecast> a) {
        return py::make_tuple(a.strides(0), a.strides(1));
    });
    m.def("f_order", [](py::array_t<double, py::array::f_style | py::array::forcecast> a) {
        return py::make_tuple(a.strides(0), a.strides(1));
    });
    m.def("any", [](py::array a) {
        return py::make_tuple(a.ndim(), a.size(), a.itemsize(), a.nbytes(),
                              std::vector<py::ssize_t>(a.shape(), a.shape() + a.ndim()),
                              a.dtype(), a.writeable(), a.owndata());
    });
    m.def("shape_at", [](py::array a, py::ssize_t axis) { return a.shape(axis); });
    m.def("sum", [](py::array_t<double> a) {
        auto v = a.unchecked<2>();
        double all = 0;
        for (py::ssize_t i = 0; i < v.shape(0); ++i)
            for (py::ssize_t j = 0; j < v.shape(1); ++j) all += v(i, j);
        return all;
    });
    m.def("fill", [](py::array_t<double> a, double value) {
        auto v = a.mutable_unchecked<1>();
        for (py::ssize_t i = 0; i < v.shape(0); ++i) v(i) = value;
    });
    m.def("at", [](py::array_t<int> a, int i, int j) { return a.at(i, j); });
    m.def("set_at", [](py::array_t<int> &a, int i, int j, int v) { a.mutable_at(i, j) = v; });
    m.def("make", [](std::vector<py::ssize_t> shape) {
        py::array_t<float> a(shape);
        float *p = a.mutable_data();
        for (py::ssize_t i = 0; i < a.size(); ++i) p[i] = float(i);
        return a;
    });
    m.def("make_1d", [](size_t n) { return py::array_t<int>(n); });
    m.def("make_2d", [] { return py::array_t<int>({2, 3}); });
    m.def("copy_of", [](std::vector<double> v) { return py::array_t<double>(static_cast<py::ssize_t>(v.size()),
            v.data()); });
    m.def("view_of", [](py::list log) {
        auto *values = new std::vector<int>{1, 2, 3, 4};
        auto *out = new py::list(log);
        py::capsule owner(new std::pair<std::vector<int> *, py::list *>(values, out), [](void *p) {
            auto *both = static_cast<std::pair<std::vector<int> *, py::list *> *>(p);
            both->second->append("freed");
            delete both->first;
            delete both->second;
            delete both;
        });
        return py::array_t<int>({2, 2}, {8, 4}, values->data(), owner);
    });
    m.def("dtypes", [] { return py::make_tuple(py::dtype::of<float>(), py::dtype::of<bool>(), py::dtype("int16")); });
    m.def("request", [](py::buffer b) {
        py::buffer_info i = b.request();
        return py::make_tuple(i.ndim, i.size, i.itemsize, i.format, i.shape, i.strides, i.readonly);
    });
    m.def("request_writable", [](py::buffer b) { return b.request(true).size; });
    m.def("ensure", [](py::object o) { return static_cast<bool>(py::array_t<double>::ensure(o)); });
    m.def("converted", [](py::object o) { return py::array_t<double>(o); });
    m.def("check", [](py::object o) { return py::make_tuple(py::isinstance<py::array>(o),
                                                            py::isinstance<py::array_t<double>>(o)); });
    m.def("optional", [](std::optional<py::array_t<double>> a) { return a ? a->size() : -1; });
    m.def("overloaded", [](py::array_t<int>) { return "int"; });
    m.def("overloaded", [](py::array_t<double>) { return "double"; });
    m.def("reshape", [](py::array_t<double> a) { return a.reshape({2, -1}); });
    py::class_<Matrix>(m, "Matrix", py::buffer_protocol())
        .def(py::init<py::ssize_t, py::ssize_t>())
        .def(py::init([](py::array_t<double, py::array::c_style | py::array::forcecast> a) {
            Matrix r(a.shape(0), a.shape(1));
            std::copy(a.data(), a.data() + a.size(), r.data.begin());
            return r;
        }))
        .def("get", [](const Matrix &x, py::ssize_t i, py::ssize_t j) { return x.data[size_t(i * x.columns + j)]; })
        .def_buffer([](Matrix &x) {
            return py::buffer_info(x.data.data(), sizeof(double), py::format_descriptor<double>::format(), 2,
                                   {x.rows, x.columns}, {py::ssize_t(sizeof(double)) * x.columns,
                                       py::ssize_t(sizeof(double))});
        });
}
