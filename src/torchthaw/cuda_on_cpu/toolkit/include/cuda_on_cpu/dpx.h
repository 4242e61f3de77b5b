// cuda_on_cpu/dpx.h: __vimax3_s32 and its like: the largest and smallest of sums, of 32-bit numbers and of two 16-bit ones.
#pragma once

#include <cstdint>

namespace cuda_on_cpu {

template <typename T> T larger(T a, T b) { return a < b ? b : a; }
template <typename T> T smaller(T a, T b) { return b < a ? b : a; }
template <typename T> T wrapped_sum(T a, T b) { return T(uint32_t(a) + uint32_t(b)); }
template <typename T> T at_least_zero(T a) { return a < 0 ? T(0) : a; }

// f of the parts of up to three words, each a T; a part of the result is a T, too.
template <typename T, typename R, typename F> R by_parts(F f, uint32_t a, uint32_t b, uint32_t c = 0) {
    if constexpr (sizeof(T) == 4) {
        return R(f(T(a), T(b), T(c)));
    } else {
        const auto part = [&](int at) { return uint32_t(uint16_t(f(T(a >> at), T(b >> at), T(c >> at)))) << at; };
        return R(part(0) | part(16));
    }
}

}  // namespace cuda_on_cpu

// One of two or three numbers of type T, in a word of type R. `name`: s32, u32, s16x2 or u16x2.
#define CUDA_ON_CPU_DPX_TWO(function, R, T, expression)                                                                \
    inline R function(R x, R y) {                                                                                      \
        return cuda_on_cpu::by_parts<T, R>([](T a, T b, T) { return T(expression); }, uint32_t(x), uint32_t(y));       \
    }
#define CUDA_ON_CPU_DPX_THREE(function, R, T, expression)                                                              \
    inline R function(R x, R y, R z) {                                                                                 \
        return cuda_on_cpu::by_parts<T, R>([](T a, T b, T c) { return T(expression); }, uint32_t(x), uint32_t(y),      \
                                           uint32_t(z));                                                               \
    }
#define CUDA_ON_CPU_DPX(name, R, T, word, choose)                                                                      \
    CUDA_ON_CPU_DPX_THREE(__vi##word##3_##name, R, T, cuda_on_cpu::choose(cuda_on_cpu::choose(a, b), c))               \
    CUDA_ON_CPU_DPX_THREE(__viadd##word##_##name, R, T, cuda_on_cpu::choose(cuda_on_cpu::wrapped_sum(a, b), c))
#define CUDA_ON_CPU_DPX_RELU(name, R, T, word, choose)                                                                 \
    CUDA_ON_CPU_DPX_TWO(__vi##word##_##name##_relu, R, T, cuda_on_cpu::at_least_zero(cuda_on_cpu::choose(a, b)))       \
    CUDA_ON_CPU_DPX_THREE(__vi##word##3_##name##_relu, R, T,                                                           \
                          cuda_on_cpu::at_least_zero(cuda_on_cpu::choose(cuda_on_cpu::choose(a, b), c)))               \
    CUDA_ON_CPU_DPX_THREE(__viadd##word##_##name##_relu, R, T,                                                         \
                          cuda_on_cpu::at_least_zero(cuda_on_cpu::choose(cuda_on_cpu::wrapped_sum(a, b), c)))
// Which of two it is: true for the first one, also of equal ones.
#define CUDA_ON_CPU_DPX_WHICH(name, R, word, op)                                                                       \
    inline R __vib##word##_##name(R x, R y, bool *first) { return (*first = x op y) ? x : y; }
#define CUDA_ON_CPU_DPX_WHICH_TWO(name, T, word, op)                                                                   \
    inline unsigned __vib##word##_##name(unsigned x, unsigned y, bool *high, bool *low) {                              \
        *high = T(x >> 16) op T(y >> 16), *low = T(x) op T(y);                                                         \
        return ((*high ? x : y) & 0xffff0000u) | ((*low ? x : y) & 0xffffu);                                           \
    }
#define CUDA_ON_CPU_DPX_ALL(word, choose, op)                                                                          \
    CUDA_ON_CPU_DPX(s32, int, int32_t, word, choose)                                                                   \
    CUDA_ON_CPU_DPX(u32, unsigned, uint32_t, word, choose)                                                             \
    CUDA_ON_CPU_DPX(s16x2, unsigned, int16_t, word, choose)                                                            \
    CUDA_ON_CPU_DPX(u16x2, unsigned, uint16_t, word, choose)                                                           \
    CUDA_ON_CPU_DPX_RELU(s32, int, int32_t, word, choose)                                                              \
    CUDA_ON_CPU_DPX_RELU(s16x2, unsigned, int16_t, word, choose)                                                       \
    CUDA_ON_CPU_DPX_WHICH(s32, int, word, op)                                                                          \
    CUDA_ON_CPU_DPX_WHICH(u32, unsigned, word, op)                                                                     \
    CUDA_ON_CPU_DPX_WHICH_TWO(s16x2, int16_t, word, op)                                                                \
    CUDA_ON_CPU_DPX_WHICH_TWO(u16x2, uint16_t, word, op)
CUDA_ON_CPU_DPX_ALL(max, larger, >=)
CUDA_ON_CPU_DPX_ALL(min, smaller, <=)
#undef CUDA_ON_CPU_DPX_ALL
#undef CUDA_ON_CPU_DPX_WHICH_TWO
#undef CUDA_ON_CPU_DPX_WHICH
#undef CUDA_ON_CPU_DPX_RELU
#undef CUDA_ON_CPU_DPX
#undef CUDA_ON_CPU_DPX_THREE
#undef CUDA_ON_CPU_DPX_TWO
