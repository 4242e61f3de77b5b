// c_api/my_lib/runtime/isa.h: one kernel source, compiled once per instruction set and chosen at run time.
//
// A kernel file is compiled three times (once on aarch64), each time with MY_LIB_ISA set to the namespace that its
// kernels go to. The pass called portable also compiles the extern "C" entry points, under MY_LIB_ENTRY_POINTS.
// Kernels of bfloat16 are compiled twice more, as avx512_bf16 and amx_bf16, for that type alone.
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
//
// Everything inline that a kernel uses must be static or live in namespace MY_LIB_ISA: an inline function shared by
// the passes would be kept once by the linker, perhaps with instructions that this CPU does not have. That rules out
// function templates of the standard library.
#pragma once

#include "runtime/elements.h"

#include <cstddef>
#include <cstdint>

#if defined(MY_LIB_ISA_PORTABLE)
#define MY_LIB_ENTRY_POINTS 1
#else
#define MY_LIB_ENTRY_POINTS 0
#endif

#if defined(__x86_64__)
#define MY_LIB_EVERY_ISA(...)                                                                                          \
    namespace portable { __VA_ARGS__ }                                                                                 \
    namespace avx2 { __VA_ARGS__ }                                                                                     \
    namespace avx512 { __VA_ARGS__ }                                                                                   \
    namespace avx512_bf16 { __VA_ARGS__ }                                                                              \
    namespace amx_bf16 { __VA_ARGS__ }
#define MY_LIB_CHOOSE(...)                                                                                             \
    (::my_lib::isa() >= ::my_lib::Isa::avx512 ? &avx512::__VA_ARGS__                                                   \
     : ::my_lib::isa() == ::my_lib::Isa::avx2 ? &avx2::__VA_ARGS__                                                     \
                                              : &portable::__VA_ARGS__)
// The same for a function that those two passes have for S = bfloat16.
#define MY_LIB_CHOOSE_FOR(S, ...)                                                                                      \
    ([] {                                                                                                              \
        if constexpr (std::is_same_v<S, ::my_lib::bfloat16>) {                                                         \
            if (::my_lib::isa() == ::my_lib::Isa::avx512_bf16) return &avx512_bf16::__VA_ARGS__;                       \
            if (::my_lib::isa() == ::my_lib::Isa::amx_bf16 && ::my_lib::may_use_amx()) return &amx_bf16::__VA_ARGS__;  \
        }                                                                                                              \
        return MY_LIB_CHOOSE(__VA_ARGS__);                                                                             \
    }())
#else
#define MY_LIB_EVERY_ISA(...) namespace portable { __VA_ARGS__ }
#define MY_LIB_CHOOSE(...) (&portable::__VA_ARGS__)
#define MY_LIB_CHOOSE_FOR(S, ...) MY_LIB_CHOOSE(__VA_ARGS__)
#endif

namespace my_lib {

// Each one contains those before it.
enum class Isa { portable, avx2, avx512, avx512_bf16, amx_bf16 };

// The instruction set in use: the best one that the CPU has, or the one that the environment variable MY_LIB_CPU
// names, as above, where the CPU has it. Read once, on first use.
Isa isa();
const char *isa_name();

// Asks the kernel for the tile registers, once. The first product of bfloat16 does so, not the start of the library:
// from then on every signal stack of the process must be large enough for them.
bool may_use_amx();

}  // namespace my_lib
