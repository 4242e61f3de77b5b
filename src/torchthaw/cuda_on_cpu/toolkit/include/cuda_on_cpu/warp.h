// cuda_on_cpu/warp.h: shuffles, votes and reductions of a warp.
#pragma once

#include <cuda_on_cpu/runtime.h>

#include <cstring>
#include <type_traits>

#define CUDA_ON_CPU_PLACE const char *file = __builtin_FILE(), int line = __builtin_LINE()

namespace cuda_on_cpu {

inline unsigned rank_in_block() { return (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x; }
inline unsigned lane() { return rank_in_block() % 32; }

template <typename T> T shuffle(unsigned mask, T value, unsigned from, Place place) {
    static_assert(sizeof(T) <= 8 && std::is_trivially_copyable_v<T>, "a shuffle takes 4 or 8 bytes");
    uint64_t bits = 0;
    std::memcpy(&bits, &value, sizeof value);
    bits = together(Together::shuffle, mask, bits, from, place);
    std::memcpy(&value, &bits, sizeof value);
    return value;
}
// The lane that each form of shuffle reads, in its part of `width` lanes; the own one where that is outside.
inline unsigned part(int width) { return lane() & ~unsigned(width - 1); }
inline unsigned from_lane(int source, int width) { return part(width) + (unsigned(source) & unsigned(width - 1)); }
inline unsigned from_up(unsigned delta, int width) { return lane() >= part(width) + delta ? lane() - delta : lane(); }
inline unsigned from_down(unsigned delta, int width) {
    return lane() + delta < part(width) + unsigned(width) ? lane() + delta : lane();
}
inline unsigned from_xor(int bits, int width) {
    const unsigned other = lane() ^ unsigned(bits);
    return other < part(width) + unsigned(width) ? other : lane();
}

template <typename T> T reduce(Together operation, unsigned mask, T value, Place place) {
    return T(together(operation, mask, uint64_t(int64_t(value)), 0, place));
}

}  // namespace cuda_on_cpu

template <typename T> T __shfl_sync(unsigned mask, T value, int source, int width = 32, CUDA_ON_CPU_PLACE) {
    return cuda_on_cpu::shuffle(mask, value, cuda_on_cpu::from_lane(source, width), {file, line});
}
template <typename T> T __shfl_up_sync(unsigned mask, T value, unsigned delta, int width = 32, CUDA_ON_CPU_PLACE) {
    return cuda_on_cpu::shuffle(mask, value, cuda_on_cpu::from_up(delta, width), {file, line});
}
template <typename T> T __shfl_down_sync(unsigned mask, T value, unsigned delta, int width = 32, CUDA_ON_CPU_PLACE) {
    return cuda_on_cpu::shuffle(mask, value, cuda_on_cpu::from_down(delta, width), {file, line});
}
template <typename T> T __shfl_xor_sync(unsigned mask, T value, int bits, int width = 32, CUDA_ON_CPU_PLACE) {
    return cuda_on_cpu::shuffle(mask, value, cuda_on_cpu::from_xor(bits, width), {file, line});
}
inline void __syncwarp(unsigned mask = 0xffffffff, CUDA_ON_CPU_PLACE) {
    cuda_on_cpu::together(cuda_on_cpu::Together::sync, mask, 0, 0, {file, line});
}
inline unsigned __activemask(CUDA_ON_CPU_PLACE) {
    return unsigned(cuda_on_cpu::together(cuda_on_cpu::Together::active, 0, 0, 0, {file, line}));
}
inline unsigned __ballot_sync(unsigned mask, int predicate, CUDA_ON_CPU_PLACE) {
    return unsigned(cuda_on_cpu::together(cuda_on_cpu::Together::ballot, mask, predicate != 0, 0, {file, line}));
}
inline int __any_sync(unsigned mask, int predicate, CUDA_ON_CPU_PLACE) {
    return __ballot_sync(mask, predicate, file, line) != 0;
}
inline int __all_sync(unsigned mask, int predicate, CUDA_ON_CPU_PLACE) {
    return __ballot_sync(mask, !predicate, file, line) == 0;
}
template <typename T> unsigned __match_any_sync(unsigned mask, T value, CUDA_ON_CPU_PLACE) {
    uint64_t bits = 0;
    std::memcpy(&bits, &value, sizeof value);
    return unsigned(cuda_on_cpu::together(cuda_on_cpu::Together::match_any, mask, bits, 0, {file, line}));
}
template <typename T> unsigned __match_all_sync(unsigned mask, T value, int *all, CUDA_ON_CPU_PLACE) {
    uint64_t bits = 0;
    std::memcpy(&bits, &value, sizeof value);
    const auto same = unsigned(cuda_on_cpu::together(cuda_on_cpu::Together::match_all, mask, bits, 0, {file, line}));
    *all = same != 0;
    return same;
}
#define CUDA_ON_CPU_REDUCE(name, operation)                                                                            \
    inline int __reduce_##name##_sync(unsigned mask, int value, CUDA_ON_CPU_PLACE) {                                   \
        return cuda_on_cpu::reduce(cuda_on_cpu::Together::operation, mask, value, {file, line});                       \
    }                                                                                                                  \
    inline unsigned __reduce_##name##_sync(unsigned mask, unsigned value, CUDA_ON_CPU_PLACE) {                         \
        return cuda_on_cpu::reduce(cuda_on_cpu::Together::operation, mask, value, {file, line});                       \
    }
CUDA_ON_CPU_REDUCE(add, add)
CUDA_ON_CPU_REDUCE(min, min)
CUDA_ON_CPU_REDUCE(max, max)
CUDA_ON_CPU_REDUCE(and, and_)
CUDA_ON_CPU_REDUCE(or, or_)
CUDA_ON_CPU_REDUCE(xor, xor_)
#undef CUDA_ON_CPU_REDUCE

// CUDA declares these still; __shfl and its like are gone, and THC/THCRemoved.cuh has them for old code.
inline int __any(int predicate, CUDA_ON_CPU_PLACE) { return __ballot_sync(0, predicate, file, line) != 0; }
inline int __all(int predicate, CUDA_ON_CPU_PLACE) { return __ballot_sync(0, !predicate, file, line) == 0; }
inline unsigned __ballot(int predicate, CUDA_ON_CPU_PLACE) { return __ballot_sync(0, predicate, file, line); }
