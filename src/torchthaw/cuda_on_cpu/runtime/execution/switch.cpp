// cuda_on_cpu/runtime/switch.cpp: the registers that the calling conventions of x86-64 and aarch64 keep over a call.
#include "switch.h"

#include <cstdint>
#include <cstring>

#if defined(__x86_64__)
asm(R"(
    .text
    .globl cuda_on_cpu_switch
    .hidden cuda_on_cpu_switch
    .type cuda_on_cpu_switch, @function
cuda_on_cpu_switch:
    .cfi_startproc
    endbr64
    pushq %rbp
    pushq %rbx
    pushq %r12
    pushq %r13
    pushq %r14
    pushq %r15
    movq %rsp, (%rdi)
    movq %rsi, %rsp
    popq %r15
    popq %r14
    popq %r13
    popq %r12
    popq %rbx
    popq %rbp
    ret
    .cfi_endproc
    .size cuda_on_cpu_switch, .-cuda_on_cpu_switch
)");
static constexpr int address = 6, words = 8;  // entry finds the stack as after a call
#elif defined(__aarch64__)
asm(R"(
    .text
    .globl cuda_on_cpu_switch
    .hidden cuda_on_cpu_switch
    .type cuda_on_cpu_switch, %function
cuda_on_cpu_switch:
    .cfi_startproc
    hint #34
    sub sp, sp, #160
    stp x19, x20, [sp, #0]
    stp x21, x22, [sp, #16]
    stp x23, x24, [sp, #32]
    stp x25, x26, [sp, #48]
    stp x27, x28, [sp, #64]
    stp x29, x30, [sp, #80]
    stp d8, d9, [sp, #96]
    stp d10, d11, [sp, #112]
    stp d12, d13, [sp, #128]
    stp d14, d15, [sp, #144]
    mov x9, sp
    str x9, [x0]
    mov sp, x1
    ldp x19, x20, [sp, #0]
    ldp x21, x22, [sp, #16]
    ldp x23, x24, [sp, #32]
    ldp x25, x26, [sp, #48]
    ldp x27, x28, [sp, #64]
    ldp x29, x30, [sp, #80]
    ldp d8, d9, [sp, #96]
    ldp d10, d11, [sp, #112]
    ldp d12, d13, [sp, #128]
    ldp d14, d15, [sp, #144]
    add sp, sp, #160
    ret
    .cfi_endproc
    .size cuda_on_cpu_switch, .-cuda_on_cpu_switch
)");
static constexpr int address = 11, words = 20;
#else
#error "cuda_on_cpu: switch.cpp has x86-64 and aarch64"
#endif

namespace cuda_on_cpu {

void *fresh_stack(char *top, void (*entry)()) {
    auto end = reinterpret_cast<uintptr_t>(top) & ~uintptr_t(15);
    auto *frame = reinterpret_cast<uintptr_t *>(end) - words;
    std::memset(frame, 0, words * sizeof *frame);
    frame[address] = reinterpret_cast<uintptr_t>(entry);
    return frame;
}

}  // namespace cuda_on_cpu
