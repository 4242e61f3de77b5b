// cuda_on_cpu/runtime/checks/faults.cpp: signals of the processor while a kernel runs, which a card would report as errors.
#include "checks/faults.h"

#include "errors.h"
#include "execution/block.h"
#include "checks/sanitizer.h"

#include <signal.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>

namespace cuda_on_cpu {
namespace {

constexpr int signals[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL};
struct sigaction before[NSIG];

// snprintf of numbers and texts alone allocates nothing.
void say(const Block &block, int number, int code, const void *address) {
    const Launch &launch = *block.launch();
    const char *what = "an access to memory that is not there, or may not be accessed so";
    if (number == SIGFPE) what = "an integer division by zero";
    else if (number == SIGILL) what = "an instruction that the processor has not";
    else if (code == SI_KERNEL)  // the processor does not tell the address
        what = "an access that is not aligned to its size, or to an address that no memory can have";
    else if (uintptr_t(address) < 4096) what = "an access through a null pointer";
    else if (block.overflows(address)) what = "functions and local variables need more than the stack of a thread, 256 KiB";
    char line[1024];
    const int length = std::snprintf(line, sizeof line,
                                     "torchthaw: kernel %.300s, launched at %.300s:%d, block (%u,%u,%u), "
                                     "thread (%u,%u,%u): %s: %s (address %p)\n",
                                     launch.kernel, launch.place.file, launch.place.line, blockIdx.x, blockIdx.y, blockIdx.z,
                                     threadIdx.x, threadIdx.y, threadIdx.z,
                                     number == SIGSEGV  ? "SIGSEGV"
                                     : number == SIGBUS ? "SIGBUS"
                                     : number == SIGFPE ? "SIGFPE"
                                                        : "SIGILL",
                                     what, address);
    if (length > 0 && write(STDERR_FILENO, line, size_t(length) < sizeof line ? size_t(length) : sizeof line - 1) < 0) return;
}

// A second signal while the first one is handled ends the process.
__thread volatile sig_atomic_t handling;

void end(int number) {
    signal(number, SIG_DFL);
    raise(number);  // comes when the handler returns
}

void handler(int number, siginfo_t *info, void *context) {
    if (handling) return end(number);
    handling = 1;
    if (const Block *block = Block::running(); block && info->si_code > 0) say(*block, number, info->si_code, info->si_addr);
    const struct sigaction &next = before[number];
    if (next.sa_flags & SA_SIGINFO) {
        next.sa_sigaction(number, info, context);
        handling = 0;  // it may have mended what was wrong
    } else if (next.sa_handler != SIG_DFL && next.sa_handler != SIG_IGN) {
        next.sa_handler(number);
    } else {
        end(number);
    }
}

struct SignalStack {
    static constexpr size_t bytes = 64 << 10;
    void *memory = nullptr;

    SignalStack() {
        stack_t now{};
        if (sigaltstack(nullptr, &now) || !(now.ss_flags & SS_DISABLE)) return;
        memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK, -1, 0);
        if (memory == MAP_FAILED) {
            memory = nullptr;
            return;
        }
        now = {};
        now.ss_sp = memory;
        now.ss_size = bytes;
        sigaltstack(&now, nullptr);
    }
    ~SignalStack() {
        if (!memory) return;
        stack_t now{};
        if (sigaltstack(nullptr, &now) || now.ss_sp != memory) return;  // somebody else's by now
        now = {};
        now.ss_flags = SS_DISABLE;
        sigaltstack(&now, nullptr);
        munmap(memory, bytes);
    }
};

}  // namespace

// Others, such as Python's faulthandler, may have come since the last launch.
void name_faults() {
    if (__asan_address_is_poisoned) return;
    for (const int each : signals) {
        struct sigaction now {};
        sigaction(each, nullptr, &now);
        if ((now.sa_flags & SA_SIGINFO) && now.sa_sigaction == handler) continue;
        before[each] = now;
        struct sigaction ours {};
        ours.sa_sigaction = handler;
        ours.sa_flags = SA_SIGINFO | SA_ONSTACK;
        sigaction(each, &ours, nullptr);
    }
}

void have_signal_stack() {
    static thread_local const SignalStack stack;
    (void)stack;
}

}  // namespace cuda_on_cpu
