// cuda_on_cpu/runtime/switch.h: from one stack to another, in a few instructions.
#pragma once

namespace cuda_on_cpu {

// Saves the registers that a call keeps on the current stack, its top in *from, and goes on where `to` was saved.
extern "C" void cuda_on_cpu_switch(void **from, void *to) __attribute__((visibility("hidden")));

// What to switch to so that `entry` starts at the top of a stack, whose end is `top`. `entry` never returns.
void *fresh_stack(char *top, void (*entry)());

}  // namespace cuda_on_cpu
