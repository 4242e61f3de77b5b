// cuda_on_cpu/runtime/memory/spaces.cpp: what kind of memory an address is of.
#include "execution/block.h"
#include "memory/memory.h"

#include <cuda_on_cpu/spaces.h>

namespace cuda_on_cpu {
namespace {

// The stack of the thread that asks is near the frame of what it calls: stacks of threads have 256 KiB each.
bool is_near(const void *address, const void *frame) {
    const uintptr_t a = uintptr_t(address), b = uintptr_t(frame);
    return a >= b && a - b < uintptr_t(256) << 10;
}

}  // namespace

bool is_in(Space space, const void *address) {
    const bool known = find_array(address, nullptr);
    Block *block = Block::running();
    switch (space) {
    case Space::global: return known;
    case Space::shared: return block && block->shared().holds(address);
    case Space::local: return block && !known && is_near(address, __builtin_frame_address(0));
    }
    return false;
}

}  // namespace cuda_on_cpu
