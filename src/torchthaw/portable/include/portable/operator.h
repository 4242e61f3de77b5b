// portable/operator.h: how a generated operator is called where its C++ name cannot be: by Python's torch.ops.aten.
#pragma once
#include "tensor.h"

namespace torchthaw {

/// An argument of an operator, borrowed until the call is over. std::variant takes a compiler long.
class Value {
  public:
    enum class Kind : uint8_t {
        None, Tensor, Int, Double, Bool, Scalar, Ints, Doubles, Bools, Tensors, OptionalTensors, Text, Type, Device, Layout, MemoryFormat, Generator,
    };

    Value(std::nullopt_t) {}
    Value(const at::Tensor &tensor) : Value(Kind::Tensor, &tensor) {}
    Value(const at::Scalar &number) : Value(Kind::Scalar, &number) {}
    Value(const int64_t &number) : Value(Kind::Int, &number) {}
    Value(const c10::SymInt &number) : Value(Kind::Int, &number) {}  // of the same bits
    Value(const double &number) : Value(Kind::Double, &number) {}
    Value(const bool &flag) : Value(Kind::Bool, &flag) {}
    Value(at::IntArrayRef values) : Value(Kind::Ints, values.data(), values.size()) {}
    Value(at::ArrayRef<double> values) : Value(Kind::Doubles, values.data(), values.size()) {}
    Value(at::ArrayRef<bool> values) : Value(Kind::Bools, values.data(), values.size()) {}
    template <size_t N>
    Value(const std::array<bool, N> &values) : Value(Kind::Bools, values.data(), N) {}
    Value(at::TensorList values) : Value(Kind::Tensors, values.data(), values.size()) {}
    Value(const at::ITensorListRef &values) : Value(values.values()) {}
    Value(const c10::List<std::optional<at::Tensor>> &values) : Value(Kind::OptionalTensors, &values) {}
    Value(std::string_view text) : Value(Kind::Text, text.data(), text.size()) {}
    Value(const at::ScalarType &type) : Value(Kind::Type, &type) {}
    Value(const at::Device &device) : Value(Kind::Device, &device) {}
    Value(const at::Layout &layout) : Value(Kind::Layout, &layout) {}
    Value(const at::MemoryFormat &format) : Value(Kind::MemoryFormat, &format) {}
    Value(const at::Generator &generator) : Value(generator.defined() ? Kind::Generator : Kind::None, &generator) {}
    template <class T>
    Value(const std::optional<T> &given) : Value(std::nullopt) {
        if (given) *this = Value(*given);
    }
    template <class T>
    Value(const c10::OptionalArrayRef<T> &given) : Value(std::nullopt) {
        if (given) *this = Value(given.value());
    }

    Kind kind() const { return kind_; }
    /// What it was made of, whose type its kind tells.
    template <class T>
    const T &as() const {
        return *static_cast<const T *>(data_);
    }
    template <class T>
    at::ArrayRef<T> array() const {
        return at::ArrayRef<T>(static_cast<const T *>(data_), size_);
    }

  private:
    Value(Kind kind, const void *data, size_t size = 0) : data_(data), size_(size), kind_(kind) {}
    const void *data_ = nullptr;
    size_t size_ = 0;
    Kind kind_ = Kind::None;
};

/// Whether a generator is given, with which an operator cannot be called by its C++ name.
inline bool is_given(const at::Generator &generator) { return generator.defined(); }
inline bool is_given(const std::optional<at::Generator> &generator) { return generator && generator->defined(); }

/// A result of an operator: the one of these that its kind names.
struct Result {
    at::Tensor tensor;
    std::vector<at::Tensor> tensors;
    int64_t integer = 0;  // also a bool
    double real = 0;
    at::Scalar number;
};

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
    if constexpr (std::is_same_v<T, at::Tensor>) return std::move(result.tensor);
    else if constexpr (std::is_same_v<T, std::vector<at::Tensor>>) return std::move(result.tensors);
    else if constexpr (std::is_same_v<T, double>) return result.real;
    else if constexpr (std::is_same_v<T, at::Scalar>) return result.number;
    else return static_cast<T>(result.integer);
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
