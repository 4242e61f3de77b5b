// cuda_on_cpu/runtime/waiting.h: threads that wait for what no thread writes.
#pragma once

#include <cstdint>
#include <ctime>

namespace cuda_on_cpu {

// How long a block has done nothing but ask whether it may go on.
class Waiting {
public:
    // Called at each question, with numbers that change when a thread of the block has gone on, or another block has ended.
    // The seconds since they changed.
    double since(uint64_t threads, uint64_t blocks);
    void begin() { asked_ = false; }

private:
    bool asked_ = false;
    uint64_t threads_ = 0, blocks_ = 0;
    timespec first_{};
};

// After how many seconds such a block ends with an error, TORCHTHAW_CUDA_TIMEOUT; 0 is never.
extern double longest_wait;

}  // namespace cuda_on_cpu
