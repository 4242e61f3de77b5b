// cuda_on_cpu/packed.h: __vadd4 and its like: two or four small integers in 32 bits.
#pragma once

#include <cstdint>
#include <limits>
#include <type_traits>

namespace cuda_on_cpu {

// f of each pair of parts; a part is a T, and the result's lowest bits become one.
template <typename T, typename F> unsigned packed(unsigned a, unsigned b, F f) {
    constexpr unsigned bits = 8 * sizeof(T), mask = (1u << bits) - 1;
    unsigned result = 0;
    for (unsigned at = 0; at < 32; at += bits) result |= (unsigned(f(int(T(a >> at)), int(T(b >> at)))) & mask) << at;
    return result;
}
template <typename T> int clamped(int value) {
    const int low = std::numeric_limits<T>::min(), high = std::numeric_limits<T>::max();
    return value < low ? low : value > high ? high : value;
}

}  // namespace cuda_on_cpu

#define CUDA_ON_CPU_PACKED(name, T, n, expression)                                                                     \
    inline unsigned __v##name##n(unsigned a, unsigned b) {                                                             \
        using Part [[maybe_unused]] = T;                                                                               \
        return cuda_on_cpu::packed<T>(a, b, [](int x, int y) { return expression; });                                  \
    }
#define CUDA_ON_CPU_PACKED_ONE(name, T, n, expression)                                                                 \
    inline unsigned __v##name##n(unsigned a) {                                                                         \
        using Part [[maybe_unused]] = T;                                                                               \
        return cuda_on_cpu::packed<T>(a, 0, [](int x, int) { return expression; });                                    \
    }
#define CUDA_ON_CPU_PACKED_SUM(name, T, n)                                                                             \
    inline unsigned __v##name##n(unsigned a, unsigned b) {                                                             \
        unsigned sum = 0;                                                                                              \
        cuda_on_cpu::packed<T>(a, b, [&](int x, int y) { return int(sum += unsigned(x < y ? y - x : x - y)); });       \
        return sum;                                                                                                    \
    }
#define CUDA_ON_CPU_PACKED_COMPARE(name, T, n, op)                                                                     \
    CUDA_ON_CPU_PACKED(cmp##name, T, n, x op y ? -1 : 0)                                                               \
    CUDA_ON_CPU_PACKED(set##name, T, n, x op y ? 1 : 0)
#define CUDA_ON_CPU_PACKED_ALL(S, U, n)                                                                                \
    CUDA_ON_CPU_PACKED(add, U, n, x + y)                                                                               \
    CUDA_ON_CPU_PACKED(addss, S, n, cuda_on_cpu::clamped<Part>(x + y))                                                 \
    CUDA_ON_CPU_PACKED(addus, U, n, cuda_on_cpu::clamped<Part>(x + y))                                                 \
    CUDA_ON_CPU_PACKED(sub, U, n, x - y)                                                                               \
    CUDA_ON_CPU_PACKED(subss, S, n, cuda_on_cpu::clamped<Part>(x - y))                                                 \
    CUDA_ON_CPU_PACKED(subus, U, n, cuda_on_cpu::clamped<Part>(x - y))                                                 \
    CUDA_ON_CPU_PACKED(maxs, S, n, x < y ? y : x)                                                                      \
    CUDA_ON_CPU_PACKED(maxu, U, n, x < y ? y : x)                                                                      \
    CUDA_ON_CPU_PACKED(mins, S, n, y < x ? y : x)                                                                      \
    CUDA_ON_CPU_PACKED(minu, U, n, y < x ? y : x)                                                                      \
    CUDA_ON_CPU_PACKED(avgs, S, n, (x + y + (x + y >= 0)) >> 1)                                                        \
    CUDA_ON_CPU_PACKED(avgu, U, n, (x + y + 1) >> 1)                                                                   \
    CUDA_ON_CPU_PACKED(haddu, U, n, (x + y) >> 1)                                                                      \
    CUDA_ON_CPU_PACKED(absdiffs, S, n, x < y ? y - x : x - y)                                                          \
    CUDA_ON_CPU_PACKED(absdiffu, U, n, x < y ? y - x : x - y)                                                          \
    CUDA_ON_CPU_PACKED_ONE(abs, S, n, x < 0 ? -x : x)                                                                  \
    CUDA_ON_CPU_PACKED_ONE(absss, S, n, cuda_on_cpu::clamped<Part>(x < 0 ? -x : x))                                    \
    CUDA_ON_CPU_PACKED_ONE(neg, S, n, -x)                                                                              \
    CUDA_ON_CPU_PACKED_ONE(negss, S, n, cuda_on_cpu::clamped<Part>(-x))                                                \
    CUDA_ON_CPU_PACKED_SUM(sads, S, n)                                                                                 \
    CUDA_ON_CPU_PACKED_SUM(sadu, U, n)                                                                                 \
    CUDA_ON_CPU_PACKED_COMPARE(eq, U, n, ==)                                                                           \
    CUDA_ON_CPU_PACKED_COMPARE(ne, U, n, !=)                                                                           \
    CUDA_ON_CPU_PACKED_COMPARE(ges, S, n, >=)                                                                          \
    CUDA_ON_CPU_PACKED_COMPARE(geu, U, n, >=)                                                                          \
    CUDA_ON_CPU_PACKED_COMPARE(gts, S, n, >)                                                                           \
    CUDA_ON_CPU_PACKED_COMPARE(gtu, U, n, >)                                                                           \
    CUDA_ON_CPU_PACKED_COMPARE(les, S, n, <=)                                                                          \
    CUDA_ON_CPU_PACKED_COMPARE(leu, U, n, <=)                                                                          \
    CUDA_ON_CPU_PACKED_COMPARE(lts, S, n, <)                                                                           \
    CUDA_ON_CPU_PACKED_COMPARE(ltu, U, n, <)
CUDA_ON_CPU_PACKED_ALL(int16_t, uint16_t, 2)
CUDA_ON_CPU_PACKED_ALL(int8_t, uint8_t, 4)
#undef CUDA_ON_CPU_PACKED_ALL
#undef CUDA_ON_CPU_PACKED_COMPARE
#undef CUDA_ON_CPU_PACKED_SUM
#undef CUDA_ON_CPU_PACKED_ONE
#undef CUDA_ON_CPU_PACKED
