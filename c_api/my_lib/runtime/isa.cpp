// c_api/my_lib/runtime/isa.cpp: finds the instruction set to use.
#include "runtime/isa.h"

#include <atomic>
#include <cstdlib>
#include <cstring>

namespace my_lib {
namespace {

constexpr const char *names[] = {"portable", "avx2", "avx512"};

Isa best_of_this_cpu() {
#if defined(__x86_64__)
    __builtin_cpu_init();
    const bool avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
    const bool avx512 = avx2 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
                        __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
    return avx512 ? Isa::avx512 : avx2 ? Isa::avx2 : Isa::portable;
#else
    return Isa::portable;
#endif
}

Isa detect() {
    const Isa best = best_of_this_cpu();
    const char *wanted = std::getenv("MY_LIB_CPU");
    for (int i = 0; wanted && i <= static_cast<int>(best); ++i)
        if (std::strcmp(wanted, names[i]) == 0) return static_cast<Isa>(i);
    return best;
}

}  // namespace

Isa isa() {
    // Threads that race here all find the same answer.
    static std::atomic<int> cached{-1};
    int value = cached.load(std::memory_order_relaxed);
    if (value < 0) {
        value = static_cast<int>(detect());
        cached.store(value, std::memory_order_relaxed);
    }
    return static_cast<Isa>(value);
}

const char *isa_name() { return names[static_cast<int>(isa())]; }

}  // namespace my_lib
