// portable/value.h: c10::IValue as AutogradContext::saved_data has it: a value of any type that an operator takes.
#pragma once
#include "operator.h"

namespace c10 {

class IValue {
  public:
    IValue() = default;
    IValue(std::nullopt_t) {}
    IValue(at::Tensor value) : value_(std::move(value)) {}
    IValue(int64_t value) : value_(value) {}
    IValue(int32_t value) : value_(int64_t(value)) {}
    IValue(size_t value) : value_(int64_t(value)) {}
    IValue(double value) : value_(value) {}
    IValue(float value) : value_(double(value)) {}
    IValue(bool value) : value_(value) {}
    IValue(const char *value) : value_(std::string(value)) {}
    IValue(std::string value) : value_(std::move(value)) {}
    IValue(const Scalar &value) : value_(value) {}
    IValue(ScalarType value) : value_(int64_t(value)) {}
    IValue(Device value) : value_(value) {}
    IValue(IntArrayRef values) : value_(values.vec()) {}
    IValue(std::vector<int64_t> values) : value_(std::move(values)) {}
    IValue(std::vector<double> values) : value_(std::move(values)) {}
    IValue(std::vector<bool> values) : value_(std::move(values)) {}
    IValue(std::vector<at::Tensor> values) : value_(std::move(values)) {}
    template <class T, std::enable_if_t<std::is_constructible_v<IValue, T>, int> = 0>
    IValue(const std::optional<T> &value) {
        if (value) *this = IValue(*value);
    }

    bool isNone() const { return is<std::monostate>(); }
    bool isTensor() const { return is<at::Tensor>(); }
    bool isInt() const { return is<int64_t>(); }
    bool isDouble() const { return is<double>(); }
    bool isBool() const { return is<bool>(); }
    bool isString() const { return is<std::string>(); }
    bool isScalar() const { return is<Scalar>() || isInt() || isDouble() || isBool(); }
    bool isDevice() const { return is<Device>(); }
    bool isIntList() const { return is<std::vector<int64_t>>(); }
    bool isDoubleList() const { return is<std::vector<double>>(); }
    bool isBoolList() const { return is<std::vector<bool>>(); }
    bool isTensorList() const { return is<std::vector<at::Tensor>>(); }

    // Each throws c10::Error for a value of another type.
    const at::Tensor &toTensor() const { return get<at::Tensor>("Tensor"); }
    int64_t toInt() const { return get<int64_t>("Int"); }
    double toDouble() const { return get<double>("Double"); }
    bool toBool() const { return get<bool>("Bool"); }
    const std::string &toStringRef() const { return get<std::string>("String"); }
    std::string_view toStringView() const { return toStringRef(); }
    ScalarType toScalarType() const { return ScalarType(toInt()); }
    Device toDevice() const { return get<Device>("Device"); }
    std::vector<int64_t> toIntVector() const { return get<std::vector<int64_t>>("IntList"); }
    std::vector<double> toDoubleVector() const { return get<std::vector<double>>("DoubleList"); }
    std::vector<at::Tensor> toTensorVector() const { return get<std::vector<at::Tensor>>("TensorList"); }
    List<int64_t> toIntList() const { return List<int64_t>(toIntVector()); }
    List<double> toDoubleList() const { return List<double>(toDoubleVector()); }
    List<bool> toBoolList() const { return List<bool>(get<std::vector<bool>>("BoolList")); }
    List<at::Tensor> toTensorList() const { return List<at::Tensor>(toTensorVector()); }
    Scalar toScalar() const {
        if (isInt()) return toInt();
        if (isDouble()) return toDouble();
        if (isBool()) return toBool();
        return get<Scalar>("Scalar");
    }
    template <class T>
    T to() const {
        if constexpr (std::is_same_v<T, bool>) return toBool();
        else if constexpr (std::is_integral_v<T>) return static_cast<T>(toInt());
        else if constexpr (std::is_floating_point_v<T>) return static_cast<T>(toDouble());
        else return get<T>("the type asked for");
    }
    template <class T>
    std::optional<T> toOptional() const {
        return isNone() ? std::nullopt : std::optional<T>(to<T>());
    }
    const char *tagKind() const {
        static const char *const names[] = {"None", "Tensor", "Int", "Double", "Bool", "String", "Scalar", "Device",
                                            "IntList", "DoubleList", "BoolList", "TensorList"};
        return names[value_.index()];
    }

  private:
    template <class T>
    bool is() const {
        return std::holds_alternative<T>(value_);
    }
    template <class T>
    const T &get(const char *wanted) const {
        const T *found = std::get_if<T>(&value_);
        TORCH_CHECK(found, "Expected ", wanted, " but got ", tagKind());
        return *found;
    }
    std::variant<std::monostate, at::Tensor, int64_t, double, bool, std::string, Scalar, Device, std::vector<int64_t>,
                 std::vector<double>, std::vector<bool>, std::vector<at::Tensor>>
        value_;
};

}  // namespace c10

namespace torch {
using c10::IValue;
namespace jit {
using c10::IValue;
}
}  // namespace torch
