// portable/core/options.h: devices, element types as x.dtype() gives them, and what a new tensor is made with.
#pragma once
#include "scalar.h"

namespace c10 {

using DeviceIndex = int8_t;

/// cpu, cuda:0, meta and others. Index -1 is the current one. The layout is PyTorch's.
struct Device {
  public:
    Device() = default;
    Device(DeviceType type, DeviceIndex index = -1) : type_(type), index_(index) {}
    /// "cuda" or "cuda:1". Raises c10::Error for other text.
    Device(const std::string &text);
    Device(const char *text) : Device(std::string(text)) {}

    DeviceType type() const { return type_; }
    DeviceIndex index() const { return index_; }
    bool has_index() const { return index_ != -1; }
    void set_index(DeviceIndex index) { index_ = index; }
    bool is_cpu() const { return type_ == DeviceType::CPU; }
    bool is_cuda() const { return type_ == DeviceType::CUDA; }
    bool is_meta() const { return type_ == DeviceType::Meta; }
    bool is_hip() const { return type_ == DeviceType::HIP; }
    bool is_xpu() const { return type_ == DeviceType::XPU; }
    bool is_mps() const { return type_ == DeviceType::MPS; }
    bool operator==(const Device &other) const { return type_ == other.type_ && index_ == other.index_; }
    bool operator!=(const Device &other) const { return !(*this == other); }
    std::string str() const;

  private:
    DeviceType type_ = DeviceType::CPU;
    DeviceIndex index_ = -1;
};
static_assert(sizeof(Device) == 2, "operators take devices by value");

std::string DeviceTypeName(DeviceType type, bool lower_case = false);
inline std::ostream &operator<<(std::ostream &out, const Device &device) { return out << device.str(); }
inline std::ostream &operator<<(std::ostream &out, DeviceType type) { return out << DeviceTypeName(type, true); }

inline std::ostream &operator<<(std::ostream &out, Layout layout) {
    static const char *const names[] = {"Strided", "Sparse", "SparseCsr", "Mkldnn", "SparseCsc", "SparseBsr", "SparseBsc", "Jagged"};
    return size_t(layout) < std::size(names) ? out << names[size_t(layout)] : out << "Layout " << int(layout);
}
inline std::ostream &operator<<(std::ostream &out, MemoryFormat format) {
    static const char *const names[] = {"Contiguous", "Preserve", "ChannelsLast", "ChannelsLast3d"};
    return size_t(format) < std::size(names) ? out << names[size_t(format)] : out << "MemoryFormat " << int(format);
}

inline bool isFloatingType(ScalarType type) {
    return type == ScalarType::Double || type == ScalarType::Float || type == ScalarType::Half ||
           type == ScalarType::BFloat16 || type == ScalarType::Float8_e5m2 || type == ScalarType::Float8_e4m3fn ||
           type == ScalarType::Float8_e5m2fnuz || type == ScalarType::Float8_e4m3fnuz;
}
inline bool isReducedFloatingType(ScalarType type) { return type == ScalarType::Half || type == ScalarType::BFloat16; }
inline bool isComplexType(ScalarType type) {
    return type == ScalarType::ComplexHalf || type == ScalarType::ComplexFloat || type == ScalarType::ComplexDouble;
}
inline bool isIntegralType(ScalarType type, bool includeBool = false) {
    return (type >= ScalarType::Byte && type <= ScalarType::Long) || type == ScalarType::UInt16 ||
           type == ScalarType::UInt32 || type == ScalarType::UInt64 || (includeBool && type == ScalarType::Bool);
}

/// Bytes of an element.
inline size_t elementSize(ScalarType type) {
    switch (type) {
#define TORCHTHAW_SIZE(ctype, name)                                                                                    \
    case ScalarType::name: return sizeof(ctype);
        AT_FORALL_SCALAR_TYPES_WITH_COMPLEX_AND_QINTS(TORCHTHAW_SIZE)
#undef TORCHTHAW_SIZE
        default: ::torchthaw::fail(std::string("elementSize: unknown ScalarType ") + toString(type));
    }
}

/// What x.dtype() returns: a ScalarType that knows its size.
class TypeMeta {
  public:
    TypeMeta(ScalarType type = ScalarType::Undefined) : type_(type) {}
    operator ScalarType() const { return type_; }
    ScalarType toScalarType() const { return type_; }
    size_t itemsize() const { return elementSize(type_); }
    /// That of the type in C++, such as "float".
    const char *name() const;
    template <class T>
    static TypeMeta Make() {
        return CppTypeToScalarType<T>::value;
    }
    template <class T>
    bool Match() const {
        return type_ == CppTypeToScalarType<T>::value;
    }
    friend bool operator==(TypeMeta a, TypeMeta b) { return a.type_ == b.type_; }
    friend bool operator!=(TypeMeta a, TypeMeta b) { return a.type_ != b.type_; }
    friend bool operator==(TypeMeta a, ScalarType b) { return a.type_ == b; }
    friend bool operator!=(TypeMeta a, ScalarType b) { return a.type_ != b; }
    friend bool operator==(ScalarType a, TypeMeta b) { return a == b.type_; }
    friend bool operator!=(ScalarType a, TypeMeta b) { return a != b.type_; }
    friend std::ostream &operator<<(std::ostream &out, TypeMeta type) { return out << type.name(); }

  private:
    ScalarType type_;
};
inline ScalarType typeMetaToScalarType(TypeMeta type) { return type; }
inline TypeMeta scalarTypeToTypeMeta(ScalarType type) { return type; }
inline std::optional<ScalarType> optTypeMetaToScalarType(std::optional<ScalarType> type) { return type; }
template <class T>
inline constexpr ScalarType typeToScalarType = CppTypeToScalarType<T>::value;

/// Properties of a new tensor; those not given are PyTorch's defaults, or those of the tensor that it is made like.
class TensorOptions {
  public:
    TensorOptions() = default;
    TensorOptions(ScalarType type) : dtype_(type) {}
    TensorOptions(TypeMeta type) : dtype_(type.toScalarType()) {}
    TensorOptions(Device device) : device_(device) {}
    TensorOptions(DeviceType type) : device_(Device(type)) {}
    TensorOptions(const char *device) : device_(Device(device)) {}
    TensorOptions(Layout layout) : layout_(layout) {}
    TensorOptions(MemoryFormat format) : memory_format_(format) {}

    TensorOptions dtype(std::optional<ScalarType> type) const { return with(&TensorOptions::dtype_, type); }
    TensorOptions dtype(ScalarType type) const { return dtype(std::optional<ScalarType>(type)); }
    TensorOptions dtype(TypeMeta type) const { return dtype(type.toScalarType()); }
    template <class T>
    TensorOptions dtype() const {
        return dtype(CppTypeToScalarType<T>::value);
    }
    TensorOptions device(std::optional<Device> device) const { return with(&TensorOptions::device_, device); }
    TensorOptions device(DeviceType type, DeviceIndex index = -1) const { return device(Device(type, index)); }
    TensorOptions device_index(DeviceIndex index) const { return device(DeviceType::CUDA, index); }
    TensorOptions layout(std::optional<Layout> layout) const { return with(&TensorOptions::layout_, layout); }
    TensorOptions requires_grad(std::optional<bool> value) const { return with(&TensorOptions::requires_grad_, value); }
    TensorOptions pinned_memory(std::optional<bool> value) const { return with(&TensorOptions::pinned_memory_, value); }
    TensorOptions memory_format(std::optional<MemoryFormat> format) const {
        return with(&TensorOptions::memory_format_, format);
    }

    TypeMeta dtype() const;  // PyTorch's default type where none is given
    Device device() const { return device_.value_or(Device()); }
    Layout layout() const { return layout_.value_or(kStrided); }
    bool requires_grad() const { return requires_grad_.value_or(false); }
    bool pinned_memory() const { return pinned_memory_.value_or(false); }
    DeviceIndex device_index() const { return device().index(); }
    bool is_cuda() const { return device().is_cuda(); }
    bool is_sparse() const { return layout() == kSparse; }

    std::optional<ScalarType> dtype_opt() const { return dtype_; }
    std::optional<Device> device_opt() const { return device_; }
    std::optional<Layout> layout_opt() const { return layout_; }
    std::optional<bool> requires_grad_opt() const { return requires_grad_; }
    std::optional<bool> pinned_memory_opt() const { return pinned_memory_; }
    std::optional<MemoryFormat> memory_format_opt() const { return memory_format_; }
    bool has_dtype() const { return dtype_.has_value(); }
    bool has_device() const { return device_.has_value(); }
    bool has_layout() const { return layout_.has_value(); }

  private:
    template <class T>
    TensorOptions with(T TensorOptions::*member, T value) const {
        TensorOptions changed = *this;
        changed.*member = value;
        return changed;
    }
    std::optional<ScalarType> dtype_;
    std::optional<Device> device_;
    std::optional<Layout> layout_;
    std::optional<bool> requires_grad_, pinned_memory_;
    std::optional<MemoryFormat> memory_format_;
};

inline TensorOptions dtype(ScalarType type) { return TensorOptions(type); }
inline TensorOptions dtype(TypeMeta type) { return TensorOptions(type); }
template <class T>
TensorOptions dtype() {
    return TensorOptions(CppTypeToScalarType<T>::value);
}
inline TensorOptions device(Device device) { return TensorOptions(device); }
inline TensorOptions device(DeviceType type, DeviceIndex index = -1) { return TensorOptions(Device(type, index)); }
inline TensorOptions layout(Layout layout) { return TensorOptions(layout); }
inline TensorOptions requires_grad(bool value = true) { return TensorOptions().requires_grad(value); }
inline TensorOptions memory_format(MemoryFormat format) { return TensorOptions(format); }

ScalarType get_default_dtype();

namespace impl {
// For the generated operators, whose schema has a memory format besides the options.
inline std::optional<MemoryFormat> check_tensor_options_and_extract_memory_format(
    const TensorOptions &options, std::optional<MemoryFormat> format) {
    TORCH_CHECK(!options.requires_grad(), "Operators taking TensorOptions cannot take a TensorOptions with options.requires_grad set as true. This isn't implemented yet.");
    return format ? format : options.memory_format_opt();
}
}  // namespace impl
}  // namespace c10

namespace caffe2 {
using TypeMeta = c10::TypeMeta;
}
