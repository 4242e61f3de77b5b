// benchmarks/portable/sample.cpp: calls, operators, gradients and a kernel; built as a portable extension and by PyTorch.
#include <torch/extension.h>

#include <chrono>

namespace {

int64_t reads(const at::Tensor &x) { return x.dim(); }
at::Tensor returns(at::Tensor x) { return x; }
std::vector<at::Tensor> five(at::Tensor a, at::Tensor b, at::Tensor c, at::Tensor, at::Tensor) { return {a, b, c}; }

/// The least time of a call in nanoseconds, of 15 rounds.
template <class F>
double least(F call, int n) {
    double best = 1e18;
    for (int round = 0; round < 15; ++round) {
        const auto start = std::chrono::steady_clock::now();
        for (int i = 0; i < n; ++i) call();
        best = std::min(best, std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now() - start).count() / n);
    }
    return best;
}

/// Operators on 2 × 3 elements, and one step of an LLTM.
std::map<std::string, double> operators() {
    at::NoGradGuard no_gradients;
    const auto a = at::rand({2, 3}), b = at::rand({2, 3}), weights = at::rand({9, 5}), bias = at::rand({1, 9});
    const auto step = [&] {
        auto gates = at::addmm(bias, at::cat({a, b.narrow(1, 0, 2)}, 1), weights.transpose(0, 1)).chunk(3, 1);
        auto cell = b + at::tanh(gates[2]) * at::sigmoid(gates[0]);
        return at::tanh(cell) * at::sigmoid(gates[1]);
    };
    return {
        {"a + b", least([&] { a + b; }, 3000)},
        {"sigmoid", least([&] { at::sigmoid(a); }, 3000)},
        {"empty", least([&] { at::empty({2, 3}, a.options()); }, 3000)},
        {"sum", least([&] { a.sum(1); }, 3000)},
        {"cat", least([&] { at::cat({a, b}, 0); }, 3000)},
        {"LLTM step", least(step, 500)},
    };
}

struct Square : torch::autograd::Function<Square> {
    static at::Tensor forward(torch::autograd::AutogradContext *context, at::Tensor x) {
        context->save_for_backward({x});
        return x * x;
    }
    static torch::autograd::variable_list backward(torch::autograd::AutogradContext *context, torch::autograd::variable_list grad_outputs) {
        return {2 * context->get_saved_variables()[0] * grad_outputs[0]};
    }
};
at::Tensor square(at::Tensor x) { return Square::apply(x); }

struct Counter {
    int64_t value;
    explicit Counter(int64_t value) : value(value) {}
    int64_t add(int64_t n) { return value += n; }
};

}  // namespace

TORCH_LIBRARY(portable_benchmark, m) { m.def("twice(Tensor x) -> Tensor"); }
TORCH_LIBRARY_IMPL(portable_benchmark, CPU, m) {
    m.impl("twice", [](const at::Tensor &x) { return x * 2; });
}

PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) {
    m.def("reads", &reads);
    m.def("returns", &returns);
    m.def("five", &five);
    m.def("operators", &operators);
    m.def("square", &square);
    py::class_<Counter>(m, "Counter").def(py::init<int64_t>()).def("add", &Counter::add).def_readwrite("value", &Counter::value);
}
