// portable/autograd.h: torch::autograd::Function, over a torch.autograd.Function of Python that is made at run time.
#pragma once
#include "tensors.h"
#include "value.h"

namespace torch {
namespace autograd {

using Variable = at::Tensor;
using variable_list = std::vector<at::Tensor>;
using tensor_list = std::vector<at::Tensor>;

/// A half-open range of forward's tensors, for needs_input_grad.
using IndexRange = std::pair<size_t, size_t>;

/// What forward leaves for backward.
class AutogradContext {
  public:
    AutogradContext() = default;
    AutogradContext(const AutogradContext &) = delete;
    AutogradContext &operator=(const AutogradContext &) = delete;

    std::unordered_map<std::string, c10::IValue> saved_data;
    /// Inputs or outputs of forward that backward reads; get_saved_variables() gives them there.
    void save_for_backward(variable_list tensors);
    variable_list get_saved_variables() const;
    /// Inputs that forward changes in place.
    void mark_dirty(const variable_list &inputs);
    /// Outputs that have no gradient.
    void mark_non_differentiable(const variable_list &outputs);
    /// Whether a missing grad_output is given to backward as zeros (the default) or as an undefined tensor.
    void set_materialize_grads(bool value);
    /// Whether the gradient of forward's tensor of this number is needed; arguments that are no tensors do not count.
    bool needs_input_grad(size_t tensor) const;
    bool needs_input_grad(std::initializer_list<IndexRange> ranges) const;

    // For the runtime. The ctx of Python while forward or backward runs with a graph, else null.
    void *python = nullptr;
    std::vector<bool> is_tensor;  // for each argument of forward, with those of lists
    variable_list kept;           // what save_for_backward got without a graph
};

}  // namespace autograd
}  // namespace torch

namespace torchthaw {

/// One subclass of Function.
struct FunctionClass {
    const char *name;  // mangled
    torch::autograd::variable_list (*backward)(torch::autograd::AutogradContext *, torch::autograd::variable_list);
    void *type = nullptr, *apply = nullptr;  // of Python, once they are made
};

/// One call of forward.
struct ForwardCall {
    void (*run)(ForwardCall &call, torch::autograd::AutogradContext *context);
    void *arguments;
    std::vector<const at::Tensor *> tensors;  // of each argument; null for one that is no tensor
    torch::autograd::variable_list results;
    bool is_single = false;  // one tensor, not a list
    std::exception_ptr error = nullptr;
};

/// Whether gradients are on and one of the tensors needs one. c10::Error inside functorch's transforms.
bool must_record(const std::vector<const at::Tensor *> &tensors);
void apply_in_python(FunctionClass &function, ForwardCall &call);

// As in PyTorch, each tensor of an ArrayRef is an argument; a std::vector is one argument that is no tensor.
using Tensors = std::vector<const at::Tensor *>;
inline void add_argument(Tensors &to, const at::Tensor &tensor) { to.push_back(&tensor); }
inline void add_argument(Tensors &to, const std::optional<at::Tensor> &tensor) { to.push_back(tensor ? &*tensor : nullptr); }
inline void add_argument(Tensors &to, at::TensorList list) {
    for (const at::Tensor &tensor : list) to.push_back(&tensor);
}
template <class T>
void add_argument(Tensors &to, const T &) {
    to.push_back(nullptr);
}

}  // namespace torchthaw

namespace torch {
namespace autograd {

/// A function with a gradient of its own: T has static forward(AutogradContext *, arguments…), which returns a tensor or a
/// variable_list, and static backward(AutogradContext *, variable_list grad_outputs), which returns a gradient for each
/// argument of forward, an undefined tensor for one that has none.
template <class T>
struct Function {
    template <class X = T, class... Arguments>
    static auto apply(Arguments &&...arguments) {
        using Result = std::decay_t<decltype(X::forward(nullptr, std::forward<Arguments>(arguments)...))>;
        torchthaw::ForwardCall call;
        (torchthaw::add_argument(call.tensors, arguments), ...);
        if (!torchthaw::must_record(call.tensors)) {
            AutogradContext context;
            for (const at::Tensor *tensor : call.tensors) context.is_tensor.push_back(tensor != nullptr);
            at::NoGradGuard no_gradients;
            return Result(X::forward(&context, std::forward<Arguments>(arguments)...));
        }
        static torchthaw::FunctionClass function{
            typeid(X).name(), [](AutogradContext *context, variable_list grad_outputs) {
                return as_list(X::backward(context, std::move(grad_outputs)));
            }};
        auto tied = std::forward_as_tuple(std::forward<Arguments>(arguments)...);
        using Tied = decltype(tied);
        call.arguments = &tied;
        call.is_single = std::is_same_v<Result, at::Tensor>;
        call.run = [](torchthaw::ForwardCall &call, AutogradContext *context) {
            std::apply(
                [&](auto &&...each) {
                    call.results = as_list(X::forward(context, std::forward<decltype(each)>(each)...));
                },
                std::move(*static_cast<Tied *>(call.arguments)));
        };
        torchthaw::apply_in_python(function, call);
        if constexpr (std::is_same_v<Result, at::Tensor>) return Result(std::move(call.results[0]));
        else return Result(std::move(call.results));
    }

  private:
    static variable_list as_list(variable_list list) { return list; }
    static variable_list as_list(at::Tensor tensor) { return {std::move(tensor)}; }
};

/// Tells autograd that a tensor was changed in place.
void increment_version(const at::Tensor &tensor);
inline bool any_variable_requires_grad(const variable_list &tensors) {
    return std::any_of(tensors.begin(), tensors.end(), [](const at::Tensor &tensor) { return tensor.requires_grad(); });
}

/// As torch.autograd.grad and torch.autograd.backward of Python.
variable_list grad(const variable_list &outputs, const variable_list &inputs, const variable_list &grad_outputs = {},
                   std::optional<bool> retain_graph = {}, bool create_graph = false, bool allow_unused = false);
void backward(const variable_list &tensors, const variable_list &grad_tensors = {}, std::optional<bool> retain_graph = {},
              bool create_graph = false, const variable_list &inputs = {});

}  // namespace autograd
using autograd::Variable;
}  // namespace torch
