// cuda_on_cpu/ptx/memory.h: PTX's addresses, loads, stores and atomic operations.
#pragma once

#include <cuda_on_cpu/atomics.h>
#include <cuda_on_cpu/execution.h>
#include <cuda_on_cpu/ptx/floats.h>
#include <cuda_on_cpu/spaces.h>

namespace cuda_on_cpu {
namespace ptx {

inline Place here(const char *file = __builtin_FILE(), int line = __builtin_LINE()) { return {file, line}; }

// An address in shared memory is the distance from where that of the running block begins, so it fits into 32 bits.
constexpr u64 shared_bytes = 64 << 20;  // what runtime/memory/shared.cpp reserves for a block
inline char *shared_begin() { return static_cast<char *>(dynamic_shared("inline PTX", here())); }
inline u64 to_shared(const void *address) { return u64(static_cast<const char *>(address) - shared_begin()); }
inline char *from_shared(u64 at) {
    // One that was not converted, of code that takes a pointer's value as it is.
    return at < shared_bytes ? shared_begin() + at : reinterpret_cast<char *>(at);
}
inline bool is_shared(const void *address) { return is_in(Space::shared, address); }
inline bool is_local(const void *address) { return is_in(Space::local, address); }
inline char *generic(u64 address) { return reinterpret_cast<char *>(address); }

// How strong an access is: weak ones are plain; others let those go on for which a thread waits.
enum Strength { weak, relaxed, acquire, release };
template <typename T> struct Vector {
    T at[4];
};
template <typename T, int n> Vector<T> load(Strength strength, const char *address) {
    Vector<T> result = {};
    if (strength == weak) return std::memcpy(result.at, address, n * sizeof(T)), result;
    may_wait();
    for (int i = 0; i < n; i++)
        __atomic_load(reinterpret_cast<const T *>(address) + i, &result.at[i], strength == acquire ? __ATOMIC_ACQUIRE : __ATOMIC_RELAXED);
    return result;
}
template <typename T, int n> void store(Strength strength, char *address, Vector<T> value) {
    if (strength == weak) return void(std::memcpy(address, value.at, n * sizeof(T)));
    for (int i = 0; i < n; i++)
        __atomic_store(reinterpret_cast<T *>(address) + i, &value.at[i], strength == release ? __ATOMIC_RELEASE : __ATOMIC_RELAXED);
}

// An atomic operation, with the order of the accesses around it.
template <typename F> auto ordered(F operation) {
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
    const auto result = operation();
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
    return result;
}
template <typename Format, typename T> T add_halves(char *address, T value) {
    for (unsigned i = 0; i < sizeof(T) / 2; i++) note_float_atomic(address + 2 * i, 2);
    T before = 0;
    for (unsigned i = 0; i < sizeof(T) / 2; i++) {  // of each number by itself, as on a card
        auto *part = reinterpret_cast<u16 *>(address) + i;
        u16 seen = __atomic_load_n(part, __ATOMIC_RELAXED), sum;
        do sum = each<Format>([](double a, double b) { return a + b; }, seen, u16(value >> 16 * i));
        while (!__atomic_compare_exchange_n(part, &seen, sum, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED));
        before = T(before | T(T(seen) << 16 * i));
    }
    return before;
}

// A copy into shared memory is done when it returns. What is not read becomes 0.
inline void copy_async(char *to, const char *from, u32 bytes, u32 read) {
    read = read < bytes ? read : bytes;
    std::memcpy(to, from, read);
    std::memset(to + read, 0, bytes - read);
}

}  // namespace ptx
}  // namespace cuda_on_cpu

inline size_t __cvta_generic_to_shared(const void *address) { return size_t(cuda_on_cpu::ptx::to_shared(address)); }
inline void *__cvta_shared_to_generic(size_t address) { return cuda_on_cpu::ptx::from_shared(address); }
// The addresses of the other spaces are pointers.
#define CUDA_ON_CPU_SPACE(name)                                                                                        \
    inline size_t __cvta_generic_to_##name(const void *address) { return reinterpret_cast<size_t>(address); }          \
    inline void *__cvta_##name##_to_generic(size_t address) { return reinterpret_cast<void *>(address); }
CUDA_ON_CPU_SPACE(global)
CUDA_ON_CPU_SPACE(local)
CUDA_ON_CPU_SPACE(constant)
#undef CUDA_ON_CPU_SPACE
