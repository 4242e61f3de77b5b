// tests/th/failing_malloc.cpp: malloc and its like, above the C library's or AddressSanitizer's, which are asked for
// memory before a sanitizer is ready: this file is compiled without.
#include "failing_malloc.h"

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <link.h>

extern "C" {
#define BELOW(returns, name, ...)                                                                                      \
    returns __libc_##name(__VA_ARGS__);                                                                                \
    returns __interceptor_##name(__VA_ARGS__) __attribute__((weak));
BELOW(void *, malloc, size_t)
BELOW(void *, memalign, size_t, size_t)
BELOW(void *, realloc, void *, size_t)
BELOW(void *, calloc, size_t, size_t)
BELOW(void, free, void *)
}
#define CALL_BELOW(name, ...) (__interceptor_##name ? __interceptor_##name(__VA_ARGS__) : __libc_##name(__VA_ARGS__))

namespace failing_malloc {

thread_local long fails_in = -1;
bool fails_now() { return fails_in > 0 && --fails_in == 0; }

static long live = 0;
static void add(long blocks) { __atomic_fetch_add(&live, blocks, __ATOMIC_RELAXED); }
long live_blocks() { return __atomic_load_n(&live, __ATOMIC_RELAXED); }

static uintptr_t code_begin = 0, code_end = 0;
bool find_libth() {
    dl_iterate_phdr(
        [](dl_phdr_info *info, size_t, void *) {
            for (int i = 0; strstr(info->dlpi_name, "libth.so") && i < info->dlpi_phnum; i++) {
                const auto &segment = info->dlpi_phdr[i];
                if (segment.p_type != PT_LOAD || !(segment.p_flags & PF_X)) continue;
                code_begin = info->dlpi_addr + segment.p_vaddr;
                code_end = code_begin + segment.p_memsz;
            }
            return 0;
        },
        nullptr);
    return code_end > code_begin;
}
static bool fails_for(void *caller) {
    return uintptr_t(caller) >= code_begin && uintptr_t(caller) < code_end && fails_now();
}

}  // namespace failing_malloc

#define FAILS_NOW() failing_malloc::fails_for(__builtin_return_address(0))
#define REPLACEMENT __attribute__((visibility("default")))

extern "C" {
REPLACEMENT void *malloc(size_t size) {
    if (FAILS_NOW()) return nullptr;
    failing_malloc::add(1);
    return CALL_BELOW(malloc, size);
}
REPLACEMENT void *calloc(size_t n, size_t size) {
    if (FAILS_NOW()) return nullptr;
    failing_malloc::add(1);
    return CALL_BELOW(calloc, n, size);
}
REPLACEMENT int posix_memalign(void **memory, size_t alignment, size_t size) {
    if (FAILS_NOW()) return ENOMEM;
    failing_malloc::add(1);
    return (*memory = CALL_BELOW(memalign, alignment, size)) ? 0 : ENOMEM;
}
REPLACEMENT void *realloc(void *memory, size_t size) {
    if (size && FAILS_NOW()) return nullptr;
    if (!memory) failing_malloc::add(1);
    if (memory && !size) failing_malloc::add(-1);
    return CALL_BELOW(realloc, memory, size);
}
REPLACEMENT void free(void *memory) {
    if (memory) failing_malloc::add(-1);
    CALL_BELOW(free, memory);
}
}
