/* operators/kernel.h: PyTorch's boxed kernels of C functions. */
#pragma once

#include "bridge/bridge.h"

namespace bridge {

/* See thaw_bridge::kernel. */
void kernel(const thaw_callable *function, void *frame, int functional, uint64_t *stack, uint64_t inputs,
            uint64_t outputs);

}  // namespace bridge
