// c_api/th/runtime/memory.cpp: aligned allocation, with one call of the collector before giving up.
#include "th/runtime/memory.h"

#include "th/runtime/export.h"

namespace th {
namespace {

constexpr ptrdiff_t alignment = 64;
constexpr ptrdiff_t aligned_above = 5120;
constexpr ptrdiff_t collect_every = 300 << 20;

struct Collector {
    void (*function)(void *) = nullptr;
    void *data = nullptr;
    ptrdiff_t grown = 0;  // bytes reported by THHeapUpdate since it last ran

    void run() {
        grown = 0;
        if (function) function(data);
    }
};
thread_local Collector collector;

void *try_allocate(ptrdiff_t bytes) {
    if (bytes <= aligned_above) return malloc(size_t(bytes));
    void *memory;
    return posix_memalign(&memory, alignment, size_t(bytes)) ? nullptr : memory;
}

void check_size(ptrdiff_t bytes) { TH_CHECK(bytes >= 0, "$ Torch: invalid memory size -- maybe an overflow?"); }

}  // namespace

void *allocate(ptrdiff_t bytes) {
    check_size(bytes);
    if (bytes == 0) return nullptr;
    void *memory = try_allocate(bytes);
    if (!memory && collector.function) {
        collector.run();
        memory = try_allocate(bytes);
    }
    TH_CHECK(memory, "$ Torch: not enough memory: you tried to allocate %dGB. Buy new RAM!", int(bytes >> 30));
    return memory;
}

void *reallocate(void *memory, ptrdiff_t bytes) {
    if (!memory) return allocate(bytes);
    check_size(bytes);
    if (bytes == 0) {
        free(memory);
        return nullptr;
    }
    void *moved = realloc(memory, size_t(bytes));
    if (!moved && collector.function) {
        collector.run();
        moved = realloc(memory, size_t(bytes));
    }
    TH_CHECK(moved, "$ Torch: not enough memory: you tried to reallocate %dGB. Buy new RAM!", int(bytes >> 30));
    // realloc keeps only malloc's own alignment.
    if (bytes > aligned_above && uintptr_t(moved) % alignment != 0) {
        void *aligned = try_allocate(bytes);
        if (aligned) {
            memcpy(aligned, moved, size_t(bytes));
            free(moved);
            return aligned;
        }
    }
    return moved;
}

ptrdiff_t bytes_for(ptrdiff_t count, size_t element) {
    ptrdiff_t bytes;
    return __builtin_mul_overflow(count, ptrdiff_t(element), &bytes) ? (check_size(-1), 0) : (check_size(bytes), bytes);
}

}  // namespace th

extern "C" {

void *THAlloc(ptrdiff_t size) {
    return th::guarded([&] { return th::allocate(size); });
}

void *THRealloc(void *ptr, ptrdiff_t size) {
    return th::guarded([&] { return th::reallocate(ptr, size); });
}

void THFree(void *ptr) { free(ptr); }

void THSetGCHandler(void (*torchGCHandlerFunction)(void *data), void *data) {
    th::collector.function = torchGCHandlerFunction;
    th::collector.data = data;
}

void THHeapUpdate(ptrdiff_t size) {
    th::collector.grown += size;
    if (th::collector.grown > th::collect_every) th::collector.run();
}
}
