// tests/th/little_memory.h: sizes beyond all memory, which are asked for on purpose, must fail, not fill the machine.
//
// Include it in one file of a program and call little_memory() first.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <sys/mman.h>
#include <sys/resource.h>

#if defined(__SANITIZE_ADDRESS__)  // gcc
#define TORCHTHAW_ADDRESS_SANITIZER
#elif defined(__has_feature)  // clang
#if __has_feature(address_sanitizer)
#define TORCHTHAW_ADDRESS_SANITIZER
#endif
#endif

#if defined(TORCHTHAW_ADDRESS_SANITIZER)
extern "C" __attribute__((visibility("default"))) const char *__asan_default_options() {
    return "allocator_may_return_null=1:max_allocation_size_mb=64";
}
inline void little_memory() {}
#else
inline void little_memory() {
    constexpr rlim_t bytes = rlim_t(2) << 30;
    const rlimit limit{bytes, bytes};
    setrlimit(RLIMIT_AS, &limit);
    if (mmap(nullptr, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0) == MAP_FAILED) return;
    // In qemu setrlimit() returns 0 and limits nothing: tests/CMakeLists.txt sets the limit from outside.
    fprintf(stderr, "setrlimit() does not limit memory here: run this under `prlimit --as=%llu`\n",
            (unsigned long long)bytes);
    exit(1);
}
#endif
