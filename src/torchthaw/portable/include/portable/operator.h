// portable/operator.h: how a generated operator is called where its C++ name cannot be: by Python's torch.ops.aten.
#pragma once
#include <variant>

#include "tensor.h"

namespace torchthaw {

/// An argument of an operator; arrays are borrowed until the call is over.
class Value {
  public:
    using Alternatives =
        std::variant<std::monostate, const at::Tensor *, int64_t, double, bool, const at::Scalar *, at::IntArrayRef,
                     at::ArrayRef<double>, at::ArrayRef<bool>, at::TensorList, const c10::List<std::optional<at::Tensor>> *,
                     std::string_view, at::ScalarType, at::Device, at::Layout, at::MemoryFormat, const at::Generator *>;

    Value(std::nullopt_t) {}
    Value(const at::Tensor &tensor) : value_(&tensor) {}
    Value(const at::Scalar &number) : value_(&number) {}
    Value(int64_t number) : value_(number) {}
    Value(const c10::SymInt &number) : value_(number.expect_int()) {}
    Value(double number) : value_(number) {}
    Value(bool flag) : value_(flag) {}
    Value(at::IntArrayRef values) : value_(values) {}
    Value(at::ArrayRef<double> values) : value_(values) {}
    Value(at::ArrayRef<bool> values) : value_(values) {}
    template <size_t N>
    Value(const std::array<bool, N> &values) : value_(at::ArrayRef<bool>(values.data(), N)) {}
    Value(at::TensorList values) : value_(values) {}
    Value(const at::ITensorListRef &values) : value_(values.values()) {}
    Value(const c10::List<std::optional<at::Tensor>> &values) : value_(&values) {}
    Value(std::string_view text) : value_(text) {}
    Value(at::ScalarType type) : value_(type) {}
    Value(at::Device device) : value_(device) {}
    Value(at::Layout layout) : value_(layout) {}
    Value(at::MemoryFormat format) : value_(format) {}
    Value(const at::Generator &generator) {
        if (generator.defined()) value_ = &generator;
    }
    template <class T>
    Value(const std::optional<T> &given) {
        if (given) value_ = Value(*given).value_;
    }
    template <class T>
    Value(const c10::OptionalArrayRef<T> &given) {
        if (given) value_ = Value(given.value()).value_;
    }
    bool is_none() const { return std::holds_alternative<std::monostate>(value_); }
    const Alternatives &alternatives() const { return value_; }

  private:
    Alternatives value_;
};

/// Whether a generator is given, with which an operator cannot be called by its C++ name.
inline bool is_given(const at::Generator &generator) { return generator.defined(); }
inline bool is_given(const std::optional<at::Generator> &generator) { return generator && generator->defined(); }

/// A result of an operator.
using Result = std::variant<std::monostate, at::Tensor, std::vector<at::Tensor>, int64_t, double, bool, at::Scalar>;

/// An overload of PyTorch's schema; a static object for each place that calls it.
struct Operator {
    const char *name, *overload;
    size_t positional;     // arguments before the keyword-only ones
    const char *keywords;  // names of those, with a comma after each, and ! before it where there is no default
    const char *since;     // the oldest PyTorch that has it; "" for one that 2.4 has
    void *found = nullptr; // the callable of Python, once it was looked up
};

/// Calls it by Python, with the GIL taken meanwhile. kinds: a letter for each result that is read: T tensor, L tensors,
/// i integer, d double, b bool, s number; `-` for one that is an argument.
std::vector<Result> call_by_python(Operator &called, const Value *values, size_t count, const char *kinds);

template <class T>
constexpr char kind_of() {
    if constexpr (std::is_same_v<T, at::Tensor>) return 'T';
    else if constexpr (std::is_same_v<T, std::vector<at::Tensor>>) return 'L';
    else if constexpr (std::is_same_v<T, bool>) return 'b';
    else if constexpr (std::is_same_v<T, double>) return 'd';
    else if constexpr (std::is_same_v<T, at::Scalar>) return 's';
    else return 'i';
}

template <class T>
T take(Result &result) {
    if constexpr (std::is_same_v<T, c10::SymInt>) return std::get<int64_t>(result);
    else if constexpr (std::is_enum_v<T>) return static_cast<T>(std::get<int64_t>(result));
    else return std::get<T>(std::move(result));
}

template <class T>
struct Returned {
    static T call(Operator &called, std::initializer_list<Value> values) {
        const char kinds[] = {kind_of<T>(), 0};
        return take<T>(call_by_python(called, values.begin(), values.size(), kinds)[0]);
    }
};
template <>
struct Returned<void> {
    static void call(Operator &called, std::initializer_list<Value> values) {
        call_by_python(called, values.begin(), values.size(), "");
    }
};
template <class... T>
struct Returned<std::tuple<T...>> {
    static std::tuple<T...> call(Operator &called, std::initializer_list<Value> values) {
        const char kinds[] = {kind_of<T>()..., 0};
        auto results = call_by_python(called, values.begin(), values.size(), kinds);
        return take_all(results, std::index_sequence_for<T...>());
    }
    template <size_t... I>
    static std::tuple<T...> take_all(std::vector<Result> &results, std::index_sequence<I...>) {
        return {take<T>(results[I])...};
    }
};

/// Calls an operator that returns new values of type T.
template <class T>
T call(Operator &called, std::initializer_list<Value> values) {
    return Returned<T>::call(called, values);
}

}  // namespace torchthaw
