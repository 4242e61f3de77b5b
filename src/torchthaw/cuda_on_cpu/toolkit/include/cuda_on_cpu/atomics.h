// cuda_on_cpu/atomics.h: atomicAdd and its like, atomic between the host's threads that run blocks.
//
// Templates: a project's own function for one type, such as atomicAdd of doubles for old cards, goes before them.
#pragma once

#include <cuda_on_cpu/runtime.h>

#include <cstring>
#include <type_traits>

namespace cuda_on_cpu {

template <typename T> using Same = typename std::common_type<T>::type;  // a parameter from which nothing is deduced
template <typename T, typename R = T>
using Integer = std::enable_if_t<std::is_integral_v<T> && (sizeof(T) == 4 || sizeof(T) == 8), R>;
template <typename T, typename R = T>
using Number = std::enable_if_t<std::is_arithmetic_v<T> && (sizeof(T) == 4 || sizeof(T) == 8), R>;
template <size_t bytes>
using Bits = std::conditional_t<bytes == 8, unsigned long long, std::conditional_t<bytes == 4, unsigned, unsigned short>>;

template <typename T> void note_atomic(const T *address) {
    if (!__builtin_expect(checking, 0)) return;
    if constexpr (std::is_integral_v<T>) note_integer_atomic(address);
    else note_float_atomic(address, sizeof(T));
}

// After an operation that may have left what was there: a thread that waits for another one does nothing else.
template <typename T> T seen(T before, bool changed) {
    if (!changed) may_wait();
    return before;
}

// *address = change(*address); returns what was there.
template <typename T, typename Change> T atomic_change(T *address, Change change) {
    note_atomic(address);
    using B = Bits<sizeof(T)>;
    auto *bits = reinterpret_cast<B *>(address);
    B before = __atomic_load_n(bits, __ATOMIC_RELAXED), after;
    T value;
    do {
        std::memcpy(&value, &before, sizeof value);
        const T changed = change(value);
        std::memcpy(&after, &changed, sizeof after);
    } while (!__atomic_compare_exchange_n(bits, &before, after, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED));
    std::memcpy(&value, &before, sizeof value);
    return value;
}

}  // namespace cuda_on_cpu

template <typename T> cuda_on_cpu::Number<T> atomicAdd(T *address, cuda_on_cpu::Same<T> value) {
    if constexpr (std::is_integral_v<T>) {
        cuda_on_cpu::note_atomic(address);
        return cuda_on_cpu::seen<T>(__atomic_fetch_add(address, value, __ATOMIC_RELAXED), value != 0);
    } else {
        return cuda_on_cpu::atomic_change(address, [value](T before) { return before + value; });
    }
}
// Of each number by itself, as on a card.
inline float2 atomicAdd(float2 *address, float2 value) {
    return {atomicAdd(&address->x, value.x), atomicAdd(&address->y, value.y)};
}
inline float4 atomicAdd(float4 *address, float4 value) {
    return {atomicAdd(&address->x, value.x), atomicAdd(&address->y, value.y), atomicAdd(&address->z, value.z),
            atomicAdd(&address->w, value.w)};
}
template <typename T> cuda_on_cpu::Integer<T> atomicSub(T *address, cuda_on_cpu::Same<T> value) {
    cuda_on_cpu::note_atomic(address);
    return cuda_on_cpu::seen<T>(__atomic_fetch_sub(address, value, __ATOMIC_RELAXED), value != 0);
}
template <typename T> cuda_on_cpu::Integer<T> atomicAnd(T *address, cuda_on_cpu::Same<T> value) {
    cuda_on_cpu::note_atomic(address);
    const T before = __atomic_fetch_and(address, value, __ATOMIC_RELAXED);
    return cuda_on_cpu::seen(before, (before & value) != before);
}
template <typename T> cuda_on_cpu::Integer<T> atomicOr(T *address, cuda_on_cpu::Same<T> value) {
    cuda_on_cpu::note_atomic(address);
    return cuda_on_cpu::seen<T>(__atomic_fetch_or(address, value, __ATOMIC_RELAXED), value != 0);
}
template <typename T> cuda_on_cpu::Integer<T> atomicXor(T *address, cuda_on_cpu::Same<T> value) {
    cuda_on_cpu::note_atomic(address);
    return cuda_on_cpu::seen<T>(__atomic_fetch_xor(address, value, __ATOMIC_RELAXED), value != 0);
}
template <typename T> cuda_on_cpu::Integer<T> atomicMin(T *address, cuda_on_cpu::Same<T> value) {
    return cuda_on_cpu::atomic_change(address, [value](T before) { return value < before ? value : before; });
}
template <typename T> cuda_on_cpu::Integer<T> atomicMax(T *address, cuda_on_cpu::Same<T> value) {
    return cuda_on_cpu::atomic_change(address, [value](T before) { return value > before ? value : before; });
}
template <typename T> cuda_on_cpu::Number<T> atomicExch(T *address, cuda_on_cpu::Same<T> value) {
    const T before = cuda_on_cpu::atomic_change(address, [value](T) { return value; });
    return cuda_on_cpu::seen(before, std::memcmp(&before, &value, sizeof value) != 0);
}
inline unsigned atomicInc(unsigned *address, unsigned limit) {
    return cuda_on_cpu::atomic_change(address, [limit](unsigned before) { return before >= limit ? 0 : before + 1; });
}
inline unsigned atomicDec(unsigned *address, unsigned limit) {
    return cuda_on_cpu::atomic_change(
        address, [limit](unsigned before) { return before == 0 || before > limit ? limit : before - 1; });
}
template <typename T>
std::enable_if_t<std::is_integral_v<T> && (sizeof(T) == 2 || sizeof(T) == 4 || sizeof(T) == 8), T>
atomicCAS(T *address, cuda_on_cpu::Same<T> expected, cuda_on_cpu::Same<T> value) {
    if (__builtin_expect(cuda_on_cpu::checking, 0) && sizeof(T) > 2) cuda_on_cpu::note_swap(address, sizeof(T));
    T before = expected;
    const bool taken =
        __atomic_compare_exchange_n(address, &before, T(value), false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
    return cuda_on_cpu::seen(before, taken && T(value) != before);
}
// The forms for a block and for the whole system are as strong as all.
#define CUDA_ON_CPU_SCOPES(name)                                                                                       \
    template <typename T, typename... Rest> auto name##_block(T *address, Rest... rest) { return name(address, rest...); } \
    template <typename T, typename... Rest> auto name##_system(T *address, Rest... rest) { return name(address, rest...); }
CUDA_ON_CPU_SCOPES(atomicAdd)
CUDA_ON_CPU_SCOPES(atomicSub)
CUDA_ON_CPU_SCOPES(atomicInc)
CUDA_ON_CPU_SCOPES(atomicDec)
CUDA_ON_CPU_SCOPES(atomicMin)
CUDA_ON_CPU_SCOPES(atomicMax)
CUDA_ON_CPU_SCOPES(atomicExch)
CUDA_ON_CPU_SCOPES(atomicCAS)
CUDA_ON_CPU_SCOPES(atomicAnd)
CUDA_ON_CPU_SCOPES(atomicOr)
CUDA_ON_CPU_SCOPES(atomicXor)
#undef CUDA_ON_CPU_SCOPES
