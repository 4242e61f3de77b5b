// c_api/my_lib/runtime/threads.h: runs a loop on the threads of the OpenMP runtime that this process already uses.
//
// The library does not link OpenMP. On first use it looks for the runtime that PyTorch loaded, under whatever name,
// else for one that the program itself carries, else it loads libgomp.so.1; without any, loops run on the caller.
#pragma once

#include <cstdint>

namespace my_lib {

// Threads that a loop may use now: what my_lib_set_num_threads() fixed, else the runtime's own setting (for PyTorch
// torch.get_num_threads()). One inside another parallel region, and in a forked child, whose copy of the runtime
// has lost its threads and would wait for them for ever.
int num_threads();

// 0 or less returns to the runtime's own setting.
void set_num_threads(int count);

// The runtime in use, for my_lib_build_info(): "pytorch", "process", "libgomp.so.1" or "none".
const char *threads_name();

// Elements per slice of an elementwise loop: a few microseconds of work.
constexpr int64_t elementwise_grain = 32768;

using Slice = void (*)(void *body, int64_t begin, int64_t end);

// Cuts [0, size) into at most num_threads() slices that begin at multiples of `grain`, one per thread. Results must
// not depend on where the cuts are.
void parallel_slices(int64_t size, int64_t grain, Slice slice, void *body);

// body(begin, end) must not throw. A size up to `grain` runs on the caller without a look at the runtime.
template <typename Body> static inline void parallel_for(int64_t size, int64_t grain, Body &&body) {
    if (size <= grain) {
        if (size > 0) body(int64_t{0}, size);
        return;
    }
    auto slice = [](void *data, int64_t begin, int64_t end) { (*static_cast<decltype(&body)>(data))(begin, end); };
    parallel_slices(size, grain, slice, &body);
}

}  // namespace my_lib
