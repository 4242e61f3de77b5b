// cuda_on_cpu/runtime/waiting.cpp: threads that wait for what no thread writes.
#include "waiting.h"

#include "errors.h"

#include <unistd.h>

#include <cmath>
#include <cstdlib>

namespace cuda_on_cpu {

double longest_wait = 60;

double Waiting::since(uint64_t threads, uint64_t blocks) {
    timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    if (!asked_ || threads != threads_ || blocks != blocks_) {
        asked_ = true;
        threads_ = threads;
        blocks_ = blocks;
        first_ = now;
    }
    return double(now.tv_sec - first_.tv_sec) + double(now.tv_nsec - first_.tv_nsec) * 1e-9;
}

[[gnu::constructor]] static void read_limit() {
    const char *given = std::getenv("TORCHTHAW_CUDA_TIMEOUT");
    if (!given || !*given) return;
    char *end;
    longest_wait = std::strtod(given, &end);
    if (*end || !std::isfinite(longest_wait) || longest_wait < 0) {
        print("TORCHTHAW_CUDA_TIMEOUT: expected a number of seconds, or 0 for no limit, got '%s'", given);
        _exit(1);
    }
}

}  // namespace cuda_on_cpu
