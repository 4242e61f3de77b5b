// tests/fuzz/portable_calls.cpp: functions that give their arguments back, and operators; built by torchthaw and by PyTorch.
#include <torch/extension.h>

#include <pybind11/complex.h>
#include <pybind11/functional.h>
#include <pybind11/numpy.h>
#include <pybind11/stl.h>

#include <array>
#include <complex>
#include <map>
#include <set>

namespace {

using at::Tensor;

template <class T> void same(py::module &m, const char *name) { m.def(name, [](T value) { return value; }); }

Tensor sum_all(const std::vector<Tensor> &tensors) {
    Tensor sum = at::zeros({});
    for (const Tensor &each : tensors) sum = sum + each.sum();
    return sum;
}
double elements(const Tensor &x) {
    TORCH_CHECK(x.device().is_cpu(), "expected a tensor of the CPU, got ", x.device());
    double sum = 0;
    const Tensor dense = x.to(at::kDouble).contiguous();
    for (int64_t i = 0; i < dense.numel(); ++i) sum += dense.data_ptr<double>()[i];
    return sum;
}
Tensor dispatched(const Tensor &x) {
    Tensor result = at::empty(x.sizes(), x.options());
    const Tensor given = x.contiguous();
    AT_DISPATCH_ALL_TYPES_AND2(at::kHalf, at::kBFloat16, x.scalar_type(), "dispatched", [&] {
        const scalar_t *from = given.data_ptr<scalar_t>();
        scalar_t *to = result.data_ptr<scalar_t>();
        for (int64_t i = 0; i < given.numel(); ++i) to[i] = from[i] + scalar_t(1);
    });
    return result;
}
std::tuple<std::vector<int64_t>, std::vector<int64_t>, int64_t, bool, bool, at::ScalarType> facts(const Tensor &x) {
    return {x.sizes().vec(), x.strides().vec(), x.numel(), x.is_contiguous(), x.requires_grad(), x.scalar_type()};
}

}  // namespace

PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) {
    same<bool>(m, "bool");
    same<int>(m, "int");
    same<unsigned>(m, "unsigned");
    same<int64_t>(m, "int64");
    same<uint64_t>(m, "uint64");
    same<int8_t>(m, "int8");
    same<uint8_t>(m, "uint8");
    same<float>(m, "float");
    same<double>(m, "double");
    same<std::complex<double>>(m, "complex");
    same<char>(m, "char");
    same<std::string>(m, "string");
    m.def("view", [](std::string_view text) { return std::string(text); });
    m.def("c_string", [](const char *text) { return text ? std::string(text) : std::string("null"); });
    same<py::bytes>(m, "bytes");
    same<std::vector<int64_t>>(m, "ints");
    same<std::vector<double>>(m, "doubles");
    same<std::vector<std::string>>(m, "strings");
    same<std::vector<bool>>(m, "bools");
    same<std::vector<std::vector<int>>>(m, "nested");
    same<std::array<int, 3>>(m, "array");
    same<std::set<int>>(m, "set");
    same<std::map<std::string, double>>(m, "map");
    same<std::pair<int, std::string>>(m, "pair");
    same<std::tuple<int, double, std::string>>(m, "tuple_of");
    same<std::optional<int64_t>>(m, "optional_int");
    same<std::optional<std::string>>(m, "optional_string");
    same<std::optional<Tensor>>(m, "optional_tensor");
    same<std::variant<int64_t, double, std::string>>(m, "variant");
    same<py::object>(m, "object");
    same<py::list>(m, "list");
    same<py::dict>(m, "dict");
    same<py::tuple>(m, "tuple");
    same<py::str>(m, "str");
    same<py::int_>(m, "py_int");
    same<py::float_>(m, "py_float");
    same<py::function>(m, "function");
    same<Tensor>(m, "tensor");
    m.def("tensor_reference", [](const Tensor &x) { return x; });
    same<std::vector<Tensor>>(m, "tensors");
    m.def("sizes", [](at::IntArrayRef sizes) { return sizes.vec(); });
    same<at::ScalarType>(m, "dtype");
    same<at::Device>(m, "device");
    m.def("array_of_double", [](py::array_t<double, py::array::c_style | py::array::forcecast> x) { return x; });
    m.def("array_of_int", [](py::array_t<int> x) { return x; });
    m.def("call", [](const std::function<int(int)> &function) { return function(3); });
    m.def("noconvert", [](double x) { return x; }, py::arg("x").noconvert());
    m.def("not_none", [](const std::optional<Tensor> &x) { return x.has_value(); }, py::arg("x").none(false));

    m.def("over", [](int64_t) { return "int"; });
    m.def("over", [](double) { return "double"; });
    m.def("over", [](const std::string &) { return "string"; });
    m.def("over", [](const Tensor &) { return "tensor"; });
    m.def("over", [](const std::vector<Tensor> &) { return "tensors"; });
    m.def("over", [](py::object) { return "object"; });
    m.def("keywords", [](int a, double b, bool c) { return std::make_tuple(a, b, c); }, py::arg("a"), py::arg("b") = 1.5,
          py::kw_only(), py::arg("c") = true);
    m.def("all", [](py::args args, py::kwargs kwargs) { return py::make_tuple(args, kwargs); });
    m.def("some", [](int a, py::args args, py::kwargs kwargs) { return py::make_tuple(a, args, kwargs); });

    m.def("sum_all", &sum_all);
    m.def("elements", &elements);
    m.def("dispatched", &dispatched);
    m.def("facts", &facts);
#define UNARY(name) m.def("at_" #name, [](const Tensor &x) { return at::name(x); });
    UNARY(neg) UNARY(exp) UNARY(sigmoid) UNARY(relu) UNARY(abs) UNARY(sum) UNARY(mean) UNARY(argmax) UNARY(nonzero)
    UNARY(isnan) UNARY(sort) UNARY(unique_consecutive) UNARY(t) UNARY(zeros_like) UNARY(det) UNARY(trace) UNARY(max)
#define BINARY(name) m.def("at_" #name, [](const Tensor &x, const Tensor &y) { return at::name(x, y); });
    BINARY(add) BINARY(mul) BINARY(div) BINARY(matmul) BINARY(mm) BINARY(maximum) BINARY(eq) BINARY(bitwise_and) BINARY(dot)
    BINARY(outer) BINARY(logical_or) BINARY(atan2) BINARY(equal) BINARY(masked_select)
#define WITH_INT(name) m.def("at_" #name, [](const Tensor &x, int64_t n) { return at::name(x, n); });
    WITH_INT(unsqueeze) WITH_INT(squeeze) WITH_INT(softmax) WITH_INT(cumsum) WITH_INT(chunk) WITH_INT(flatten) WITH_INT(topk)
    WITH_INT(size)
    m.def("cat", [](const std::vector<Tensor> &list, int64_t dim) { return at::cat(list, dim); });
    m.def("stack", [](const std::vector<Tensor> &list) { return at::stack(list); });
    m.def("where", [](const Tensor &condition, const Tensor &x, const Tensor &y) { return at::where(condition, x, y); });
    m.def("slice", [](const Tensor &x, std::optional<int64_t> from, std::optional<int64_t> to, int64_t step) { return x.slice(0, from, to, step); });
    m.def("reshape", [](const Tensor &x, std::vector<int64_t> sizes) { return x.reshape(sizes); });
    m.def("sum_over", [](const Tensor &x, std::vector<int64_t> dims, bool keep, std::optional<at::ScalarType> type) { return x.sum(dims, keep, type); });
    m.def("to", [](const Tensor &x, at::ScalarType type) { return x.to(type); });
    m.def("index", [](const Tensor &x, const Tensor &y) { return x.index({y}); });
    m.def("item", [](const Tensor &x) { return x.item<double>(); });
    m.def("scalar", [](const Tensor &x, double number) { return x * number + 1 - x / 2; });
    m.def("in_place", [](Tensor x, const Tensor &y) { return x.add_(y); });
    m.def("zero", [](Tensor x) { return x.zero_(); });
    m.def("zeros", [](std::vector<int64_t> sizes, at::ScalarType type) { return torch::zeros(sizes, type); });
    m.def("gradient", [](const Tensor &x) { return torch::autograd::grad({(x * x).sum()}, {x})[0]; }, py::call_guard<py::gil_scoped_release>());
}
