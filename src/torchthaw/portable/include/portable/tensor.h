// portable/tensor.h: at::Tensor. As PyTorch's, it is one pointer, so that PyTorch's functions take its address as theirs.
#pragma once
#include "accessor.h"
#include "core/collections.h"
#include "generator.h"
#include "pytorch.h"

namespace at {

class DeprecatedTypeProperties;
namespace indexing {
struct TensorIndex;
}

/// The memory of a tensor, which others may share; valid as long as the tensor is.
class Storage {
  public:
    Storage(void *data, size_t bytes, ScalarType type) : data_(data), bytes_(bytes), type_(type) {}
    void *data() const { return data_; }
    void *mutable_data() const { return data_; }
    template <class T>
    T *data() const {
        return static_cast<T *>(data_);
    }
    void *data_ptr() const { return data_; }
    size_t nbytes() const { return bytes_; }
    size_t size() const { return bytes_ / elementSize(type_); }
    explicit operator bool() const { return data_; }

  private:
    void *data_;
    size_t bytes_;
    ScalarType type_;
};

class TORCHTHAW_PUBLIC Tensor {
  public:
    Tensor() : impl_(torchthaw::undefined) {}
    Tensor(const Tensor &other) : Tensor() {
        if (other.defined()) torchthaw::pytorch.assign_tensors(&other, this);
    }
    Tensor(Tensor &&other) noexcept : impl_(std::exchange(other.impl_, torchthaw::undefined)) {}
    Tensor &operator=(const Tensor &other) & {
        if (impl_ != other.impl_) torchthaw::pytorch.assign_tensors(&other, this);
        return *this;
    }
    Tensor &operator=(Tensor &&other) & noexcept {
        std::swap(impl_, other.impl_);
        return *this;
    }
    // As in ATen, x.select(0, i) = y copies elements.
    Tensor &operator=(const Tensor &other) &&;
    Tensor &operator=(Tensor &&other) && { return std::move(*this) = static_cast<const Tensor &>(other); }
    Tensor &operator=(const Scalar &value) &&;
    ~Tensor() {
        if (defined()) release();
    }

    /// Takes a tensor that PyTorch made for the caller.
    static Tensor take(Tensor *made) {
        Tensor taken;
        std::swap(taken.impl_, made->impl_);
        torchthaw::pytorch.delete_tensor(made);
        return taken;
    }

    bool defined() const { return impl_ != torchthaw::undefined; }
    void reset() { *this = Tensor(); }
    bool is_same(const Tensor &other) const { return impl_ == other.impl_; }
    void *unsafeGetTensorImpl() const { return impl_; }

    // Sizes. Those of an undefined tensor are an error.
    int64_t dim() const { return read<int64_t>(torchthaw::pytorch.get_dim, "dim"); }
    int64_t ndimension() const { return dim(); }
    int64_t numel() const { return read<int64_t>(torchthaw::pytorch.get_numel, "numel"); }
    IntArrayRef sizes() const { return {read<int64_t *>(torchthaw::pytorch.get_sizes, "sizes"), size_t(dim())}; }
    IntArrayRef strides() const { return {read<int64_t *>(torchthaw::pytorch.get_strides, "strides"), size_t(dim())}; }
    SymIntArrayRef sym_sizes() const { return fromIntArrayRefSlow(sizes()); }
    SymIntArrayRef sym_strides() const { return fromIntArrayRefSlow(strides()); }
    SymInt sym_numel() const { return numel(); }
    SymInt sym_size(int64_t dimension) const { return size(dimension); }
    int64_t size(int64_t dimension) const { return sizes()[wrapped(dimension)]; }
    int64_t stride(int64_t dimension) const { return strides()[wrapped(dimension)]; }
    int64_t storage_offset() const { return read<int64_t>(torchthaw::pytorch.get_storage_offset, "storage_offset"); }
    bool is_contiguous(MemoryFormat format = MemoryFormat::Contiguous) const;
    bool is_non_overlapping_and_dense() const;
    MemoryFormat suggest_memory_format() const;

    // Elements.
    ScalarType scalar_type() const { return ScalarType(read<int32_t>(torchthaw::pytorch.get_dtype, "dtype")); }
    TypeMeta dtype() const { return scalar_type(); }
    size_t element_size() const { return elementSize(scalar_type()); }
    size_t itemsize() const { return element_size(); }
    size_t nbytes() const { return element_size() * numel(); }
    bool is_floating_point() const { return isFloatingType(scalar_type()); }
    bool is_complex() const { return isComplexType(scalar_type()); }
    bool is_signed() const { return is_floating_point() || is_complex() || (isIntegralType(scalar_type()) && scalar_type() != kByte); }

    // Where it is.
    Device device() const {
        return {DeviceType(read<int32_t>(torchthaw::pytorch.get_device_type, "device")),
                DeviceIndex(read<int32_t>(torchthaw::pytorch.get_device_index, "device"))};
    }
    DeviceType device_type() const { return DeviceType(read<int32_t>(torchthaw::pytorch.get_device_type, "device")); }
    int64_t get_device() const { return device().index(); }
    bool is_cpu() const { return device_type() == DeviceType::CPU; }
    bool is_cuda() const { return device_type() == DeviceType::CUDA; }
    bool is_meta() const { return device_type() == DeviceType::Meta; }
    bool is_hip() const { return device_type() == DeviceType::HIP; }
    bool is_xpu() const { return device_type() == DeviceType::XPU; }
    bool is_mps() const { return device_type() == DeviceType::MPS; }
    bool is_privateuseone() const { return device_type() == DeviceType::PrivateUse1; }
    Layout layout() const;
    bool is_sparse() const { return layout() == kSparse; }
    bool is_sparse_csr() const { return layout() == kSparseCsr; }
    bool is_quantized() const { return isQIntType(scalar_type()); }
    TensorOptions options() const { return TensorOptions(scalar_type()).device(device()).layout(layout()); }
    DeprecatedTypeProperties type() const;

    // Memory. Null for a tensor without elements; an error for one whose elements are not in memory, such as a fake one.
    void *data_ptr() const;
    const void *const_data_ptr() const { return data_ptr(); }
    void *mutable_data_ptr() const { return data_ptr(); }
    /// The same, checked to have elements of type T.
    template <class T>
    T *data_ptr() const;
    template <class T>
    const T *const_data_ptr() const {
        return data_ptr<std::remove_const_t<T>>();
    }
    template <class T>
    T *mutable_data_ptr() const {
        return data_ptr<T>();
    }
    template <class T>
    T *data() const {
        return data_ptr<T>();
    }
    Storage storage() const;
    bool has_storage() const { return defined() && layout() == kStrided; }

    template <class T, size_t N>
    TensorAccessor<T, N> accessor() const & {
        check_dimensions(N, "TensorAccessor");
        return {data_ptr<T>(), sizes().data(), strides().data()};
    }
    template <class T, size_t N>
    TensorAccessor<T, N> accessor() && = delete;
    template <class T, size_t N, template <class> class Pointer = DefaultPtrTraits, class Index = int64_t>
    GenericPackedTensorAccessor<T, N, Pointer, Index> generic_packed_accessor() const & {
        check_dimensions(N, "PackedTensorAccessor");
        return {data_ptr<T>(), sizes().data(), strides().data()};
    }
    template <class T, size_t N, template <class> class Pointer = DefaultPtrTraits, class Index = int64_t>
    auto packed_accessor() const & {
        return generic_packed_accessor<T, N, Pointer, Index>();
    }
    template <class T, size_t N, template <class> class Pointer = DefaultPtrTraits>
    auto packed_accessor32() const & {
        check_below_32_bits();
        return generic_packed_accessor<T, N, Pointer, int32_t>();
    }
    template <class T, size_t N, template <class> class Pointer = DefaultPtrTraits>
    auto packed_accessor64() const & {
        return generic_packed_accessor<T, N, Pointer, int64_t>();
    }

    // Autograd.
    bool requires_grad() const;
    const Tensor &requires_grad_(bool value = true) const;
    const Tensor &set_requires_grad(bool value) const { return requires_grad_(value); }
    bool is_leaf() const;
    Tensor grad() const;
    Tensor &mutable_grad() const = delete;  // assign by set_grad
    void set_grad(const Tensor &value) const;
    void set_data(const Tensor &value) const;
    Tensor variable_data() const;
    Tensor tensor_data() const { return variable_data(); }
    Tensor data() const { return variable_data(); }
    void backward(const Tensor &gradient = {}, std::optional<bool> retain_graph = {}, bool create_graph = false) const;
    int64_t _version() const;
    void retain_grad() const;

    // Indexing.
    Tensor operator[](int64_t index) const;
    Tensor operator[](const Scalar &index) const { return (*this)[index.toLong()]; }
    Tensor operator[](const Tensor &index) const;
    Tensor index(ArrayRef<indexing::TensorIndex> indices) const;
    Tensor index(std::initializer_list<indexing::TensorIndex> indices) const;
    Tensor &index_put_(ArrayRef<indexing::TensorIndex> indices, const Tensor &value);
    Tensor &index_put_(ArrayRef<indexing::TensorIndex> indices, const Scalar &value);
    Tensor &index_put_(std::initializer_list<indexing::TensorIndex> indices, const Tensor &value);
    Tensor &index_put_(std::initializer_list<indexing::TensorIndex> indices, const Scalar &value);

    // Operators of C++.
    Tensor operator-() const;
    Tensor operator~() const;
    Tensor &operator+=(const Tensor &other);
    Tensor &operator+=(const Scalar &other);
    Tensor &operator-=(const Tensor &other);
    Tensor &operator-=(const Scalar &other);
    Tensor &operator*=(const Tensor &other);
    Tensor &operator*=(const Scalar &other);
    Tensor &operator/=(const Tensor &other);
    Tensor &operator/=(const Scalar &other);
    Tensor &operator&=(const Tensor &other);
    Tensor &operator|=(const Tensor &other);
    Tensor &operator^=(const Tensor &other);

    Tensor var(int dimension) const;
    Tensor std(int dimension) const;

    Scalar item() const;
    template <class T>
    T item() const {
        return item().to<T>();
    }
    Tensor contiguous(MemoryFormat format = MemoryFormat::Contiguous) const;
    Tensor toType(ScalarType type) const;
    Tensor toType(const DeprecatedTypeProperties &type) const;
    Tensor toBackend(DeviceType type) const;
    Tensor cpu() const;
    Tensor cuda() const;
    std::string toString() const;
    void print() const;

    // Generated: the methods of PyTorch's operators that the sources of this build mention.
#include <portable_operators/methods.h>

  private:
    template <class Value, class Given>
    Value read(int32_t (*function)(const Tensor *, Given *), const char *what) const {
        if (C10_UNLIKELY(!defined())) fail_undefined(what);
        Given given;
        torchthaw::check(function(this, &given), what);
        return static_cast<Value>(given);
    }
    int64_t wrapped(int64_t dimension) const {
        const int64_t n = dim();
        if (C10_UNLIKELY(dimension < -n || dimension >= n)) fail_dimension(dimension, n);
        return dimension < 0 ? dimension + n : dimension;
    }
    void release() noexcept;
    void check_dimensions(size_t n, const char *what) const;
    void check_below_32_bits() const;
    void check_type(ScalarType expected) const {
        const ScalarType type = scalar_type();
        if (C10_UNLIKELY(type != expected)) fail_type(expected, type);
    }
    [[noreturn]] static void fail_undefined(const char *what);
    [[noreturn]] static void fail_dimension(int64_t dimension, int64_t n);
    [[noreturn]] static void fail_type(ScalarType expected, ScalarType given);
    [[noreturn]] static void fail_without_memory();

    void *impl_;
};
static_assert(sizeof(Tensor) == sizeof(void *), "PyTorch's functions take its address for that of an at::Tensor");

template <class T>
T *Tensor::data_ptr() const {
    if constexpr (std::is_void_v<T>) return data_ptr();
    else {
        check_type(CppTypeToScalarType<std::remove_const_t<T>>::value);
        void *data = data_ptr();
        if (C10_UNLIKELY(data == nullptr) && numel() != 0) fail_without_memory();
        return static_cast<T *>(data);
    }
}

/// What x.type() returns.
class DeprecatedTypeProperties {
  public:
    DeprecatedTypeProperties(DeviceType device, ScalarType type, Layout layout = kStrided)
        : device_(device), type_(type), layout_(layout) {}
    ScalarType scalarType() const { return type_; }
    TypeMeta typeMeta() const { return type_; }
    DeviceType device_type() const { return device_; }
    Layout layout() const { return layout_; }
    bool is_cuda() const { return device_ == DeviceType::CUDA; }
    bool is_sparse() const { return layout_ == kSparse; }
    TensorOptions options(int16_t index = -1) const { return TensorOptions(type_).device(device_, DeviceIndex(index)).layout(layout_); }
    operator TensorOptions() const { return options(); }
    DeprecatedTypeProperties toScalarType(ScalarType type) const { return {device_, type, layout_}; }
    DeprecatedTypeProperties cpu() const { return {DeviceType::CPU, type_, layout_}; }
    DeprecatedTypeProperties cuda() const { return {DeviceType::CUDA, type_, layout_}; }
    std::string toString() const;
    bool operator==(const DeprecatedTypeProperties &other) const {
        return device_ == other.device_ && type_ == other.type_ && layout_ == other.layout_;
    }
    bool operator!=(const DeprecatedTypeProperties &other) const { return !(*this == other); }

  private:
    DeviceType device_;
    ScalarType type_;
    Layout layout_;
};
using Type = DeprecatedTypeProperties;
inline DeprecatedTypeProperties Tensor::type() const { return {device_type(), scalar_type(), layout()}; }
inline DeprecatedTypeProperties CPU(ScalarType type) { return {DeviceType::CPU, type}; }
inline DeprecatedTypeProperties CUDA(ScalarType type) { return {DeviceType::CUDA, type}; }
inline std::ostream &operator<<(std::ostream &out, const DeprecatedTypeProperties &type) { return out << type.toString(); }

}  // namespace at
