// c_api/th/runtime/threads.h: loops on the threads of the OpenMP runtime of this process, such as PyTorch's.
#pragma once

#include "base/threads.h"

namespace th {

using base::num_threads;
constexpr int64_t grain = base::elementwise_grain;

// body(begin, end) for slices of [0, size), one of at least `smallest` for each thread: see base/threads.h.
template <typename Body> static inline void parallel_for(int64_t size, int64_t smallest, Body &&body) {
    base::parallel_for<base::Cuts::evenly>(size, smallest, body);
}

}  // namespace th
