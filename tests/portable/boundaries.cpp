// tests/portable/boundaries.cpp: each way from Python into C++ and back, for exceptions of every kind, tensors of every kind, threads and
// forks; compiled by torchthaw and by PyTorch.
#include <torch/custom_class.h>
#include <torch/extension.h>
#include <torch/library.h>

#include <atomic>
#include <chrono>
#include <system_error>
#include <thread>

#define TEXT_(name) #name
#define TEXT(name) TEXT_(name)
#define LIBRARY(name, m) TORCH_LIBRARY(name, m)  // the macro in it is replaced first

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

namespace {

struct Own : std::runtime_error {
    using std::runtime_error::runtime_error;
};
struct Plain {};

const std::map<std::string, void (*)()> KINDS = {
    {"bad_alloc", [] { throw std::bad_alloc(); }},
    {"exception", [] { throw std::exception(); }},
    {"logic_error", [] { throw std::logic_error("text"); }},
    {"domain_error", [] { throw std::domain_error("text"); }},
    {"invalid_argument", [] { throw std::invalid_argument("text"); }},
    {"length_error", [] { throw std::length_error("text"); }},
    {"out_of_range", [] { throw std::out_of_range("text"); }},
    {"runtime_error", [] { throw std::runtime_error("text"); }},
    {"range_error", [] { throw std::range_error("text"); }},
    {"overflow_error", [] { throw std::overflow_error("text"); }},
    {"underflow_error", [] { throw std::underflow_error("text"); }},
    {"system_error", [] { throw std::system_error(std::make_error_code(std::errc::no_such_file_or_directory), "text"); }},
    {"bad_cast", [] { throw std::bad_cast(); }},
    {"bad_optional_access", [] { std::optional<int>().value(); }},
    {"own", [] { throw Own("text"); }},
    {"check", [] { TORCH_CHECK(false, "text"); }},
    {"check_index", [] { TORCH_CHECK_INDEX(false, "text"); }},
    {"check_value", [] { TORCH_CHECK_VALUE(false, "text"); }},
    {"check_type", [] { TORCH_CHECK_TYPE(false, "text"); }},
    {"check_linalg", [] { TORCH_CHECK_LINALG(false, "text"); }},
    {"check_not_implemented", [] { TORCH_CHECK_NOT_IMPLEMENTED(false, "text"); }},
    {"operator", [] { at::ones({2, 3}).mm(at::ones({2, 3})); }},
    {"operator_index", [] { at::ones({2, 3}).sum(7); }},
    {"key_error", [] { throw py::key_error("text"); }},
    {"stop_iteration", [] { throw py::stop_iteration("text"); }},
    {"python", [] {
         py::gil_scoped_acquire gil;
         PyErr_SetString(PyExc_LookupError, "text");
         throw py::error_already_set();
     }},
    {"number", [] { throw 5; }},
    {"text", [] { throw "text"; }},
    {"plain", [] { throw Plain(); }},
};

int64_t throws(const std::string &kind) {
    if (!kind.empty()) KINDS.at(kind)();
    return 0;
}
at::Tensor throws_beside(const at::Tensor &x, std::string kind) {
    throws(kind);
    return x;
}

// ---- ways into C++
struct Thing {
    explicit Thing(const std::string &kind) { throws(kind); }
    int64_t method(const std::string &kind) { return throws(kind); }
    int64_t get() const { return throws(kept); }
    void set(const std::string &kind) { throws(kept = kind); }
    std::string kept;
};
struct Word {
    std::string kind;
};
struct Box : torch::CustomClassHolder {
    explicit Box(std::string kind) { throws(kind); }
    int64_t method(std::string kind) { return throws(kind); }
};
struct Failing : torch::autograd::Function<Failing> {
    static at::Tensor forward(AutogradContext *context, at::Tensor x, std::string now, std::string later) {
        throws(now);
        context->saved_data["later"] = later;
        return x * 2;
    }
    static variable_list backward(AutogradContext *context, variable_list grads) {
        throws(context->saved_data["later"].toStringRef());
        return {grads[0] * 2, at::Tensor(), at::Tensor()};
    }
};
at::Tensor failing(at::Tensor x, std::string now, std::string later) { return Failing::apply(x, now, later); }
void in_parallel(const std::string &kind) {
    at::parallel_for(0, 100, 1, [&](int64_t begin, int64_t) {
        if (begin == 0) throws(kind);
    });
}

// ---- tensors of every kind
at::Tensor polynomial(at::Tensor x) { return x * x + 2 * x - x.sum(); }
at::Tensor raised(at::Tensor x) { return x.add_(1); }
double first(at::Tensor x) { return x.reshape({-1})[0].item<double>(); }
bool has_memory(at::Tensor x) { return x.data_ptr() != nullptr; }
std::tuple<std::vector<int64_t>, std::vector<int64_t>, bool> about(at::Tensor x) {
    return {x.sizes().vec(), x.strides().vec(), x.requires_grad()};
}
std::vector<at::Tensor> parts(std::vector<at::Tensor> list) { return {list[0], at::stack(list).sum(0)}; }

// ---- threads
double busy(at::Tensor x, int64_t rounds) {
    double sum = 0;
    for (int64_t i = 0; i < rounds; ++i) sum += polynomial(x).sum().item<double>();
    return sum;
}
std::atomic<int> inside{0};
std::atomic<bool> may_leave{false};
void stay() {
    ++inside;
    while (!may_leave) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    --inside;
}
struct Counter {
    int64_t count = 0;
    int64_t add(int64_t n) { return count += n; }
};

}  // namespace

namespace pybind11 {
namespace detail {
template <> struct type_caster<Word> {
    PYBIND11_TYPE_CASTER(Word, const_name("str"));
    bool load(handle source, bool) {
        if (!PyUnicode_Check(source.ptr())) return false;
        throws(value.kind = source.cast<std::string>());
        return true;
    }
    static handle cast(const Word &word, return_value_policy, handle) {
        throws(word.kind);
        return str("none").release();
    }
};
}  // namespace detail
}  // namespace pybind11

LIBRARY(TORCH_EXTENSION_NAME, m) {
    m.def("throws(Tensor x, str kind) -> Tensor", &throws_beside);
    m.def("throws_for_cpu(Tensor x, str kind) -> Tensor");
    m.impl("throws_for_cpu", torch::dispatch(c10::DispatchKey::CPU, TORCH_FN(throws_beside)));
    m.def("polynomial(Tensor x) -> Tensor", &polynomial);
    m.class_<Box>("Box").def(torch::init<std::string>()).def("method", &Box::method);
    if (const char *kind = std::getenv("BOUNDARIES_IN_LIBRARY")) throws(kind);
}

PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) {
#define DEF(name) m.def(#name, &name)
    DEF(throws); DEF(failing); DEF(in_parallel); DEF(polynomial); DEF(raised); DEF(first); DEF(has_memory); DEF(about); DEF(parts);
    m.def("throws_without_gil", &throws, py::call_guard<py::gil_scoped_release>());
    m.def("throws_in_callback", [](std::string kind, const py::function &call) { return call(kind); });
    m.def("to_word", [](const Word &) { return 0; });
    m.def("of_word", [](std::string kind) { return Word{kind}; });
    py::class_<Thing>(m, "Thing")
        .def(py::init<const std::string &>())
        .def("method", &Thing::method)
        .def_static("static_method", &throws)
        .def_property("value", &Thing::get, &Thing::set)
        .def("__repr__", [](Thing &self) { return std::to_string(self.get()); });
    m.def("busy", &busy, py::call_guard<py::gil_scoped_release>());
    m.def("stay", &stay, py::call_guard<py::gil_scoped_release>());
    m.def("is_inside", [] { return inside > 0; });
    m.def("leave", [] { may_leave = true; });
    py::class_<Counter>(m, "Counter").def(py::init<>()).def("add", &Counter::add).def_readonly("count", &Counter::count);
    m.def("count_of", [](const Counter &counter) { return counter.count; });
    m.def("count_of_any", [](const py::object &counter) { return counter.attr("add")(0).cast<int64_t>(); });
    if (const char *kind = std::getenv("BOUNDARIES_IN_MODULE")) throws(kind);
}
