// c_api/base/threads.cpp: cuts loops into slices and runs them on the runtime's team.
#include "base/threads.h"

#include "base/isa.h"

#include <atomic>
#include <cassert>
#include <pthread.h>

namespace base {
namespace {

std::atomic<bool> forked{false};

// When the library is loaded, not on first use: PyTorch may have started its team before our first call.
__attribute__((constructor)) void watch_fork() {
    pthread_atfork(nullptr, nullptr, [] { forked.store(true, std::memory_order_relaxed); });
}

struct Loop {
    int64_t size, unit;  // slices begin at multiples of unit
    Slice slice;
    void *body;
};

void run_member(void *data) {
    const Loop &loop = *static_cast<const Loop *>(data);
    const int64_t units = (loop.size + loop.unit - 1) / loop.unit;
    const OpenMP &runtime = openmp();
    const int64_t team = runtime.team_size(), member = runtime.thread_num();
    assert(member >= 0 && member < team && team <= units);  // units * team fits, and each slice has a member
    const int64_t begin = units * member / team * loop.unit;
    const int64_t end = units * (member + 1) / team * loop.unit;
    if (begin < end) loop.slice(loop.body, begin, end < loop.size ? end : loop.size);
}

}  // namespace

int num_threads() {
    if (forked.load(std::memory_order_relaxed)) return 1;
    const OpenMP &runtime = openmp();
    return !runtime.parallel || runtime.in_parallel() ? 1 : runtime.max_threads();
}

void parallel_slices(int64_t size, int64_t grain, Cuts cuts, Slice slice, void *body) {
    assert(size > 0 && grain > 0);
    const bool evenly = cuts == Cuts::evenly;
    const int64_t most = evenly ? size / grain : (size + grain - 1) / grain;
    const int64_t threads = most < 2 ? 1 : num_threads();
    assert(threads >= 1);
    if (threads < 2) {
        slice(body, 0, size);
        return;
    }
    isa();  // which may throw; the threads of a region must not
    Loop loop{size, evenly ? 1 : grain, slice, body};
    openmp().parallel(run_member, &loop, static_cast<unsigned>(threads < most ? threads : most), 0);
}

}  // namespace base
