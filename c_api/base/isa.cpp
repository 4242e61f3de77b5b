// c_api/base/isa.cpp: finds the instruction set to use.
#include "base/isa.h"

#include "base/unknown_isa.h"

#include <atomic>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#if defined(__x86_64__)
#include <cpuid.h>
#endif
#include <sys/syscall.h>
#include <unistd.h>

namespace base {
namespace {

constexpr const char *names[] = {"portable", "avx2", "avx512", "avx512_bf16", "amx_bf16"};
constexpr size_t text_size = 256;

#if defined(__x86_64__)
// <asm/prctl.h> of Linux 5.16.
constexpr int get_supported_features = 0x1021, request_permission = 0x1023, tile_data = 18;

bool kernel_supports_amx() {
    uint64_t features = 0;
    return syscall(SYS_arch_prctl, get_supported_features, &features) == 0 && (features >> tile_data & 1);
}

// What __builtin_cpu_supports() of clang 14 does not know. `which`: of the registers that CPUID fills, EAX to EDX.
bool cpuid_bit(unsigned leaf, int which, int bit) {
    unsigned given[4];
    return __get_cpuid_count(leaf, 0, &given[0], &given[1], &given[2], &given[3]) && (given[which] >> bit & 1);
}
bool cpu_has_f16c() { return cpuid_bit(1, 2, 29); }
bool cpu_has_amx_bf16() { return cpuid_bit(7, 3, 22); }
#endif

Isa best_of_this_cpu() {
#if defined(__x86_64__)
    __builtin_cpu_init();
    const bool avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && cpu_has_f16c();
    const bool avx512 = avx2 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
                        __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
    if (!avx512) return avx2 ? Isa::avx2 : Isa::portable;
    if (!__builtin_cpu_supports("avx512bf16")) return Isa::avx512;
    if (!cpu_has_amx_bf16()) return Isa::avx512_bf16;
    // CPUs with AMX take four times as long for VDPBF16PS as for an FMA: without AMX, to convert is faster.
    return kernel_supports_amx() ? Isa::amx_bf16 : Isa::avx512;
#else
    return Isa::portable;
#endif
}

Isa detect() {
    char text[text_size];
    if (is_unknown_isa(text, sizeof text)) on_unknown_isa();
    const Isa best = best_of_this_cpu() < last_isa ? best_of_this_cpu() : last_isa;
    const char *wanted = std::getenv(isa_variable);
    for (int i = 0; wanted && i <= static_cast<int>(best); ++i)
        if (std::strcmp(wanted, names[i]) == 0) return static_cast<Isa>(i);
    return best;
}

}  // namespace

bool is_unknown_isa(char *text, size_t size) {
    const char *value = std::getenv(isa_variable);
    if (!value || !*value) return false;
    for (const char *name : names)
        if (std::strcmp(value, name) == 0) return false;
    char listed[text_size];
    size_t used = 0;
    const int last = static_cast<int>(last_isa);
    for (int i = 0; i <= last; ++i) {
        const char *between = i == 0 ? "" : i == last ? " or " : ", ";
        used += static_cast<size_t>(std::snprintf(listed + used, sizeof listed - used, "%s%s", between, names[i]));
    }
    std::snprintf(text, size, "%s: expected %s, got '%s'", isa_variable, listed, value);
    return true;
}

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

bool may_use_amx() {
    static std::atomic<int> cached{-1};
    int value = cached.load(std::memory_order_relaxed);
    if (value < 0) {
#if defined(__x86_64__)
        value = syscall(SYS_arch_prctl, request_permission, tile_data) == 0;
#else
        value = 0;
#endif
        cached.store(value, std::memory_order_relaxed);
    }
    return value > 0;
}

const char *isa_name() { return names[static_cast<int>(isa())]; }

}  // namespace base
