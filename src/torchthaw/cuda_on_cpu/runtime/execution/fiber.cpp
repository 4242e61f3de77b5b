// cuda_on_cpu/runtime/fiber.cpp: stacks, and the way from one to another.
#include "fiber.h"

#include "checks/check.h"
#include "errors.h"
#include "checks/sanitizer.h"
#include "switch.h"

#include <sys/mman.h>

#include <atomic>
#include <cstdint>

namespace cuda_on_cpu {
namespace {

// Room for the largest frames of kernels; under AddressSanitizer they are larger. The odd lines keep the tops of stacks,
// which are used most, in different sets of the caches.
constexpr size_t page = 4096, most = 1024, plain_bytes = (256 << 10) + 1088, checked_bytes = 512 << 10;

// Nothing is there: a large frame of the first stack, which most kernels have alone, does not reach other memory.
constexpr size_t below = 64 << 20;

__thread Fiber *left;  // the fiber that ran before the one that runs

size_t stack_bytes() { return checking ? checked_bytes : plain_bytes; }

}  // namespace

Stacks::~Stacks() {
    if (memory_) munmap(memory_ - below, below + most * stack_bytes());
}

bool Stacks::reserve() {
    if (memory_) return true;
    void *memory = mmap(nullptr, below + most * stack_bytes(), PROT_NONE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
    if (memory == MAP_FAILED) return false;
    char *first = static_cast<char *>(memory) + below;
    if (mprotect(first, most * stack_bytes(), PROT_READ | PROT_WRITE)) {
        munmap(memory, below + most * stack_bytes());
        return false;
    }
    memory_ = first;
    return true;
}

bool Stacks::overflows(const void *address) const {
    const char *a = static_cast<const char *>(address);
    if (!memory_ || a < memory_ - below || a >= memory_ + most * stack_bytes()) return false;
    if (a < memory_) return true;
    for (unsigned i = 0; i < most; i++)
        if (const char *guard = guard_of(i); a >= guard && a < guard + page) return true;
    return false;
}

// The page that ends the i-th stack.
char *Stacks::guard_of(unsigned i) const {
    char *low = memory_ + i * stack_bytes();
    return low + (page - uintptr_t(low) % page) % page;
}

void Stacks::prepare(Fiber &fiber, unsigned i, void (*entry)()) {
    if (!fiber.stack) {
        char *top = memory_ + (i + 1) * stack_bytes(), *guard = guard_of(i);
        fiber.stack = guard;
        // One thread's overflow is then an error, not another thread's wrong value. Each is two more pieces of memory, of
        // which a process may have about 65,000.
        if (!mprotect(guard, page, PROT_NONE)) {
            fiber.stack += page;
        } else {
            static std::atomic_flag said = ATOMIC_FLAG_INIT;
            if (!said.test_and_set())
                print("CUDA on the CPU: the stacks of further threads have no guard, for the system gives no more pieces of "
                      "memory (vm.max_map_count): an overflow of one is not found");
        }
        fiber.stack_bytes = size_t(top - fiber.stack);
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
