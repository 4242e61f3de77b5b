// c_api/th/runtime/isa.h: kernels compiled once per instruction set and chosen at run time.
//
// <name>_kernels.cpp is compiled three times (once on aarch64), each time with TH_ISA set to the namespace for its
// code. Its header declares what it offers once per namespace, and callers choose:
//
//     TH_EVERY_ISA(template <typename Operation> Row row();)          <name>_kernels.h
//     namespace th::TH_ISA { template <...> Row row() {...} ... }     <name>_kernels.cpp, with its instantiations
//     TH_CHOOSE(row<Operation>)()                                     anywhere else
//
// Inline functions in such a file are static or in namespace TH_ISA: one shared by the passes would be kept once by the
// linker, perhaps with instructions that this CPU does not have. That rules out the standard library's templates.
#pragma once

#if defined(__x86_64__)
#define TH_EVERY_ISA(...)                                                                                              \
    namespace portable { __VA_ARGS__ }                                                                                 \
    namespace avx2 { __VA_ARGS__ }                                                                                     \
    namespace avx512 { __VA_ARGS__ }
#define TH_CHOOSE(...)                                                                                                 \
    (::th::isa() == ::th::Isa::avx512 ? &::th::avx512::__VA_ARGS__                                                     \
     : ::th::isa() == ::th::Isa::avx2 ? &::th::avx2::__VA_ARGS__                                                       \
                                      : &::th::portable::__VA_ARGS__)
#else
#define TH_EVERY_ISA(...) namespace portable { __VA_ARGS__ }
#define TH_CHOOSE(...) (&::th::portable::__VA_ARGS__)
#endif

namespace th {

enum class Isa { portable, avx2, avx512 };

// The best instruction set of this CPU, or the one named by the environment variable THAW_CPU (portable, avx2 or
// avx512) where the CPU has it. Read once.
Isa isa();

}  // namespace th
