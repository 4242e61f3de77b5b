/* python.cpp: what torch_c.py asks the device, by ctypes. Errors of PyTorch do not reach these functions.
 *
 * And the end of a process: until Python 3.13, a thread that asks for the interpreter after its end is unwound by
 * pthread_exit(). Autograd's thread for the device may do so, and its functions do not let an exception pass, so C++ would
 * end the process with std::terminate(). Such a thread waits instead, as Python 3.14 lets it do.
 */
#include <c10/core/impl/VirtualGuardImpl.h>
#include <dlfcn.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdlib>
#include <exception>

#include "generator.h"
#include "memory.h"

using namespace cuda_on_cpu;

namespace {

c10::impl::VirtualGuardImpl guard() { return {DEVICE.type()}; }

std::terminate_handler terminate_before = nullptr;

bool python_has_ended() {
    for (const char *name : {"Py_IsFinalizing", "_Py_IsFinalizing"}) { /* public since Python 3.13 */
        if (void *found = dlsym(RTLD_DEFAULT, name)) return reinterpret_cast<int (*)()>(found)() != 0;
    }
    return false;
}

[[noreturn]] void wait_or_terminate() {
    const bool is_main = syscall(SYS_gettid) == getpid();
    while (!is_main && !std::current_exception() && python_has_ended()) pause();
    if (terminate_before != nullptr) terminate_before();
    std::abort();
}

const bool has_handler = [] {
    terminate_before = std::set_terminate(&wait_or_terminate);
    return true;
}();

}  // namespace

extern "C" {

int64_t cuda_on_cpu_current_stream(void) { return guard().getStream(DEVICE).id(); }

void cuda_on_cpu_set_stream(int64_t id) { guard().exchangeStream(c10::Stream(c10::Stream::UNSAFE, DEVICE, id)); }

/* Whether torch.Generator("cuda") is the default generator, in this thread. */
void cuda_on_cpu_give_default_generator(int is_default) { gives_default_generator = is_default != 0; }

/* Writes current, peak, allocated and freed of bytes, the same of blocks, and the number of failed allocations. */
void cuda_on_cpu_statistics(uint64_t *into) {
    const Statistics now = statistics();
    for (const Count &count : {now.bytes, now.blocks}) {
        for (const size_t each : {count.current, count.peak, count.allocated, count.freed}) *into++ = each;
    }
    *into = now.out_of_memory;
}

/* NULL where the host has no such memory. */
void *cuda_on_cpu_allocate(uint64_t size) {
    try {
        return device_allocator()->raw_allocate(size);
    } catch (const c10::OutOfMemoryError &) {
        return nullptr;
    }
}

void cuda_on_cpu_free(void *address) { device_allocator()->raw_deallocate(address); }

void cuda_on_cpu_reset_peak(void) { reset_peak(); }

void cuda_on_cpu_reset_accumulated(void) { reset_accumulated(); }
}
