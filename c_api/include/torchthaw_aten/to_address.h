/* to_address.h: std::shared_ptr of a type with Thrust's pair or tuple in it, which are cuda::std's since CUDA 13.
 *
 * libstdc++ calls __to_address without std::, so that the function of cuda::std is as good. One with a constraint is
 * better than both. Builds include it before a source with CUDA that names both; for C++20, which has constraints.
 */
#ifndef TORCHTHAW_ATEN_TO_ADDRESS_H
#define TORCHTHAW_ATEN_TO_ADDRESS_H

#ifdef __cpp_concepts
namespace std {
template <typename T>
  requires true
constexpr T *__to_address(T *pointer) noexcept {
  return pointer;
}
}  // namespace std
#endif

#endif
