// portable/cuda/warps.h: exchange between the threads of a warp, and functions of numbers for kernels.
#pragma once
#include "launches.h"

#ifdef __CUDACC__
namespace torchthaw::cuda {
// Half, BFloat16 and complex numbers go as CUDA's own types do.
template <class T, class Shuffle>
__device__ __forceinline__ T shuffled(T value, Shuffle shuffle) {
    if constexpr (std::is_arithmetic_v<T>) {
        return shuffle(value);
    } else if constexpr (sizeof(T) == 2) {
        unsigned short bits;
        memcpy(&bits, static_cast<const void *>(&value), sizeof bits);
        bits = static_cast<unsigned short>(shuffle(unsigned(bits)));
        memcpy(static_cast<void *>(&value), &bits, sizeof bits);
        return value;
    } else {
        return T(shuffle(value.real()), shuffle(value.imag()));
    }
}
}  // namespace torchthaw::cuda

// The value of another thread of the warp, for the threads in `mask`.
#define TORCHTHAW_SHUFFLE(name, function, type)                                                                        \
    template <class T>                                                                                                 \
    __device__ __forceinline__ T name(T value, type lane, int width = warpSize, unsigned mask = 0xffffffff) {          \
        return torchthaw::cuda::shuffled(value, [=](auto part) { return function(mask, part, lane, width); });         \
    }
TORCHTHAW_SHUFFLE(WARP_SHFL, __shfl_sync, int)
TORCHTHAW_SHUFFLE(WARP_SHFL_XOR, __shfl_xor_sync, int)
TORCHTHAW_SHUFFLE(WARP_SHFL_UP, __shfl_up_sync, unsigned)
TORCHTHAW_SHUFFLE(WARP_SHFL_DOWN, __shfl_down_sync, unsigned)
#undef TORCHTHAW_SHUFFLE

static __device__ __forceinline__ unsigned WARP_BALLOT(int predicate, unsigned mask = 0xffffffff) { return __ballot_sync(mask, predicate); }
static __device__ __forceinline__ unsigned ACTIVE_MASK() { return __activemask(); }
static __device__ __forceinline__ void WARP_SYNC(unsigned mask = 0xffffffff) { __syncwarp(mask); }
template <class T>
__device__ __forceinline__ T doLdg(const T *address) {
    return __ldg(address);
}
#endif

// float and double by one name, as CUDA's functions have two.
namespace c10::cuda::compat {
#define TORCHTHAW_OF_ONE(name)                                                                                         \
    inline C10_HOST_DEVICE float name(float x) { return ::name##f(x); }                                                \
    inline C10_HOST_DEVICE double name(double x) { return ::name(x); }
#define TORCHTHAW_OF_TWO(name, of_float, of_double)                                                                    \
    inline C10_HOST_DEVICE float name(float x, float y) { return ::of_float(x, y); }                                   \
    inline C10_HOST_DEVICE double name(double x, double y) { return ::of_double(x, y); }
TORCHTHAW_OF_ONE(exp)
TORCHTHAW_OF_ONE(ceil)
TORCHTHAW_OF_ONE(floor)
TORCHTHAW_OF_ONE(log)
TORCHTHAW_OF_ONE(log1p)
TORCHTHAW_OF_ONE(sqrt)
TORCHTHAW_OF_ONE(tan)
TORCHTHAW_OF_ONE(tanh)
TORCHTHAW_OF_TWO(copysign, copysignf, copysign)
TORCHTHAW_OF_TWO(max, fmaxf, fmax)
TORCHTHAW_OF_TWO(min, fminf, fmin)
TORCHTHAW_OF_TWO(pow, powf, pow)
#undef TORCHTHAW_OF_ONE
#undef TORCHTHAW_OF_TWO
inline C10_HOST_DEVICE float abs(float x) { return ::fabsf(x); }
inline C10_HOST_DEVICE double abs(double x) { return ::fabs(x); }
#ifdef __CUDACC__
inline __device__ float rsqrt(float x) { return ::rsqrtf(x); }
inline __device__ double rsqrt(double x) { return ::rsqrt(x); }
inline __device__ float normcdf(float x) { return ::normcdff(x); }
inline __device__ double normcdf(double x) { return ::normcdf(x); }
#endif
inline C10_HOST_DEVICE void sincos(float x, float *sine, float *cosine) { ::sincosf(x, sine, cosine); }
inline C10_HOST_DEVICE void sincos(double x, double *sine, double *cosine) { ::sincos(x, sine, cosine); }
}  // namespace c10::cuda::compat

namespace at {
/// The ends of a type's numbers, with infinities as bounds where it has them. In kernels too.
template <class T>
struct numeric_limits {
    static constexpr C10_HOST_DEVICE T lowest() { return std::numeric_limits<T>::lowest(); }
    static constexpr C10_HOST_DEVICE T max() { return std::numeric_limits<T>::max(); }
    static constexpr C10_HOST_DEVICE T lower_bound() { return has_infinity() ? T(-std::numeric_limits<T>::infinity()) : lowest(); }
    static constexpr C10_HOST_DEVICE T upper_bound() { return has_infinity() ? std::numeric_limits<T>::infinity() : max(); }

  private:
    static constexpr C10_HOST_DEVICE bool has_infinity() { return std::numeric_limits<T>::has_infinity; }
};
}  // namespace at
