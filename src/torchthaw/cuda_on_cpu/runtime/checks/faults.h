// cuda_on_cpu/runtime/checks/faults.h: signals of the processor while a kernel runs, which a card would report as errors.
#pragma once

namespace cuda_on_cpu {

// Before a launch: a line names the kernel that gets SIGSEGV, SIGBUS, SIGFPE or SIGILL; then the handler from before has it.
// AddressSanitizer does that better.
void name_faults();
// Gives this thread of the host a stack for signals if it has none, for a kernel that has used up its own.
void have_signal_stack();

}  // namespace cuda_on_cpu
