// portable/tensors.h: operators of C++ on tensors, tensors of values, and of memory that somebody else owns.
#pragma once
#include "indexing.h"
#include "modes.h"

namespace torchthaw {
// What the generated functions and the templates below use of the runtime.
std::vector<int64_t> contiguous_strides(at::IntArrayRef sizes);
at::Tensor empty(at::IntArrayRef sizes, at::ScalarType type);
at::Tensor as_options(const at::Tensor &tensor, const at::TensorOptions &options);
at::Tensor squeezed(const at::Tensor &tensor);
at::Tensor with_grad(at::Tensor tensor, bool requires_grad);
/// The type that torch::tensor gives a tensor of T's, where options name none.
template <class T>
at::TensorOptions literal_options(const at::TensorOptions &options) {
    if (options.has_dtype()) return options;
    if (std::is_same_v<T, int32_t>) return options.dtype(at::kLong);
    return std::is_floating_point_v<T> ? options.dtype(c10::get_default_dtype()) : options;
}
inline at::TensorOptions without_grad(const at::TensorOptions &options) { return options.requires_grad(std::nullopt); }
}  // namespace torchthaw

// Generated: PyTorch's operators that the sources of this build mention, as functions and as methods.
#include <portable_operators/operators.h>

namespace at {

// An operator of C++ is the operator of PyTorch; where the number is on the left, `reversed` gives the same.
#define TORCHTHAW_BINARY(symbol, method, reversed)                                                                     \
    inline Tensor operator symbol(const Tensor &a, const Tensor &b) { return a.method(b); }                            \
    inline Tensor operator symbol(const Tensor &a, const Scalar &b) { return a.method(b); }                            \
    inline Tensor operator symbol(const Scalar &a, const Tensor &b) { return reversed; }
TORCHTHAW_BINARY(+, add, b.add(a))
TORCHTHAW_BINARY(-, sub, at::rsub(b, a))
TORCHTHAW_BINARY(*, mul, b.mul(a))
TORCHTHAW_BINARY(/, div, b.reciprocal().mul(a))
TORCHTHAW_BINARY(%, remainder, at::remainder(a, b))
TORCHTHAW_BINARY(&, bitwise_and, b.bitwise_and(a))
TORCHTHAW_BINARY(|, bitwise_or, b.bitwise_or(a))
TORCHTHAW_BINARY(^, bitwise_xor, b.bitwise_xor(a))
TORCHTHAW_BINARY(<, lt, b.gt(a))
TORCHTHAW_BINARY(<=, le, b.ge(a))
TORCHTHAW_BINARY(>, gt, b.lt(a))
TORCHTHAW_BINARY(>=, ge, b.le(a))
TORCHTHAW_BINARY(==, eq, b.eq(a))
TORCHTHAW_BINARY(!=, ne, b.ne(a))
#undef TORCHTHAW_BINARY

inline Tensor Tensor::operator-() const { return neg(); }
inline Tensor Tensor::operator~() const { return bitwise_not(); }
inline Tensor &Tensor::operator+=(const Tensor &other) { return add_(other); }
inline Tensor &Tensor::operator+=(const Scalar &other) { return add_(other); }
inline Tensor &Tensor::operator-=(const Tensor &other) { return sub_(other); }
inline Tensor &Tensor::operator-=(const Scalar &other) { return sub_(other); }
inline Tensor &Tensor::operator*=(const Tensor &other) { return mul_(other); }
inline Tensor &Tensor::operator*=(const Scalar &other) { return mul_(other); }
inline Tensor &Tensor::operator/=(const Tensor &other) { return div_(other); }
inline Tensor &Tensor::operator/=(const Scalar &other) { return div_(other); }
inline Tensor &Tensor::operator&=(const Tensor &other) { return bitwise_and_(other); }
inline Tensor &Tensor::operator|=(const Tensor &other) { return bitwise_or_(other); }
inline Tensor &Tensor::operator^=(const Tensor &other) { return bitwise_xor_(other); }

/// As Python prints it.
inline std::ostream &operator<<(std::ostream &out, const Tensor &tensor) { return out << tensor.toString(); }

/// A tensor of memory that the caller keeps for as long as the tensor is used. Strides in elements; contiguous without.
Tensor from_blob(void *data, IntArrayRef sizes, IntArrayRef strides, const TensorOptions &options = {});
Tensor from_blob(void *data, IntArrayRef sizes, const TensorOptions &options = {});
/// The same; deleter(data) is called when the last tensor of this memory is gone, in any thread.
Tensor from_blob(void *data, IntArrayRef sizes, IntArrayRef strides, std::function<void(void *)> deleter,
                 const TensorOptions &options = {});
template <class Deleter, std::enable_if_t<std::is_invocable_v<const Deleter &, void *>, int> = 0>
Tensor from_blob(void *data, IntArrayRef sizes, const Deleter &deleter, const TensorOptions &options = {}) {
    return from_blob(data, sizes, torchthaw::contiguous_strides(sizes), std::function<void(void *)>(deleter), options);
}

/// A tensor of one dimension with these values, of T's type unless options name another.
template <class T>
Tensor tensor(ArrayRef<T> values, const TensorOptions &options = {}) {
    Tensor made = torchthaw::empty({int64_t(values.size())}, CppTypeToScalarType<T>::value);
    std::copy(values.begin(), values.end(), made.data_ptr<T>());
    return torchthaw::as_options(made, options);
}
template <class T>
Tensor tensor(std::initializer_list<T> values, const TensorOptions &options = {}) {
    return tensor(ArrayRef<T>(values), options);
}
template <class T>
Tensor tensor(const std::vector<T> &values, const TensorOptions &options = {}) {
    if constexpr (std::is_same_v<T, bool>) {  // has no array
        std::unique_ptr<bool[]> flags(new bool[values.size()]);
        std::copy(values.begin(), values.end(), flags.get());
        return tensor(ArrayRef<bool>(flags.get(), values.size()), options);
    } else {
        return tensor(ArrayRef<T>(values), options);
    }
}
template <class T, std::enable_if_t<std::is_arithmetic_v<T>, int> = 0>
Tensor tensor(T value, const TensorOptions &options = {}) {
    return torchthaw::squeezed(tensor(ArrayRef<T>(value), options));
}
Tensor scalar_to_tensor(const Scalar &value, Device device = DeviceType::CPU);

inline int64_t numel(const Tensor &tensor) { return tensor.numel(); }
inline bool is_floating_point(const Tensor &tensor) { return tensor.is_floating_point(); }
inline bool is_complex(const Tensor &tensor) { return tensor.is_complex(); }
inline bool is_signed(const Tensor &tensor) { return tensor.is_signed(); }
inline int64_t size(const Tensor &tensor, int64_t dimension) { return tensor.size(dimension); }
inline int64_t stride(const Tensor &tensor, int64_t dimension) { return tensor.stride(dimension); }

// An int would be taken for the bool of another overload.
inline Tensor var(const Tensor &tensor, int dimension) { return at::var(tensor, IntArrayRef{dimension}); }
inline Tensor std(const Tensor &tensor, int dimension) { return at::std(tensor, IntArrayRef{dimension}); }
inline std::tuple<Tensor, Tensor> var_mean(const Tensor &tensor, int dimension) {
    return at::var_mean(tensor, IntArrayRef{dimension});
}
inline std::tuple<Tensor, Tensor> std_mean(const Tensor &tensor, int dimension) {
    return at::std_mean(tensor, IntArrayRef{dimension});
}
inline Tensor Tensor::var(int dimension) const { return at::var(*this, dimension); }
inline Tensor Tensor::std(int dimension) const { return at::std(*this, dimension); }

}  // namespace at

namespace torch {

namespace utils {
/// One tensor of one dimension with the elements of all, which have one type.
Tensor flatten_dense_tensors(at::TensorList tensors);
/// Views of a flattened tensor, with the sizes of these.
std::vector<Tensor> unflatten_dense_tensors(const Tensor &flat, at::TensorList tensors);
}  // namespace utils

/// As at::tensor, but integers become int64, and floating-point numbers get PyTorch's default type.
template <class Values>
Tensor tensor(const Values &values, at::TensorOptions options = {}) {
    if constexpr (std::is_arithmetic_v<Values>) return at::tensor(values, torchthaw::literal_options<Values>(options));
    else return at::tensor(values, torchthaw::literal_options<typename Values::value_type>(options));
}
template <class T>
Tensor tensor(std::initializer_list<T> values, at::TensorOptions options = {}) {
    return at::tensor(values, torchthaw::literal_options<T>(options));
}

}  // namespace torch
