// cuda_on_cpu/runtime/fiber.h: a stack on which threads of a block run, one after another until one of them waits.
#pragma once

#include <cuda_on_cpu/runtime.h>

namespace cuda_on_cpu {

enum class Waits { no, block, warp };

struct Fiber {
    void *top = nullptr;  // of the saved stack
    char *stack = nullptr;
    size_t stack_bytes = 0;
    void *fake_stack = nullptr;  // AddressSanitizer's

    // Of the thread that waits here.
    Waits waits = Waits::no;
    uint3 thread{};
    unsigned linear = 0;
    Place place{};
    int predicate = 0;
    Together operation{};
    unsigned mask = 0, lane = 0;  // of an operation of the warp
    uint64_t value = 0;           // its argument, then its result
};

// All stacks of a worker, in one piece of memory.
class Stacks {
public:
    ~Stacks();
    // False if there is no memory for them.
    bool reserve();
    // Whether an address is where a stack ends that was too small.
    bool overflows(const void *address) const;
    // The i-th, with `entry` to start at.
    void prepare(Fiber &, unsigned i, void (*entry)());

private:
    char *guard_of(unsigned i) const;

    char *memory_ = nullptr;
};

// From one fiber to another; `ends`: the first one is never resumed.
void change(Fiber &from, Fiber &to, bool ends = false);
// What a fiber does first: AddressSanitizer learns where it is.
void arrive(Fiber &now);

}  // namespace cuda_on_cpu
