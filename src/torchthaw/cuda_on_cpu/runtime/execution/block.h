// cuda_on_cpu/runtime/block.h: the threads of one block at a time, on one thread of the host.
//
// One fiber runs the block's threads one after another. A thread that waits, at a barrier or for its warp, keeps its
// fiber; the threads that have not started go on in another one. So a kernel without barriers is one loop.
#pragma once

#include "fiber.h"
#include "memory/shared.h"
#include "waiting.h"

#include <memory>
#include <vector>

namespace cuda_on_cpu {

class Block {
public:
    Block();
    // Runs the block `index` of the launch. `descending`: the threads start from the last one. False if the kernel
    // failed; the launch's error is recorded.
    bool run(const Launch &launch, uint3 index, bool descending);

    // Called from the thread that runs.
    Votes wait_for_block(int predicate, Place);
    uint64_t together(Together, unsigned mask, uint64_t value, unsigned lane, Place);
    void let_others_run();
    void end_held();
    bool next_row();
    [[noreturn]] void abandon(cudaError_t);

    bool overflows(const void *address) const { return stacks_.overflows(address); }
    const Launch *launch() const { return launch_; }
    SharedMemory &shared() { return shared_; }

    // The one of this host thread while it runs one, else null.
    static Block *running();

private:
    struct Warp {
        unsigned held = 0, arrived = 0;  // lanes that have a fiber, and those of them that wait for the warp
        Fiber *lanes[32];
    };

    static void entry();
    void body();
    Fiber &fresh();
    Fiber &start();
    Fiber &choose();
    Fiber &hold();
    void give_way(Fiber &next);
    void wait(Waits, Place);
    void go_on(Fiber &);
    bool complete(unsigned warp);
    void release(unsigned warp, unsigned lanes);
    bool release_some();
    void watch(bool alone);
    unsigned left() const;
    unsigned unstarted(unsigned warp) const;
    void forget(cudaError_t);
    void report_deadlock();

    const Launch *launch_ = nullptr;
    bool descending_ = false, failed_ = false;
    unsigned count_ = 0;  // of threads
    Fiber host_;          // the host thread's own stack
    Stacks stacks_;
    std::vector<std::unique_ptr<Fiber>> fibers_;
    std::vector<Fiber *> free_, ready_, at_barrier_;
    size_t next_ready_ = 0;
    unsigned held_ = 0;  // threads that have a fiber of their own
    uint64_t went_on_ = 0;  // how many times one was released, or ended
    Waiting waiting_;
    Fiber *now_ = nullptr;
    Votes votes_{};
    Warp warps_[32];
    SharedMemory shared_;
};

// Of the launch that runs: how many pieces of work have ended; further blocks start, on another thread of the host.
uint64_t blocks_ended();
void start_blocks();

}  // namespace cuda_on_cpu
