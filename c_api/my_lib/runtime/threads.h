// c_api/my_lib/runtime/threads.h: loops on the threads of the OpenMP runtime that this process already uses.
//
// The library does not link OpenMP. On first use it looks for the runtime that PyTorch loaded, under whatever name,
// else for one that the program itself carries, else it loads libgomp.so.1; without any, loops run on the caller. A
// static program, which links libmy_lib.a, loads nothing: it has the runtime that is linked into it, or none.
#pragma once

#include "base/threads.h"

namespace my_lib {

using base::elementwise_grain;
using base::num_threads;

// Fixes the number of threads; 0 or less returns to the runtime's own setting, for PyTorch torch.get_num_threads().
void set_num_threads(int count);

// Limits the threads of calls from this thread; 0 or less: not at all. Returns the limit before.
int limit_threads(int count);

// The runtime in use, for my_lib_build_info(): "pytorch", "process", "libgomp.so.1" or "none".
const char *threads_name();

// body(begin, end) for slices of [0, size) that begin at multiples of `grain`, one per thread: see base/threads.h.
template <typename Body> static inline void parallel_for(int64_t size, int64_t grain, Body &&body) {
    base::parallel_for<base::Cuts::at_multiples>(size, grain, body);
}

}  // namespace my_lib
