// cuda_on_cpu/runtime/interrupt.cpp: Python's handler only notes a signal, so it cannot end a kernel; this one can.
#include "interrupt.h"

#include <signal.h>
#include <time.h>
#include <unistd.h>

#include <cstdio>
#include <cstring>

namespace cuda_on_cpu {
namespace {

const Launch *volatile running;
struct sigaction before, alarm_before;
volatile sig_atomic_t pressed;

void say(const char *text) {
    if (write(STDERR_FILENO, text, std::strlen(text)) < 0) return;
}

void say(int number) {
    char digits[12], *first = digits + sizeof digits - 1;
    *first = 0;
    do *--first = char('0' + number % 10);
    while (number /= 10);
    say(first);
}

// Only what a signal handler may call.
[[noreturn]] void end() {
    const Launch *launch = running;
    say("\ntorchthaw: interrupted: the kernel ");
    say(launch->kernel);
    say(", launched at ");
    say(launch->place.file);
    say(":");
    say(launch->place.line);
    say(", has not ended\n");
    signal(SIGINT, SIG_DFL);
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGINT);
    kill(getpid(), SIGINT);
    sigprocmask(SIG_UNBLOCK, &set, nullptr);
    _exit(130);
}

void on_alarm(int) {
    if (running && pressed) end();
}

void handler(int number, siginfo_t *info, void *context) {
    if (running) {
        if (pressed++ || before.sa_handler == SIG_DFL) end();
        // A second is left to the kernel. A timer of the process's own would need a thread.
        struct sigaction act {};
        act.sa_handler = on_alarm;
        sigaction(SIGALRM, &act, pressed == 1 ? &alarm_before : nullptr);
        alarm(1);
    }
    if (before.sa_flags & SA_SIGINFO) before.sa_sigaction(number, info, context);
    else if (before.sa_handler != SIG_DFL && before.sa_handler != SIG_IGN) before.sa_handler(number);
    else if (before.sa_handler == SIG_DFL) {
        signal(SIGINT, SIG_DFL);
        raise(SIGINT);
    }
}

}  // namespace

Interruptible::Interruptible(const Launch &launch) {
    struct sigaction now;
    sigaction(SIGINT, nullptr, &now);
    const bool ours = (now.sa_flags & SA_SIGINFO) && now.sa_sigaction == handler;
    if (!ours && !(now.sa_handler == SIG_IGN && !(now.sa_flags & SA_SIGINFO))) {
        before = now;
        struct sigaction act {};
        act.sa_sigaction = handler;
        act.sa_flags = SA_SIGINFO | SA_RESTART;
        sigaction(SIGINT, &act, nullptr);
    }
    pressed = 0;
    running = &launch;
}

Interruptible::~Interruptible() {
    running = nullptr;
    if (!pressed) return;
    alarm(0);
    sigaction(SIGALRM, &alarm_before, nullptr);
}

}  // namespace cuda_on_cpu
