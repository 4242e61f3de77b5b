// portable/core/complex.h: std::conj, std::abs, std::exp and their kin for c10::complex, which torch/headeronly does not have.
#pragma once

#include "base.h"
#include <complex>

namespace torchthaw {
template <class T> std::complex<T> of_std(const c10::complex<T> &z) { return {z.real(), z.imag()}; }
}  // namespace torchthaw

#if __has_include(<torch/headeronly/util/complex_utils.h>)
namespace c10 {
using torch::headeronly::is_complex;
using torch::headeronly::scalar_value_type;
}  // namespace c10
#else
namespace c10 {
/// Whether T is a type of complex numbers, and the type of their parts; T itself of others.
template <class T> struct is_complex : std::false_type {};
template <class T> struct is_complex<std::complex<T>> : std::true_type {};
template <class T> struct is_complex<complex<T>> : std::true_type {};
template <class T> struct scalar_value_type { using type = T; };
template <class T> struct scalar_value_type<std::complex<T>> { using type = T; };
template <class T> struct scalar_value_type<complex<T>> { using type = T; };
}  // namespace c10

namespace std {
template <class T> class numeric_limits<c10::complex<T>> : public numeric_limits<T> {};
template <class T> bool isnan(const c10::complex<T> &z) { return isnan(z.real()) || isnan(z.imag()); }
}  // namespace std
#endif

namespace std {

template <class T> constexpr T real(const c10::complex<T> &z) { return z.real(); }
template <class T> constexpr T imag(const c10::complex<T> &z) { return z.imag(); }
template <class T> constexpr T norm(const c10::complex<T> &z) { return z.real() * z.real() + z.imag() * z.imag(); }
template <class T> constexpr c10::complex<T> conj(const c10::complex<T> &z) { return {z.real(), -z.imag()}; }
template <class T> T abs(const c10::complex<T> &z) { return abs(torchthaw::of_std(z)); }
template <class T> T arg(const c10::complex<T> &z) { return arg(torchthaw::of_std(z)); }

#define TORCHTHAW_FUNCTION(name)                                                                                       \
    template <class T> c10::complex<T> name(const c10::complex<T> &z) {                                                \
        return static_cast<c10::complex<T>>(name(torchthaw::of_std(z)));                                               \
    }
TORCHTHAW_FUNCTION(exp)
TORCHTHAW_FUNCTION(log)
TORCHTHAW_FUNCTION(log10)
TORCHTHAW_FUNCTION(sqrt)
TORCHTHAW_FUNCTION(sin)
TORCHTHAW_FUNCTION(cos)
TORCHTHAW_FUNCTION(tan)
TORCHTHAW_FUNCTION(asin)
TORCHTHAW_FUNCTION(acos)
TORCHTHAW_FUNCTION(atan)
TORCHTHAW_FUNCTION(sinh)
TORCHTHAW_FUNCTION(cosh)
TORCHTHAW_FUNCTION(tanh)
TORCHTHAW_FUNCTION(asinh)
TORCHTHAW_FUNCTION(acosh)
TORCHTHAW_FUNCTION(atanh)
#undef TORCHTHAW_FUNCTION

template <class T> c10::complex<T> pow(const c10::complex<T> &z, const c10::complex<T> &power) {
    return static_cast<c10::complex<T>>(pow(torchthaw::of_std(z), torchthaw::of_std(power)));
}
template <class T> c10::complex<T> pow(const c10::complex<T> &z, const T &power) {
    return static_cast<c10::complex<T>>(pow(torchthaw::of_std(z), power));
}
template <class T> c10::complex<T> pow(const T &z, const c10::complex<T> &power) {
    return static_cast<c10::complex<T>>(pow(z, torchthaw::of_std(power)));
}

}  // namespace std
