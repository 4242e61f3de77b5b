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
    IValue(at::Tensor value) : value_(std::move(value)) {}
    template <class T, std::enable_if_t<std::is_arithmetic_v<T>, int> = 0>
    IValue(T value) {
        if constexpr (std::is_same_v<T, bool>) value_ = value;
        else if constexpr (std::is_integral_v<T>) value_ = static_cast<int64_t>(value);
        else value_ = static_cast<double>(value);
    }
    IValue(SymInt value) : value_(value.expect_int()) {}
    IValue(const char *value) : value_(std::string(value)) {}
    IValue(std::string value) : value_(std::move(value)) {}
    IValue(std::string_view value) : value_(std::string(value)) {}
    IValue(const Scalar &value) : value_(value) {}
    IValue(c10::complex<double> value) : value_(Scalar(value)) {}
    IValue(ScalarType value) : value_(int64_t(value)) {}
    IValue(Device value) : value_(value) {}
    template <class T>
    IValue(ArrayRef<T> values) : IValue(List<T>(values)) {}
    template <class T>
    IValue(std::vector<T> values) : IValue(List<T>(std::move(values))) {}
    template <class T, size_t N>
    IValue(const std::array<T, N> &values) : IValue(std::vector<T>(values.begin(), values.end())) {}
    /// The same list for int64_t, double, bool and Tensor; else a new one, of IValues.
    template <class T>
    IValue(List<T> list) {
        if constexpr (is_kept<List<T>>) {
            value_ = std::move(list);
        } else {
            impl::GenericList values;
            for (const T &each : list) values.push_back(IValue(each));
            value_ = std::move(values);
        }
    }
    template <class Key, class Value>
    IValue(const Dict<Key, Value> &dict) {
        if constexpr (std::is_same_v<Key, IValue> && std::is_same_v<Value, IValue>) {
            value_ = dict;
        } else {
            impl::GenericDict values;
            for (const auto &entry : dict) values.insert(IValue(entry.key()), IValue(entry.value()));
            value_ = std::move(values);
        }
    }
    template <class Value>
    IValue(const std::unordered_map<std::string, Value> &map) {
        impl::GenericDict values;
        for (const auto &[key, value] : map) values.insert(IValue(key), IValue(value));
        value_ = std::move(values);
    }
    template <class... T>
    IValue(const std::tuple<T...> &tuple);
    IValue(intrusive_ptr<ivalue::Tuple> tuple) : value_(std::move(tuple)) {}
    /// An object of a class of torch::class_.
    template <class T, std::enable_if_t<std::is_base_of_v<torch::CustomClassHolder, T>, int> = 0>
    IValue(intrusive_ptr<T> object) : value_(intrusive_ptr<torch::CustomClassHolder>(std::move(object))) {}
    template <class T, std::enable_if_t<std::is_constructible_v<IValue, T>, int> = 0>
    IValue(const std::optional<T> &value) {
        if (value) *this = IValue(*value);
    }

    bool isNone() const { return is<std::monostate>(); }
    bool isTensor() const { return is<at::Tensor>(); }
    bool isInt() const { return is<int64_t>(); }
    bool isDouble() const { return is<double>(); }
    bool isComplexDouble() const { return is<Scalar>() && std::get<Scalar>(value_).isComplex(); }
    bool isBool() const { return is<bool>(); }
    bool isString() const { return is<std::string>(); }
    bool isScalar() const { return is<Scalar>() || isInt() || isDouble() || isBool(); }
    bool isDevice() const { return is<Device>(); }
    bool isIntList() const { return is<List<int64_t>>(); }
    bool isDoubleList() const { return is<List<double>>(); }
    bool isBoolList() const { return is<List<bool>>(); }
    bool isTensorList() const { return is<List<at::Tensor>>(); }
    bool isList() const { return is<impl::GenericList>() || isIntList() || isDoubleList() || isBoolList() || isTensorList(); }
    bool isTuple() const { return is<intrusive_ptr<ivalue::Tuple>>(); }
    bool isGenericDict() const { return is<impl::GenericDict>(); }
    bool isCustomClass() const { return is<intrusive_ptr<torch::CustomClassHolder>>(); }
    bool isObject() const { return isCustomClass(); }

    // Each throws c10::Error for a value of another type.
    const at::Tensor &toTensor() const { return get<at::Tensor>("Tensor"); }
    int64_t toInt() const { return get<int64_t>("Int"); }
    SymInt toSymInt() const { return toInt(); }
    double toDouble() const { return get<double>("Double"); }
    c10::complex<double> toComplexDouble() const { return get<Scalar>("ComplexDouble").toComplexDouble(); }
    bool toBool() const { return get<bool>("Bool"); }
    const std::string &toStringRef() const { return get<std::string>("String"); }
    std::string_view toStringView() const { return toStringRef(); }
    ScalarType toScalarType() const { return ScalarType(toInt()); }
    Device toDevice() const { return get<Device>("Device"); }
    std::vector<int64_t> toIntVector() const { return toIntList().vec(); }
    std::vector<int64_t> toDimVector() const { return toIntVector(); }
    std::vector<double> toDoubleVector() const { return toDoubleList().vec(); }
    std::vector<at::Tensor> toTensorVector() const { return toTensorList().vec(); }
    List<int64_t> toIntList() const { return get<List<int64_t>>("IntList"); }
    List<double> toDoubleList() const { return get<List<double>>("DoubleList"); }
    List<bool> toBoolList() const { return get<List<bool>>("BoolList"); }
    List<at::Tensor> toTensorList() const { return get<List<at::Tensor>>("TensorList"); }
    /// Of any list; a new one where its elements are of one type.
    impl::GenericList toList() const;
    std::vector<IValue> toListRef() const { return toList().vec(); }
    impl::GenericDict toGenericDict() const { return get<impl::GenericDict>("GenericDict"); }
    intrusive_ptr<ivalue::Tuple> toTuple() const { return get<intrusive_ptr<ivalue::Tuple>>("Tuple"); }
    const ivalue::Tuple &toTupleRef() const { return *get<intrusive_ptr<ivalue::Tuple>>("Tuple"); }
    /// Null, and c10::Error, where the object is of another class.
    template <class T>
    intrusive_ptr<T> toCustomClass() const {
        auto found = dynamic_intrusive_pointer_cast<T>(get<intrusive_ptr<torch::CustomClassHolder>>("CustomClass"));
        TORCH_CHECK(found, "Expected an object of another class of torch::class_");
        return found;
    }
    Scalar toScalar() const {
        if (isInt()) return toInt();
        if (isDouble()) return toDouble();
        if (isBool()) return toBool();
        return get<Scalar>("Scalar");
    }
    template <class T>
    T to() const {
        return Converted<T>::from(*this);
    }
    template <class T>
    std::optional<T> toOptional() const {
        return isNone() ? std::nullopt : std::optional<T>(to<T>());
    }
    std::string tagKind() const {
        static const char *const names[] = {"None", "Tensor", "Int", "Double", "Bool", "String", "Scalar", "Device",
                                            "IntList", "DoubleList", "BoolList", "TensorList", "GenericList", "GenericDict",
                                            "Tuple", "CustomClass"};
        return names[value_.index()];
    }
    /// The same number, text, bool or device; of others, the same object.
    friend bool operator==(const IValue &a, const IValue &b);
    friend bool operator!=(const IValue &a, const IValue &b) { return !(a == b); }

  private:
    template <class T>
    static constexpr bool is_kept = std::is_same_v<T, List<int64_t>> || std::is_same_v<T, List<double>> || std::is_same_v<T, List<bool>> ||
                                    std::is_same_v<T, List<at::Tensor>> || std::is_same_v<T, impl::GenericList>;
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
            else return value.get<T>("the type asked for");
        }
    };
    template <class T>
    struct Converted<std::optional<T>> {
        static std::optional<T> from(const IValue &value) { return value.toOptional<T>(); }
    };
    template <class T>
    struct Converted<List<T>> {
        static List<T> from(const IValue &value) {
            if constexpr (is_kept<List<T>>) {
                if (value.is<List<T>>()) return std::get<List<T>>(value.value_);
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

    std::variant<std::monostate, at::Tensor, int64_t, double, bool, std::string, Scalar, Device, List<int64_t>, List<double>,
                 List<bool>, List<at::Tensor>, impl::GenericList, impl::GenericDict, intrusive_ptr<ivalue::Tuple>,
                 intrusive_ptr<torch::CustomClassHolder>>
        value_;
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

template <class... T>
IValue::IValue(const std::tuple<T...> &tuple)
    : value_(std::apply([](const T &...each) { return ivalue::Tuple::create(std::vector<IValue>{IValue(each)...}); }, tuple)) {}

inline impl::GenericList IValue::toList() const {
    impl::GenericList list;
    const auto add = [&](const auto &values) {
        for (const auto &each : values.vec()) list.push_back(IValue(each));
        return list;
    };
    if (isIntList()) return add(toIntList());
    if (isDoubleList()) return add(toDoubleList());
    if (isBoolList()) return add(toBoolList());
    if (isTensorList()) return add(toTensorList());
    return get<impl::GenericList>("GenericList");
}

inline bool operator==(const IValue &a, const IValue &b) {
    if (a.value_.index() != b.value_.index()) return false;
    if (a.isTensor()) return a.toTensor().is_same(b.toTensor());
    if (a.isInt() || a.isDouble() || a.isBool()) return a.toScalar().toDouble() == b.toScalar().toDouble() && (!a.isInt() || a.toInt() == b.toInt());
    if (a.isString()) return a.toStringRef() == b.toStringRef();
    if (a.isDevice()) return a.toDevice() == b.toDevice();
    if (a.isGenericDict()) return a.toGenericDict().is(b.toGenericDict());
    if (a.isTuple()) return a.toTuple() == b.toTuple() || a.toTupleRef().elements() == b.toTupleRef().elements();
    if (a.isList()) return a.toList() == b.toList();
    return a.isNone() || (a.isCustomClass() && std::get<intrusive_ptr<torch::CustomClassHolder>>(a.value_) ==
                                                   std::get<intrusive_ptr<torch::CustomClassHolder>>(b.value_));
}

}  // namespace c10

inline size_t std::hash<c10::IValue>::operator()(const c10::IValue &value) const {
    if (value.isString()) return std::hash<std::string>()(value.toStringRef());
    if (value.isTensor()) return std::hash<const void *>()(value.toTensor().unsafeGetTensorImpl());
    if (value.isInt()) return std::hash<int64_t>()(value.toInt());
    return std::hash<double>()(value.toScalar().toDouble());
}

namespace torch {
using c10::IValue;
namespace jit {
using c10::IValue;
using Stack = std::vector<IValue>;
}  // namespace jit
}  // namespace torch
