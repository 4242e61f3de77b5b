// portable/dispatcher.h: c10::Dispatcher: operators of torch.ops by their names.
#pragma once
#include "portable/library.h"

namespace torchthaw {

/// torch.ops.NAMESPACE.NAME.OVERLOAD, looked up once.
struct NamedOperator {
    std::string name, overload;  // "ns::name"
    PyObject *callable;          // kept until the process ends
    std::vector<std::string> keyword_only;
    size_t positional;
};
/// Null where there is none.
const NamedOperator *find_operator(const std::string &name, const std::string &overload);
/// Needs the GIL. Throws what Python raises.
pybind11::object call_operator(const NamedOperator &called, std::vector<pybind11::object> arguments);

/// Of a call with these arguments, the first tensor that is changed, which the operator returns.
inline at::Tensor &changed_tensor() { fail("Dispatcher: expected a tensor among the arguments of an operator that returns Tensor &"); }
template <class... More>
at::Tensor &changed_tensor(at::Tensor &tensor, More &&...) {
    return tensor;
}
template <class First, class... More>
at::Tensor &changed_tensor(First &&, More &&...more) {
    return changed_tensor(std::forward<More>(more)...);
}

}  // namespace torchthaw

namespace c10 {

struct OperatorName {
    std::string name, overload_name;
    OperatorName(std::string name, std::string overload_name) : name(std::move(name)), overload_name(std::move(overload_name)) {}
};
inline std::ostream &operator<<(std::ostream &out, const OperatorName &operator_name) {
    return out << operator_name.name << (operator_name.overload_name.empty() ? "" : ".") << operator_name.overload_name;
}

template <class Signature> class TypedOperatorHandle;

class OperatorHandle {
  public:
    explicit OperatorHandle(const torchthaw::NamedOperator *found) : found_(found) {}
    OperatorName operator_name() const { return {found_->name, found_->overload}; }
    template <class Signature> TypedOperatorHandle<Signature> typed() const { return TypedOperatorHandle<Signature>(found_); }
    /// Takes as many values as the schema has off the stack, and puts the results there.
    void callBoxed(torch::jit::Stack &stack) const;
    void callBoxed(torch::jit::Stack *stack) const { callBoxed(*stack); }

  protected:
    const torchthaw::NamedOperator *found_;
};

/// Arguments are converted as those of a bound function; one that does not fit the schema is PyTorch's error.
template <class R, class... A> class TypedOperatorHandle<R(A...)> : public OperatorHandle {
  public:
    using OperatorHandle::OperatorHandle;
    R call(A... arguments) const {
        using pybind11::object;
        pybind11::gil_scoped_acquire gil;
        object result = torchthaw::call_operator(*found_, {pybind11::cast(arguments)...});
        if constexpr (std::is_same_v<R, at::Tensor &>) return torchthaw::changed_tensor(arguments...);
        else if constexpr (!std::is_void_v<R>) return result.template cast<std::decay_t<R>>();
    }
};

class Dispatcher {
  public:
    static Dispatcher &singleton() {
        static Dispatcher one;
        return one;
    }
    /// "ns::name" and "" or an overload. c10::Error where there is no such operator.
    OperatorHandle findSchemaOrThrow(const char *name, const char *overload) const;
    std::optional<OperatorHandle> findSchema(const OperatorName &name) const;
    std::optional<OperatorHandle> findOp(const OperatorName &name) const { return findSchema(name); }
};

}  // namespace c10

namespace torch {
using c10::Dispatcher;
}
