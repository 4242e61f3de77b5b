// portable/value.h: c10::IValue, a value of any type that an operator takes, and tuples of these.
#pragma once
#include "core/intrusive.h"
#include "operator.h"

namespace c10 {

class IValue;
namespace ivalue {
class Tuple;
}

namespace impl {
using GenericList = List<IValue>;
using GenericDict = Dict<IValue, IValue>;
}  // namespace impl
}  // namespace c10

// Keys of a Dict: texts, numbers, bools and tensors, as in PyTorch; c10::Error for others.
template <>
struct std::hash<c10::IValue> {
    size_t operator()(const c10::IValue &value) const;
};

namespace c10 {

class IValue {
  public:
    IValue() = default;
    IValue(std::nullopt_t) {}
    IValue(at::Tensor value) : kind_(Kind::Tensor), tensor_(std::move(value)) {}
    template <class T, std::enable_if_t<std::is_arithmetic_v<T>, int> = 0>
    IValue(T value) : kind_(std::is_same_v<T, bool> ? Kind::Bool : std::is_integral_v<T> ? Kind::Int : Kind::Double) {
        if constexpr (std::is_integral_v<T>) number_ = Scalar(static_cast<int64_t>(value));
        else number_ = Scalar(static_cast<double>(value));
    }
    IValue(SymInt value) : IValue(value.expect_int()) {}
    IValue(const char *value) : IValue(std::string(value)) {}
    IValue(std::string value) : kind_(Kind::String), object_(make_intrusive<Box<std::string>>(std::move(value))) {}
    IValue(std::string_view value) : IValue(std::string(value)) {}
    IValue(const Scalar &value) : kind_(Kind::Scalar), number_(value) {}
    IValue(c10::complex<double> value) : IValue(Scalar(value)) {}
    IValue(ScalarType value) : IValue(int64_t(value)) {}
    IValue(Device value) : kind_(Kind::Device), device_(value) {}
    template <class T>
    IValue(ArrayRef<T> values) : IValue(List<T>(values)) {}
    template <class T>
    IValue(std::vector<T> values) : IValue(List<T>(std::move(values))) {}
    template <class T, size_t N>
    IValue(const std::array<T, N> &values) : IValue(std::vector<T>(values.begin(), values.end())) {}
    /// The same list for int64_t, double, bool and Tensor; else a new one, of IValues.
    template <class T>
    IValue(List<T> list) {
        if constexpr (kind_of_list<T>() != Kind::None) {
            kind_ = kind_of_list<T>();
            object_ = make_intrusive<Box<List<T>>>(std::move(list));
        } else {
            impl::GenericList values;
            for (const T &each : list) values.push_back(IValue(each));
            *this = std::move(values);
        }
    }
    template <class Key, class Value>
    IValue(const Dict<Key, Value> &dict) {
        if constexpr (std::is_same_v<Key, IValue> && std::is_same_v<Value, IValue>) {
            kind_ = Kind::GenericDict;
            object_ = make_intrusive<Box<impl::GenericDict>>(dict);
        } else {
            impl::GenericDict values;
            for (const auto &entry : dict) values.insert(IValue(entry.key()), IValue(entry.value()));
            *this = values;
        }
    }
    template <class Value>
    IValue(const std::unordered_map<std::string, Value> &map) {
        impl::GenericDict values;
        for (const auto &[key, value] : map) values.insert(IValue(key), IValue(value));
        *this = values;
    }
    template <class... T>
    IValue(const std::tuple<T...> &tuple);
    IValue(intrusive_ptr<ivalue::Tuple> tuple);
    /// An object of a class of torch::class_.
    template <class T, std::enable_if_t<std::is_base_of_v<torch::CustomClassHolder, T>, int> = 0>
    IValue(intrusive_ptr<T> object) : kind_(Kind::CustomClass), object_(std::move(object)) {}
    template <class T, std::enable_if_t<std::is_constructible_v<IValue, T>, int> = 0>
    IValue(const std::optional<T> &value) {
        if (value) *this = IValue(*value);
    }

    bool isNone() const { return kind_ == Kind::None; }
    bool isTensor() const { return kind_ == Kind::Tensor; }
    bool isInt() const { return kind_ == Kind::Int; }
    bool isDouble() const { return kind_ == Kind::Double; }
    bool isComplexDouble() const { return kind_ == Kind::Scalar && number_.isComplex(); }
    bool isBool() const { return kind_ == Kind::Bool; }
    bool isString() const { return kind_ == Kind::String; }
    bool isScalar() const { return kind_ == Kind::Scalar || isInt() || isDouble() || isBool(); }
    bool isDevice() const { return kind_ == Kind::Device; }
    bool isIntList() const { return kind_ == Kind::IntList; }
    bool isDoubleList() const { return kind_ == Kind::DoubleList; }
    bool isBoolList() const { return kind_ == Kind::BoolList; }
    bool isTensorList() const { return kind_ == Kind::TensorList; }
    bool isList() const { return kind_ == Kind::GenericList || isIntList() || isDoubleList() || isBoolList() || isTensorList(); }
    bool isTuple() const { return kind_ == Kind::Tuple; }
    bool isGenericDict() const { return kind_ == Kind::GenericDict; }
    bool isCustomClass() const { return kind_ == Kind::CustomClass; }
    bool isObject() const { return isCustomClass(); }

    // Each throws c10::Error for a value of another type.
    const at::Tensor &toTensor() const { return require(Kind::Tensor).tensor_; }
    int64_t toInt() const { return require(Kind::Int).number_.toLong(); }
    SymInt toSymInt() const { return toInt(); }
    double toDouble() const { return require(Kind::Double).number_.toDouble(); }
    c10::complex<double> toComplexDouble() const { return require(Kind::Scalar).number_.toComplexDouble(); }
    bool toBool() const { return require(Kind::Bool).number_.toLong() != 0; }
    const std::string &toStringRef() const { return content<std::string>(Kind::String); }
    std::string_view toStringView() const { return toStringRef(); }
    ScalarType toScalarType() const { return ScalarType(toInt()); }
    Device toDevice() const { return require(Kind::Device).device_; }
    std::vector<int64_t> toIntVector() const { return toIntList().vec(); }
    std::vector<int64_t> toDimVector() const { return toIntVector(); }
    std::vector<double> toDoubleVector() const { return toDoubleList().vec(); }
    std::vector<at::Tensor> toTensorVector() const { return toTensorList().vec(); }
    List<int64_t> toIntList() const { return content<List<int64_t>>(Kind::IntList); }
    List<double> toDoubleList() const { return content<List<double>>(Kind::DoubleList); }
    List<bool> toBoolList() const { return content<List<bool>>(Kind::BoolList); }
    List<at::Tensor> toTensorList() const { return content<List<at::Tensor>>(Kind::TensorList); }
    /// Of any list; a new one where its elements are of one type.
    impl::GenericList toList() const;
    std::vector<IValue> toListRef() const { return toList().vec(); }
    impl::GenericDict toGenericDict() const { return content<impl::GenericDict>(Kind::GenericDict); }
    intrusive_ptr<ivalue::Tuple> toTuple() const;
    const ivalue::Tuple &toTupleRef() const;
    /// Null, and c10::Error, where the object is of another class.
    template <class T>
    intrusive_ptr<T> toCustomClass() const {
        auto found = dynamic_intrusive_pointer_cast<T>(require(Kind::CustomClass).object_);
        TORCH_CHECK(found, "Expected an object of another class of torch::class_");
        return found;
    }
    Scalar toScalar() const;
    template <class T>
    T to() const {
        return Converted<T>::from(*this);
    }
    template <class T>
    std::optional<T> toOptional() const {
        return isNone() ? std::nullopt : std::optional<T>(to<T>());
    }
    std::string tagKind() const;
    /// The same number, text, bool or device; of others, the same object.
    friend bool operator==(const IValue &a, const IValue &b);
    friend bool operator!=(const IValue &a, const IValue &b) { return !(a == b); }

  private:
    // Not std::variant, which takes a compiler long.
    enum class Kind : uint8_t {
        None, Tensor, Int, Double, Bool, String, Scalar, Device, IntList, DoubleList, BoolList, TensorList, GenericList, GenericDict, Tuple,
        CustomClass,
    };
    template <class T>
    struct Box : intrusive_ptr_target {
        explicit Box(T value) : value(std::move(value)) {}
        T value;
    };
    /// None for a list whose elements become IValues.
    template <class T>
    static constexpr Kind kind_of_list() {
        if (std::is_same_v<T, int64_t>) return Kind::IntList;
        if (std::is_same_v<T, double>) return Kind::DoubleList;
        if (std::is_same_v<T, bool>) return Kind::BoolList;
        if (std::is_same_v<T, at::Tensor>) return Kind::TensorList;
        return std::is_same_v<T, IValue> ? Kind::GenericList : Kind::None;
    }
    static const char *name_of(Kind kind);
    const IValue &require(Kind kind) const {
        if (kind_ != kind) fail(kind);
        return *this;
    }
    [[noreturn]] void fail(Kind wanted) const;
    template <class T>
    const T &content(Kind kind) const {
        return static_cast<const Box<T> *>(require(kind).object_.get())->value;
    }
    template <class T, class = void>
    struct Converted {
        static T from(const IValue &value) {
            if constexpr (std::is_same_v<T, bool>) return value.toBool();
            else if constexpr (std::is_integral_v<T>) return static_cast<T>(value.toInt());
            else if constexpr (std::is_floating_point_v<T>) return static_cast<T>(value.toDouble());
            else if constexpr (std::is_same_v<T, IValue>) return value;
            else if constexpr (std::is_same_v<T, Scalar>) return value.toScalar();
            else if constexpr (std::is_same_v<T, ScalarType>) return value.toScalarType();
            else if constexpr (std::is_same_v<T, std::string_view>) return value.toStringView();
            else if constexpr (std::is_same_v<T, at::Tensor>) return value.toTensor();
            else if constexpr (std::is_same_v<T, std::string>) return value.toStringRef();
            else if constexpr (std::is_same_v<T, Device>) return value.toDevice();
            else if constexpr (std::is_same_v<T, c10::complex<double>>) return value.toComplexDouble();
            else return value.toTuple();
        }
    };
    template <class T>
    struct Converted<std::optional<T>> {
        static std::optional<T> from(const IValue &value) { return value.toOptional<T>(); }
    };
    template <class T>
    struct Converted<List<T>> {
        static List<T> from(const IValue &value) {
            if constexpr (constexpr Kind kind = kind_of_list<T>(); kind != Kind::None) {
                if (value.kind_ == kind) return value.content<List<T>>(kind);
            }
            List<T> list;
            for (const IValue &each : value.toList()) list.push_back(each.to<T>());
            return list;
        }
    };
    template <class T>
    struct Converted<std::vector<T>> {
        static std::vector<T> from(const IValue &value) { return value.to<List<T>>().vec(); }
    };
    template <class Key, class Value>
    struct Converted<Dict<Key, Value>> {
        static Dict<Key, Value> from(const IValue &value) {
            if constexpr (std::is_same_v<Key, IValue> && std::is_same_v<Value, IValue>) return value.toGenericDict();
            Dict<Key, Value> dict;
            for (const auto &entry : value.toGenericDict()) dict.insert(entry.key().template to<Key>(), entry.value().template to<Value>());
            return dict;
        }
    };
    template <class T>
    struct Converted<intrusive_ptr<T>, std::enable_if_t<std::is_base_of_v<torch::CustomClassHolder, T>>> {
        static intrusive_ptr<T> from(const IValue &value) { return value.toCustomClass<T>(); }
    };

    Kind kind_ = Kind::None;
    Device device_ = DeviceType::CPU;
    Scalar number_;  // of Int, Double, Bool as an integer, and Scalar
    at::Tensor tensor_;
    intrusive_ptr<intrusive_ptr_target> object_;  // a Box, a Tuple, or an object of torch::class_
};

namespace ivalue {
class Tuple : public intrusive_ptr_target {
  public:
    explicit Tuple(std::vector<IValue> elements) : elements_(std::move(elements)) {}
    static intrusive_ptr<Tuple> create(std::vector<IValue> elements) { return make_intrusive<Tuple>(std::move(elements)); }
    template <class... T>
    static intrusive_ptr<Tuple> create(T &&...elements) {
        return create(std::vector<IValue>{IValue(std::forward<T>(elements))...});
    }
    const std::vector<IValue> &elements() const { return elements_; }
    size_t size() const { return elements_.size(); }

  private:
    std::vector<IValue> elements_;
};
}  // namespace ivalue

inline IValue::IValue(intrusive_ptr<ivalue::Tuple> tuple) : kind_(Kind::Tuple), object_(std::move(tuple)) {}
template <class... T>
IValue::IValue(const std::tuple<T...> &tuple)
    : IValue(std::apply([](const T &...each) { return ivalue::Tuple::create(std::vector<IValue>{IValue(each)...}); }, tuple)) {}

}  // namespace c10

namespace torch {
using c10::IValue;
namespace jit {
using c10::IValue;
using Stack = std::vector<IValue>;
}  // namespace jit
}  // namespace torch
