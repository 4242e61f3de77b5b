// c_api/base/isa.h: one kernel source, compiled once per instruction set and chosen at run time.
//
// A kernel file is compiled three times (once on aarch64, and where BASE_PORTABLE_ALONE is defined), each time with
// <LIBRARY>_ISA set to the namespace that its kernels go to. Its header declares what it has once per namespace, and
// callers choose:
//
//     BASE_EVERY_ISA(template <typename T> void cube(const T *, int64_t, T *);)       in namespace my_lib
//     namespace MY_LIB_ISA { template <typename T> void cube(...) { ... } ... }       the kernel, with its instantiations
//     BASE_CHOOSE(::my_lib, cube<T>)(input, size, output)                             a caller
//
// Everything inline that a kernel uses must be static or live in that namespace: an inline function shared by the
// passes would be kept once by the linker, perhaps with instructions that this CPU does not have. That rules out
// function templates of the standard library.
#pragma once

#if defined(__x86_64__) && !defined(BASE_PORTABLE_ALONE)
#define BASE_SEVERAL_ISAS
#endif

#if defined(BASE_SEVERAL_ISAS)
#define BASE_EVERY_ISA(...)                                                                                            \
    namespace portable { __VA_ARGS__ }                                                                                 \
    namespace avx2 { __VA_ARGS__ }                                                                                     \
    namespace avx512 { __VA_ARGS__ }
#define BASE_CHOOSE(library, ...)                                                                                      \
    (::base::isa() >= ::base::Isa::avx512 ? &library::avx512::__VA_ARGS__                                              \
     : ::base::isa() == ::base::Isa::avx2 ? &library::avx2::__VA_ARGS__                                                \
                                          : &library::portable::__VA_ARGS__)
#else
#define BASE_EVERY_ISA(...) namespace portable { __VA_ARGS__ }
#define BASE_CHOOSE(library, ...) (&library::portable::__VA_ARGS__)
#endif

namespace base {

// Each one contains those before it.
enum class Isa { portable, avx2, avx512, avx512_bf16, amx_bf16 };

// Defined by each library: the environment variable that names an instruction set, and the last one that its kernels
// are compiled for.
extern const char *const isa_variable;
extern const Isa last_isa;

// The instruction set in use: the best one of the library's that the CPU has, or the one that isa_variable names, as
// above; refused_isa.h says what becomes of one that the CPU lacks. Read once, on first use.
Isa isa();
const char *isa_name();

// Asks the kernel for the tile registers, once. The first product of bfloat16 does so, not the start of the library:
// from then on every signal stack of the process must be large enough for them.
bool may_use_amx();

}  // namespace base
