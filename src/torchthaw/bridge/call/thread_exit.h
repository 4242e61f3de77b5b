/* thread_exit.h: threads that are made to end in the middle of a call.
 *
 * At the end of Python <= 3.13, a thread that asks for the GIL is ended by pthread_exit(), which unwinds its stack as an
 * exception does. Destructors there would need the GIL, and PyTorch's own must not throw. So the thread stays where it
 * is until the process has ended, as it does from Python 3.14 on. */
#pragma once

#include <Python.h>

#include <cxxabi.h>
#include <unistd.h>

namespace bridge {

/* In a handler of abi::__forced_unwind, which glibc does not allow to end here. Without the end of Python, C itself ends
 * the thread. */
[[noreturn]] inline void end_thread() {
    while (!Py_IsInitialized()) pause();
    throw;
}

/* What `run` returns, which may wait for the GIL: it takes it, or runs code in Python. */
template <typename Run> auto with_python(Run &&run) -> decltype(run()) {
    try {
        return run();
    } catch (abi::__forced_unwind &) {
        end_thread();
    }
}

}  // namespace bridge
