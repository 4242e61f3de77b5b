/* removed.h: names of the C++ interface of PyTorch 0.4 to 1.10 that PyTorch no longer has, by what replaced them.
 *
 * Builds of torch.utils.cpp_extension include it before a source. It includes no header of PyTorch and defines nothing
 * that the linker sees: a source that uses none of these names compiles to the same object code.
 */
#ifndef TORCHTHAW_ATEN_REMOVED_H
#define TORCHTHAW_ATEN_REMOVED_H

#ifdef __cplusplus
#include <cstdint>

/* Until 1.2, renamed. */
#ifndef AT_CHECK
#define AT_CHECK TORCH_CHECK
#endif

/* Until 1.1; today it takes the additional type as an argument. */
#ifndef AT_DISPATCH_ALL_TYPES_AND_HALF
#define AT_DISPATCH_ALL_TYPES_AND_HALF(TYPE, NAME, ...)                                                                \
    AT_DISPATCH_ALL_TYPES_AND(at::ScalarType::Half, TYPE, NAME, __VA_ARGS__)
#endif

/* Visibility of symbols, until 1.8. */
#ifndef CAFFE2_API
#define CAFFE2_API TORCH_API
#endif

namespace c10 {
enum class Backend;
enum class ScalarType : std::int8_t;
template <typename T> class ArrayRef;
}  // namespace c10

namespace at {
class DeprecatedTypeProperties;
class DeprecatedTypePropertiesRegistry;
DeprecatedTypePropertiesRegistry &globalDeprecatedTypePropertiesRegistry();

/* Until 1.0, renamed. */
using IntList = c10::ArrayRef<std::int64_t>;
}  // namespace at

/* AT_DISPATCH_...(tensor.type(), ...) until 1.7. A template, as some 2.x have a function of this signature, which the
 * compiler prefers; its body is compiled where it is used, when the class is complete. */
namespace detail {
template <typename T> struct thaw_if_type;
template <> struct thaw_if_type<at::DeprecatedTypeProperties> {
    using type = c10::ScalarType;
};
template <typename T> typename thaw_if_type<T>::type scalar_type(const T &type) { return type.scalarType(); }
}  // namespace detail

/* at::CPU(at::kFloat), at::CUDA(at::kFloat), also in torch::, until 1.0: the type for TensorOptions. */
namespace at {
template <typename Scalar, typename Kind = c10::Backend, typename Registry = DeprecatedTypePropertiesRegistry>
auto &CPU(Scalar type) {
    return static_cast<Registry &>(globalDeprecatedTypePropertiesRegistry()).getDeprecatedTypeProperties(Kind::CPU, type);
}
template <typename Scalar, typename Kind = c10::Backend, typename Registry = DeprecatedTypePropertiesRegistry>
auto &CUDA(Scalar type) {
    return static_cast<Registry &>(globalDeprecatedTypePropertiesRegistry()).getDeprecatedTypeProperties(Kind::CUDA, type);
}
}  // namespace at
namespace torch {
using at::CPU;
using at::CUDA;
}  // namespace torch

#endif /* __cplusplus */
#endif
