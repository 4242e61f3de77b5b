// c_api/base/threads.h: runs a loop on the threads of an OpenMP runtime.
#pragma once

#include <cstdint>

namespace base {

// The OpenMP runtime of a library: gcc's entry points, which the runtimes of LLVM and Intel have too.
struct OpenMP {
    void (*parallel)(void (*member)(void *), void *data, unsigned threads, unsigned flags);  // nullptr: there is none
    int (*max_threads)();
    int (*thread_num)();
    int (*team_size)();
    int (*in_parallel)();
};

// Defined by each library: the runtime that its loops use.
const OpenMP &openmp();

// Threads that a loop may use now: as many as the runtime allows. One without a runtime, inside another parallel region,
// and in a forked child, whose copy of the runtime has lost its threads and would wait for them for ever.
int num_threads();

// Elements of an elementwise loop that are worth a thread of their own: a few microseconds of work.
constexpr int64_t elementwise_grain = 32768;

// How a loop of `size` is cut into at most num_threads() slices, one per thread.
enum class Cuts {
    at_multiples,  // of the grain; at most one slice for each grain that has begun
    evenly,        // anywhere; at most one slice for each whole grain
};

using Slice = void (*)(void *body, int64_t begin, int64_t end);

void parallel_slices(int64_t size, int64_t grain, Cuts cuts, Slice slice, void *body);

// body(begin, end) for each slice of [0, size). It must not throw, and results must not depend on where the cuts are.
// A size up to `grain` runs on the caller without a look at the runtime.
template <Cuts cuts, typename Body> static inline void parallel_for(int64_t size, int64_t grain, Body &&body) {
    if (size <= grain) {
        if (size > 0) body(int64_t{0}, size);
        return;
    }
    auto slice = [](void *data, int64_t begin, int64_t end) { (*static_cast<decltype(&body)>(data))(begin, end); };
    parallel_slices(size, grain, cuts, slice, &body);
}

}  // namespace base
