// cuda_on_cpu/runtime/fiber.cpp: stacks, and the way from one to another.
#include "fiber.h"

#include "check.h"
#include "sanitizer.h"
#include "switch.h"

#include <sys/mman.h>

namespace cuda_on_cpu {
namespace {

// Room for the largest frames of kernels; under AddressSanitizer they are larger. The odd lines keep the tops of stacks,
// which are used most, in different sets of the caches.
constexpr size_t page = 4096, most = 1024, plain_bytes = (256 << 10) + 1088, checked_bytes = 512 << 10;

__thread Fiber *left;  // the fiber that ran before the one that runs

size_t stack_bytes() { return checking ? checked_bytes : plain_bytes; }

}  // namespace

Stacks::~Stacks() {
    if (memory_) munmap(memory_, most * stack_bytes());
}

void Stacks::prepare(Fiber &fiber, unsigned i, void (*entry)()) {
    if (!memory_) {
        void *memory = mmap(nullptr, most * stack_bytes(), PROT_READ | PROT_WRITE,
                            MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
        if (memory == MAP_FAILED) fatal("no memory for the stacks of a block's threads");
        memory_ = static_cast<char *>(memory);
    }
    if (!fiber.stack) {
        fiber.stack = memory_ + i * stack_bytes();
        fiber.stack_bytes = stack_bytes();
        // One thread's overflow is then an error, not another thread's wrong value. Without a check there would be more
        // pieces of memory than a process may have.
        if (checking) mprotect(fiber.stack, page, PROT_NONE), fiber.stack += page, fiber.stack_bytes -= page;
    }
    // What abandoned frames left, also in memory that another block's stacks had.
    if (__asan_unpoison_memory_region) __asan_unpoison_memory_region(fiber.stack, fiber.stack_bytes);
    fiber.top = fresh_stack(fiber.stack + fiber.stack_bytes, entry);
    fiber.fake_stack = nullptr;
}

void arrive(Fiber &now) {
    Fiber *from = left;
    if (!__sanitizer_finish_switch_fiber) return;
    const void *bottom;
    size_t bytes;
    __sanitizer_finish_switch_fiber(now.fake_stack, &bottom, &bytes);
    if (from && !from->stack) {  // the host thread's own
        from->stack = static_cast<char *>(const_cast<void *>(bottom));
        from->stack_bytes = bytes;
    }
}

void change(Fiber &from, Fiber &to, bool ends) {
    if (__sanitizer_start_switch_fiber)
        __sanitizer_start_switch_fiber(ends ? nullptr : &from.fake_stack, to.stack, to.stack_bytes);
    left = &from;
    cuda_on_cpu_switch(&from.top, to.top);
    arrive(from);
}

}  // namespace cuda_on_cpu
