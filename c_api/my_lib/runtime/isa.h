// c_api/my_lib/runtime/isa.h: kernels compiled once per instruction set (base/isa.h), for bfloat16 in more of them.
//
// The pass called portable also compiles the extern "C" entry points, under MY_LIB_ENTRY_POINTS. Kernels of bfloat16
// are compiled twice more, as avx512_bf16 and amx_bf16, for that type alone.
//
//     namespace my_lib {
//     MY_LIB_EVERY_ISA(template <typename T> void add_forward(const T *, const T *, int64_t, T *);)
//     namespace MY_LIB_ISA {
//     template <typename T> void add_forward(const T *input1, const T *input2, int64_t size, T *output) { ... }
//     template void add_forward(const float *, const float *, int64_t, float *);
//     }
//     }
//     #if MY_LIB_ENTRY_POINTS
//     ... MY_LIB_CHOOSE(add_forward<T>)(input1, input2, size, output) ...
//     #endif
#pragma once

#include "base/isa.h"
#include "runtime/elements.h"

#include <cstddef>
#include <cstdint>

#if defined(MY_LIB_ISA_PORTABLE)
#define MY_LIB_ENTRY_POINTS 1
#else
#define MY_LIB_ENTRY_POINTS 0
#endif

#define MY_LIB_CHOOSE(...) BASE_CHOOSE(::my_lib, __VA_ARGS__)

#if defined(BASE_SEVERAL_ISAS)
#define MY_LIB_EVERY_ISA(...)                                                                                          \
    BASE_EVERY_ISA(__VA_ARGS__)                                                                                        \
    namespace avx512_bf16 { __VA_ARGS__ }                                                                              \
    namespace amx_bf16 { __VA_ARGS__ }
// The same for a function that those two passes have for S = bfloat16.
#define MY_LIB_CHOOSE_FOR(S, ...)                                                                                      \
    ([] {                                                                                                              \
        if constexpr (std::is_same_v<S, ::my_lib::bfloat16>) {                                                         \
            if (::base::isa() == ::base::Isa::avx512_bf16) return &::my_lib::avx512_bf16::__VA_ARGS__;                 \
            if (::base::isa() == ::base::Isa::amx_bf16 && ::base::may_use_amx())                                       \
                return &::my_lib::amx_bf16::__VA_ARGS__;                                                               \
        }                                                                                                              \
        return MY_LIB_CHOOSE(__VA_ARGS__);                                                                             \
    }())
#else
#define MY_LIB_EVERY_ISA(...) BASE_EVERY_ISA(__VA_ARGS__)
#define MY_LIB_CHOOSE_FOR(S, ...) MY_LIB_CHOOSE(__VA_ARGS__)
#endif

#if MY_LIB_ENTRY_POINTS
namespace my_lib {
// Whether the environment variable MY_LIB_CPU has no value or one that can be used; else it is the caller's error.
bool check_cpu();
}  // namespace my_lib
#endif
