// cuda_on_cpu/runtime/interrupt.h: Ctrl-C while a kernel runs that does not end.
#pragma once

#include <cuda_on_cpu/runtime.h>

namespace cuda_on_cpu {

// While it lives, a kernel runs. SIGINT goes to the handler that the process has; if the kernel has not ended a second
// later, or at the second SIGINT, the process ends with a line that names it.
class Interruptible {
public:
    explicit Interruptible(const Launch &);
    ~Interruptible();
    Interruptible(const Interruptible &) = delete;
    Interruptible &operator=(const Interruptible &) = delete;
};

}  // namespace cuda_on_cpu
