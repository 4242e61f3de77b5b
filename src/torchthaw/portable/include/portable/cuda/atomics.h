// portable/cuda/atomics.h: atomic sums, products, maxima and minima of every element type.
//
// The functions of kernels change the value at an address as one step. gpuAtomicAdd and its kin return the value of before,
// but for integers of 8, 16 and 64 bits, bool and complex numbers, as PyTorch's. Floating-point sums depend on the order.
#pragma once
#include "launches.h"

#ifdef __CUDACC__
namespace torchthaw::cuda {

/// value = change(value), by compare-and-swap of the word that holds it; the value of before.
template <class T, class Change>
__device__ __forceinline__ T atomic_update(T *address, Change change) {
    using Word = std::conditional_t<sizeof(T) == 8, unsigned long long, unsigned>;
    const size_t offset = reinterpret_cast<size_t>(address) % sizeof(Word);
    Word *word = reinterpret_cast<Word *>(reinterpret_cast<char *>(address) - offset);
    const unsigned shift = unsigned(offset) * 8;  // of a value smaller than its word
    const Word mask = ~Word(0) >> (sizeof(Word) - sizeof(T)) * 8 << shift;
    Word seen = *word;
    for (;;) {
        const Word bits = (seen & mask) >> shift;
        T before, after;
        memcpy(static_cast<void *>(&before), &bits, sizeof(T));
        after = change(before);
        Word changed = 0;
        memcpy(&changed, static_cast<const void *>(&after), sizeof(T));
        const Word found = atomicCAS(word, seen, (seen & ~mask) | (changed << shift));
        if (found == seen) return before;
        seen = found;
    }
}

template <class T>
__device__ __forceinline__ bool is_nan(T value) {
    return value != value;
}

}  // namespace torchthaw::cuda

// What CUDA's own atomicAdd lacks.
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 600
static inline __device__ double atomicAdd(double *address, double value) {
    return torchthaw::cuda::atomic_update(address, [=](double before) { return before + value; });
}
#endif
static inline __device__ c10::Half atomicAdd(c10::Half *address, c10::Half value) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 700
    return c10::Half(__half_as_ushort(atomicAdd(reinterpret_cast<__half *>(address), __ushort_as_half(value.x))), c10::Half::from_bits());
#else
    return torchthaw::cuda::atomic_update(address, [=](c10::Half before) { return before + value; });
#endif
}
static inline __device__ c10::BFloat16 atomicAdd(c10::BFloat16 *address, c10::BFloat16 value) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
    return c10::BFloat16(__bfloat16_as_ushort(atomicAdd(reinterpret_cast<__nv_bfloat16 *>(address), __ushort_as_bfloat16(value.x))), c10::BFloat16::from_bits());
#else
    return torchthaw::cuda::atomic_update(address, [=](c10::BFloat16 before) { return before + value; });
#endif
}
static inline __device__ void atomicAdd(int64_t *address, int64_t value) {
    static_cast<void>(atomicAdd(reinterpret_cast<unsigned long long *>(address), static_cast<unsigned long long>(value)));
}
#define TORCHTHAW_ATOMIC_ADD(type)                                                                                     \
    static inline __device__ void atomicAdd(type *address, type value) {                                               \
        torchthaw::cuda::atomic_update(address, [=](type before) { return type(before + value); });                    \
    }
TORCHTHAW_ATOMIC_ADD(uint8_t)
TORCHTHAW_ATOMIC_ADD(int8_t)
TORCHTHAW_ATOMIC_ADD(int16_t)
#undef TORCHTHAW_ATOMIC_ADD
static inline __device__ void atomicAdd(bool *address, bool value) {
    if (value) torchthaw::cuda::atomic_update(address, [](bool) { return true; });
}
template <class T>
static inline __device__ void atomicAdd(c10::complex<T> *address, c10::complex<T> value) {
    T *parts = reinterpret_cast<T *>(address);
    atomicAdd(parts, value.real());
    atomicAdd(parts + 1, value.imag());
}

template <class T>
static inline __device__ auto gpuAtomicAdd(T *address, T value) {
    return atomicAdd(address, value);
}
template <class T>
static inline __device__ void gpuAtomicAddNoReturn(T *address, T value) {
    static_cast<void>(atomicAdd(address, value));
}
template <class T>
static inline __device__ T gpuAtomicMul(T *address, T value) {
    return torchthaw::cuda::atomic_update(address, [=](T before) { return T(before * value); });
}
// Not a number where either is.
template <class T>
static inline __device__ T gpuAtomicMax(T *address, T value) {
    return torchthaw::cuda::atomic_update(
        address, [=](T before) { return torchthaw::cuda::is_nan(before) || before > value ? before : value; });
}
template <class T>
static inline __device__ T gpuAtomicMin(T *address, T value) {
    return torchthaw::cuda::atomic_update(
        address, [=](T before) { return torchthaw::cuda::is_nan(before) || before < value ? before : value; });
}

namespace at::native {
/// tensor[index] += value, of a tensor with numel elements.
template <class T, class Index>
__device__ __forceinline__ void fastAtomicAdd(T *tensor, Index index, const Index, T value, bool) {
    gpuAtomicAddNoReturn(tensor + index, value);
}
}  // namespace at::native
#endif
