// benchmarks/peers/autograd.cpp: three differentiable operators in C++ around C functions of my_lib.
//
// Each is a torch::autograd::Function, as PyTorch's guide on operators in C++ writes one: the Function is the kernel of the
// key Autograd, with and without gradients. Forward and backward check what C cannot see and call C: the same kernels as
// those of functions/. pybind11 gets the same functions, called without the interpreter's lock, as PyTorch calls operators.
#include <my_lib.h>
#include <torch/extension.h>

#include <tuple>

namespace {

using at::Tensor;
using torch::autograd::AutogradContext;
using torch::autograd::Function;
using torch::autograd::variable_list;

void check(int status) { TORCH_CHECK(status == 1, my_lib_last_error_message()); }

void check_shape(const char *name, const Tensor &x, at::IntArrayRef shape) {
  TORCH_CHECK(x.sizes() == shape, name, ": expected shape ", shape, ", got ", x.sizes());
}

// For C: row-major. const_data_ptr<float>() checks the dtype.
Tensor dense(const Tensor &x) {
  TORCH_CHECK(x.is_cpu(), "expected a tensor on the CPU, got one on ", x.device());
  return x.contiguous();
}

Tensor empty_of(const Tensor &like, at::IntArrayRef shape) { return at::empty(shape, like.options()); }

Tensor workspace_of(const Tensor &like, size_t size) {
  return at::empty({static_cast<int64_t>(size)}, like.options().dtype(at::kByte));
}

// -- mul_constant

Tensor multiply(const Tensor &input, double constant) {
  Tensor x = dense(input), output = at::empty_like(x);
  check(my_lib_mul_constant_forward(x.const_data_ptr<float>(), x.sizes().data(), x.dim(), constant,
                                    output.mutable_data_ptr<float>()));
  return output;
}

Tensor multiply_backward(const Tensor &grad_output, double constant) {
  Tensor grad = dense(grad_output), grad_input = at::empty_like(grad);
  check(my_lib_mul_constant_backward(grad.const_data_ptr<float>(), grad.sizes().data(), grad.dim(), constant,
                                     grad_input.mutable_data_ptr<float>()));
  return grad_input;
}

struct MulConstant : Function<MulConstant> {
  static Tensor forward(AutogradContext *ctx, const Tensor &input, double constant) {
    at::AutoDispatchBelowADInplaceOrView below;
    ctx->saved_data["constant"] = constant;
    return multiply(input, constant);
  }

  static variable_list backward(AutogradContext *ctx, variable_list grads) {
    return {multiply_backward(grads[0], ctx->saved_data["constant"].toDouble()), Tensor()};
  }
};

Tensor mul_constant(const Tensor &input, double constant) { return MulConstant::apply(input, constant); }

// -- add

Tensor sum(const Tensor &input1, const Tensor &input2) {
  Tensor x = dense(input1), y = dense(input2), output = at::empty_like(x);
  check(my_lib_add_forward(x.const_data_ptr<float>(), x.sizes().data(), x.dim(), y.const_data_ptr<float>(),
                           y.sizes().data(), y.dim(), output.mutable_data_ptr<float>()));
  return output;
}

struct Add : Function<Add> {
  static Tensor forward(AutogradContext *, const Tensor &input1, const Tensor &input2) {
    at::AutoDispatchBelowADInplaceOrView below;
    return sum(input1, input2);
  }

  static variable_list backward(AutogradContext *, variable_list grads) { return {grads[0], grads[0]}; }
};

Tensor add(const Tensor &input1, const Tensor &input2) { return Add::apply(input1, input2); }

// -- lltm

std::tuple<Tensor, Tensor, Tensor> step(const Tensor &input, const Tensor &weights, const Tensor &bias,
                                        const Tensor &old_h, const Tensor &old_cell) {
  TORCH_CHECK(input.dim() == 2 && old_h.dim() == 2, "expected input and old_h of two dimensions");
  const int64_t batch = input.size(0), input_size = input.size(1), state_size = old_h.size(1);
  check_shape("weights", weights, {3 * state_size, state_size + input_size});
  check_shape("bias", bias, {3 * state_size});
  check_shape("old_h", old_h, {batch, state_size});
  check_shape("old_cell", old_cell, {batch, state_size});
  Tensor x = dense(input), w = dense(weights), b = dense(bias), h = dense(old_h), c = dense(old_cell);
  Tensor new_h = empty_of(h, {batch, state_size}), new_cell = empty_of(h, {batch, state_size});
  Tensor gates = empty_of(h, {batch, 3 * state_size});
  const size_t size = lltm_forward_workspace_size(batch, input_size, state_size);
  Tensor workspace = workspace_of(h, size);
  check(lltm_forward(x.const_data_ptr<float>(), w.const_data_ptr<float>(), b.const_data_ptr<float>(),
                     h.const_data_ptr<float>(), c.const_data_ptr<float>(), batch, input_size, state_size,
                     new_h.mutable_data_ptr<float>(), new_cell.mutable_data_ptr<float>(),
                     gates.mutable_data_ptr<float>(), workspace.mutable_data_ptr(), size));
  return {new_h, new_cell, gates};
}

struct Lltm : Function<Lltm> {
  static variable_list forward(AutogradContext *ctx, const Tensor &input, const Tensor &weights, const Tensor &bias,
                               const Tensor &old_h, const Tensor &old_cell) {
    at::AutoDispatchBelowADInplaceOrView below;
    auto [new_h, new_cell, gates] = step(input, weights, bias, old_h, old_cell);
    ctx->save_for_backward({input, weights, old_h, new_cell, gates});
    return {new_h, new_cell};
  }

  static variable_list backward(AutogradContext *ctx, variable_list grads) {
    const variable_list saved = ctx->get_saved_variables();
    Tensor x = dense(saved[0]), w = dense(saved[1]), h = dense(saved[2]), new_cell = saved[3], gates = saved[4];
    const int64_t batch = x.size(0), input_size = x.size(1), state_size = h.size(1);
    Tensor grad_h = dense(grads[0]), grad_cell = dense(grads[1]);
    check_shape("grad_h", grad_h, h.sizes());
    check_shape("grad_cell", grad_cell, h.sizes());
    const Tensor found[] = {at::empty_like(x), at::empty_like(w), empty_of(h, {3 * state_size}), at::empty_like(h),
                            at::empty_like(h)};
    float *wanted[5];  // NULL for a gradient that nobody needs
    for (int i = 0; i < 5; ++i) wanted[i] = ctx->needs_input_grad(i) ? found[i].mutable_data_ptr<float>() : nullptr;
    const size_t size = lltm_backward_workspace_size(batch, input_size, state_size);
    Tensor workspace = workspace_of(h, size);
    check(lltm_backward(grad_h.const_data_ptr<float>(), grad_cell.const_data_ptr<float>(),
                        new_cell.const_data_ptr<float>(), gates.const_data_ptr<float>(), x.const_data_ptr<float>(),
                        h.const_data_ptr<float>(), w.const_data_ptr<float>(), batch, input_size, state_size, wanted[0],
                        wanted[1], wanted[2], wanted[3], wanted[4], workspace.mutable_data_ptr(), size));
    return {found[0], found[1], found[2], found[3], found[4]};
  }
};

std::tuple<Tensor, Tensor> lltm(const Tensor &input, const Tensor &weights, const Tensor &bias, const Tensor &old_h,
                                const Tensor &old_cell) {
  variable_list results = Lltm::apply(input, weights, bias, old_h, old_cell);
  return {results[0], results[1]};
}

std::tuple<Tensor, Tensor> lltm_without_grad(const Tensor &input, const Tensor &weights, const Tensor &bias,
                                             const Tensor &old_h, const Tensor &old_cell) {
  auto [new_h, new_cell, gates] = step(input, weights, bias, old_h, old_cell);
  return {new_h, new_cell};
}

}  // namespace

TORCH_LIBRARY(benchmarks_autograd, m) {
  m.def("mul_constant(Tensor input, float constant) -> Tensor");
  m.def("add(Tensor input1, Tensor input2) -> Tensor");
  m.def("lltm(Tensor input, Tensor weights, Tensor bias, Tensor old_h, Tensor old_cell) -> (Tensor, Tensor)");
}

TORCH_LIBRARY_IMPL(benchmarks_autograd, CPU, m) {
  m.impl("mul_constant", &multiply);
  m.impl("add", &sum);
  m.impl("lltm", &lltm_without_grad);
}

TORCH_LIBRARY_IMPL(benchmarks_autograd, Autograd, m) {
  m.impl("mul_constant", &mul_constant);
  m.impl("add", &add);
  m.impl("lltm", &lltm);
}

PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) {
  using unlocked = pybind11::call_guard<pybind11::gil_scoped_release>;
  m.def("mul_constant", &mul_constant, unlocked());
  m.def("add", &add, unlocked());
  m.def("lltm", &lltm, unlocked());
}
