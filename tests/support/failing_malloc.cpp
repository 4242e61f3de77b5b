// tests/support/failing_malloc.cpp: malloc and its like, above the C library's or AddressSanitizer's, which are asked
// for memory before a sanitizer is ready: this file is compiled without.
#include "failing_malloc.h"

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <link.h>
#include <unwind.h>

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

// Reading it must not need memory, in a preloaded library neither.
__attribute__((tls_model("initial-exec"))) thread_local long fails_in = -1;
bool fails_now() { return fails_in > 0 && --fails_in == 0; }

static long live = 0;
static void add(long blocks) { __atomic_fetch_add(&live, blocks, __ATOMIC_RELAXED); }
long live_blocks() { return __atomic_load_n(&live, __ATOMIC_RELAXED); }

struct Range {
    uintptr_t begin, end;
    bool has(const void *code) const { return uintptr_t(code) >= begin && uintptr_t(code) < end; }
};
static Range ours[64], runtime[8];
static int ours_count = 0, runtime_count = 0;

static int add_ranges(const char *name, Range *ranges, int count, int most) {
    struct Search {
        const char *name;
        Range *ranges;
        int count, most;
    } search{name, ranges, count, most};
    dl_iterate_phdr(
        [](dl_phdr_info *info, size_t, void *opaque) {
            auto *search = static_cast<Search *>(opaque);
            for (int i = 0; strstr(info->dlpi_name, search->name) && i < info->dlpi_phnum; i++) {
                const auto &segment = info->dlpi_phdr[i];
                if (segment.p_type != PT_LOAD || !(segment.p_flags & PF_X) || search->count == search->most) continue;
                const uintptr_t begin = info->dlpi_addr + segment.p_vaddr;
                search->ranges[search->count++] = {begin, begin + segment.p_memsz};
            }
            return 0;
        },
        &search);
    return search.count;
}

bool find(const char *name) {
    if (!runtime_count) runtime_count = add_ranges("libstdc++.so", runtime, 0, 8);
    const int before = ours_count;
    ours_count = add_ranges(name, ours, ours_count, 64);
    return ours_count > before;
}

template <size_t n> static bool is_in(const Range (&ranges)[n], int count, const void *code) {
    for (int i = 0; i < count; i++)
        if (ranges[i].has(code)) return true;
    return false;
}
bool is_ours(const void *code) { return is_in(ours, ours_count, code); }

enum Walk { BEFORE, WITHIN, OURS, OTHERS };

static _Unwind_Reason_Code step(_Unwind_Context *frame, void *out) {
    auto *walk = static_cast<Walk *>(out);
    const void *code = reinterpret_cast<void *>(_Unwind_GetIP(frame));
    if (is_in(runtime, runtime_count, code)) *walk = WITHIN;
    else if (*walk == WITHIN) *walk = is_ours(code) ? OURS : OTHERS;
    return *walk > WITHIN ? _URC_NORMAL_STOP : _URC_NO_REASON;
}

// Whose code called libstdc++, which calls here.
static bool is_ours_behind_runtime() {
    Walk walk = BEFORE;
    const long kept = fails_in;
    fails_in = -1;  // the unwinder's own memory
    _Unwind_Backtrace(step, &walk);
    fails_in = kept;
    return walk == OURS;
}

static bool fails_for(const void *caller) {
    if (fails_in <= 0) return false;
    const bool is = is_ours(caller) || (is_in(runtime, runtime_count, caller) && is_ours_behind_runtime());
    return is && fails_now();
}

// The memory itself, counted where there is any.
static void *counted(void *memory) {
    if (memory) add(1);
    return memory;
}

}  // namespace failing_malloc

#define FAILS_NOW() failing_malloc::fails_for(__builtin_return_address(0))
#define REPLACEMENT __attribute__((visibility("default")))

extern "C" {
REPLACEMENT void *malloc(size_t size) {
    if (FAILS_NOW()) return nullptr;
    return failing_malloc::counted(CALL_BELOW(malloc, size));
}
REPLACEMENT void *calloc(size_t n, size_t size) {
    if (FAILS_NOW()) return nullptr;
    return failing_malloc::counted(CALL_BELOW(calloc, n, size));
}
REPLACEMENT int posix_memalign(void **memory, size_t alignment, size_t size) {
    if (FAILS_NOW()) return ENOMEM;
    return (*memory = failing_malloc::counted(CALL_BELOW(memalign, alignment, size))) ? 0 : ENOMEM;
}
REPLACEMENT void *realloc(void *memory, size_t size) {
    if (size && FAILS_NOW()) return nullptr;
    if (!memory) return failing_malloc::counted(CALL_BELOW(realloc, memory, size));
    if (!size) failing_malloc::add(-1);
    return CALL_BELOW(realloc, memory, size);
}
REPLACEMENT void free(void *memory) {
    if (memory) failing_malloc::add(-1);
    CALL_BELOW(free, memory);
}
}
