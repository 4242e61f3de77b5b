// c_api/th/runtime/threads.h: runs a loop on the threads of OpenMP, which PyTorch shares with this library.
#pragma once

#include <cstdint>

namespace th {

// Threads that a loop may use now: OpenMP's setting; one inside another parallel region, and in a forked child, whose
// copy of the runtime has lost its threads and would wait for them for ever.
int num_threads();

// Elements of an elementwise loop that are worth a thread of their own.
constexpr int64_t grain = 32768;

using Slice = void (*)(void *body, int64_t begin, int64_t end);
void parallel_slices(int64_t size, int64_t smallest, Slice slice, void *body);

// Cuts [0, size) into one slice of at least `smallest` for each thread and runs body(begin, end) on each. The body must
// not throw, and results must not depend on where the cuts are.
template <typename Body> void parallel_for(int64_t size, int64_t smallest, Body &&body) {
    if (size <= smallest) {
        if (size > 0) body(int64_t(0), size);
        return;
    }
    auto slice = [](void *data, int64_t begin, int64_t end) { (*static_cast<decltype(&body)>(data))(begin, end); };
    parallel_slices(size, smallest, slice, &body);
}

}  // namespace th
