// tests/portable/functions.cpp: torch::autograd::Function; compiled by torchthaw and by PyTorch.
#include <torch/extension.h>

using torch::autograd::AutogradContext;
using torch::autograd::Function;
using torch::autograd::variable_list;

namespace {

struct Scaled : Function<Scaled> {
    static at::Tensor forward(AutogradContext *context, at::Tensor x, double factor, std::optional<at::Tensor> bias) {
        context->save_for_backward({x});
        context->saved_data["factor"] = factor;
        context->saved_data["has_bias"] = bias.has_value();
        auto y = x * x * factor;
        return bias ? y + *bias : y;
    }
    static variable_list backward(AutogradContext *context, variable_list grad_outputs) {
        auto x = context->get_saved_variables()[0];
        const double factor = context->saved_data["factor"].toDouble();
        auto bias = context->saved_data["has_bias"].toBool() ? grad_outputs[0] : at::Tensor();
        return {2 * factor * x * grad_outputs[0], at::Tensor(), bias};
    }
};

struct Several : Function<Several> {
    static variable_list forward(AutogradContext *context, at::TensorList list, int64_t n) {
        context->saved_data["n"] = n;
        context->set_materialize_grads(false);
        auto order = list[0].argsort();
        context->mark_non_differentiable({order});
        return {list[0] * n, list[1] * (n + 1), order};
    }
    static variable_list backward(AutogradContext *context, variable_list grad_outputs) {
        const int64_t n = context->saved_data["n"].toInt();
        auto times = [](at::Tensor grad, int64_t n) { return grad.defined() ? grad * n : at::Tensor(); };
        return {context->needs_input_grad(0) ? times(grad_outputs[0], n) : at::Tensor(),
                context->needs_input_grad(1) ? times(grad_outputs[1], n + 1) : at::Tensor(), at::Tensor()};
    }
};

struct InPlace : Function<InPlace> {
    static at::Tensor forward(AutogradContext *context, at::Tensor x) {
        x.mul_(3);
        context->mark_dirty({x});
        return x;
    }
    static variable_list backward(AutogradContext *, variable_list grad_outputs) { return {grad_outputs[0] * 3}; }
};

struct Failing : Function<Failing> {
    static at::Tensor forward(AutogradContext *, at::Tensor x, bool now) {
        if (now) throw std::out_of_range("in forward");
        return x.clone();
    }
    static variable_list backward(AutogradContext *, variable_list) { TORCH_CHECK_VALUE(false, "in backward"); }
};

struct Wrong : Function<Wrong> {
    static at::Tensor forward(AutogradContext *, at::Tensor x, at::Tensor y) { return x + y; }
    static variable_list backward(AutogradContext *, variable_list grad_outputs) { return grad_outputs; }
};

at::Tensor scaled(at::Tensor x, double factor, std::optional<at::Tensor> bias) { return Scaled::apply(x, factor, bias); }
variable_list several(at::Tensor a, at::Tensor b, int64_t n) { 
    const variable_list list{a, b};
    return Several::apply(at::TensorList(list), n);
}
struct OfVector : Function<OfVector> {
    static at::Tensor forward(AutogradContext *, variable_list list, at::Tensor x) { return list[0] * x; }
    static variable_list backward(AutogradContext *, variable_list grad_outputs) { return {at::Tensor(), grad_outputs[0] * 2}; }
};
at::Tensor of_vector(at::Tensor a, at::Tensor x) { return OfVector::apply(variable_list{a}, x); }
at::Tensor in_place(at::Tensor x) { return InPlace::apply(x); }
at::Tensor failing(at::Tensor x, bool now) { return Failing::apply(x, now); }
at::Tensor wrong(at::Tensor x, at::Tensor y) { return Wrong::apply(x, y); }
variable_list grad_of_sum(at::Tensor x) {
    auto y = Scaled::apply(x, 1.5, std::nullopt);
    return torch::autograd::grad({y.sum()}, {x}, {}, std::nullopt, true);
}

}  // namespace

PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) {
    m.def("scaled", &scaled, py::arg("x"), py::arg("factor") = 2.0, py::arg("bias") = py::none());
    m.def("several", &several);
    m.def("of_vector", &of_vector);
    m.def("in_place", &in_place);
    m.def("failing", &failing);
    m.def("wrong", &wrong);
    m.def("grad_of_sum", &grad_of_sum);
}
