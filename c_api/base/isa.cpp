// c_api/base/isa.cpp: finds the instruction set to use.
#include "base/isa.h"

#include "base/environment.h"
#include "base/refused_isa.h"

#include <atomic>
#include <cassert>
#include <cstddef>
#include <cstdint>

#if defined(__x86_64__)
#include <cpuid.h>
#endif
#include <sys/syscall.h>
#include <unistd.h>

namespace base {
namespace {

constexpr const char *names[] = {"portable", "avx2", "avx512", "avx512_bf16", "amx_bf16"};

#if defined(__x86_64__)
// <asm/prctl.h> of Linux 5.16.
constexpr int get_supported_features = 0x1021, request_permission = 0x1023, tile_data = 18;

bool kernel_supports_amx() {
    uint64_t features = 0;
    return syscall(SYS_arch_prctl, get_supported_features, &features) == 0 && (features >> tile_data & 1);
}

struct Registers {
    unsigned eax, ebx, ecx, edx;
};

// What __builtin_cpu_supports() of clang 14 does not know, as CPUID has it.
bool cpuid_bit(unsigned leaf, unsigned Registers::*which, int bit) {
    Registers given;
    return __get_cpuid_count(leaf, 0, &given.eax, &given.ebx, &given.ecx, &given.edx) && (given.*which >> bit & 1);
}
bool cpu_has_f16c() { return cpuid_bit(1, &Registers::ecx, 29); }
bool cpu_has_amx_bf16() { return cpuid_bit(7, &Registers::edx, 22); }
#endif

bool cpu_has(Isa isa) {
#if defined(__x86_64__)
    __builtin_cpu_init();
    switch (isa) {
    case Isa::portable: return true;
    case Isa::avx2: return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && cpu_has_f16c();
    case Isa::avx512:
        return cpu_has(Isa::avx2) && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
               __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
    case Isa::avx512_bf16: return cpu_has(Isa::avx512) && __builtin_cpu_supports("avx512bf16");
    case Isa::amx_bf16: return cpu_has(Isa::avx512_bf16) && cpu_has_amx_bf16() && kernel_supports_amx();
    }
    return false;
#else
    return isa == Isa::portable;
#endif
}

// Whether the library would choose it by itself, where the CPU has it.
bool is_fast(Isa isa) {
#if defined(__x86_64__)
    // CPUs with AMX take four times as long for VDPBF16PS as for an FMA: without AMX, to convert is faster.
    return isa != Isa::avx512_bf16 || !cpu_has_amx_bf16();
#else
    return isa == Isa::portable;
#endif
}

bool is_usable(int isa) { return isa >= 0 && isa <= static_cast<int>(last_isa) && cpu_has(static_cast<Isa>(isa)); }

int wanted_isa() { return find_word(isa_variable, names, static_cast<int>(last_isa) + 1); }

Isa detect() {
    char text[256];
    if (is_refused_isa(text, sizeof text)) on_refused_isa();
    const int wanted = wanted_isa();
    if (is_usable(wanted)) return static_cast<Isa>(wanted);
    int best = static_cast<int>(last_isa);
    while (!is_usable(best) || !is_fast(static_cast<Isa>(best))) {
        --best;
        assert(best >= 0);  // every processor has the portable one
    }
    return static_cast<Isa>(best);
}

}  // namespace

bool is_refused_isa(char *text, size_t size) {
    const int wanted = wanted_isa(), count = static_cast<int>(last_isa) + 1;
    assert(count <= static_cast<int>(sizeof names / sizeof *names));
    if (wanted == no_word || is_usable(wanted)) return false;
    const char *usable[sizeof names / sizeof *names];
    int found = 0;
    for (int i = 0; i < count; ++i)
        if (is_usable(i)) usable[found++] = names[i];
    if (wanted == unknown_word) explain_words(text, size, isa_variable, names, count, "");
    else explain_words(text, size, isa_variable, usable, found, ", which this processor has");
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
