// c_api/th/runtime/isa.cpp: the instruction set in use.
#include "th/runtime/isa.h"

#include <cstdlib>
#include <cstring>

namespace th {
namespace {

Isa detect() {
#if defined(__x86_64__)
    Isa best = Isa::portable;
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("f16c")) {
        best = Isa::avx2;
        if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
            __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl"))
            best = Isa::avx512;
    }
    const char *wanted = getenv("THAW_CPU");
    if (wanted && !strcmp(wanted, "portable")) return Isa::portable;
    if (wanted && !strcmp(wanted, "avx2") && best == Isa::avx512) return Isa::avx2;
    return best;
#else
    return Isa::portable;
#endif
}

}  // namespace

Isa isa() {
    static const Isa chosen = detect();
    return chosen;
}

}  // namespace th
