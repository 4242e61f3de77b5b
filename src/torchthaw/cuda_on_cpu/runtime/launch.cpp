// cuda_on_cpu/runtime/launch.cpp: a launch: its limits, and its blocks over the host's threads.
#include "block.h"
#include "check.h"
#include "errors.h"
#include "interrupt.h"
#include "pool.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

namespace cuda_on_cpu {
namespace {

// A pointer, for a library has little room for TLS of its kind.
Block &own_block() {
    static thread_local const std::unique_ptr<Block> block(new Block);
    return *block;
}

uint64_t blocks_of(const Launch &launch) { return uint64_t(launch.grid.x) * launch.grid.y * launch.grid.z; }

uint3 index_of(const Launch &launch, uint64_t i) {
    const uint64_t rows = i / launch.grid.x;
    return {unsigned(i % launch.grid.x), unsigned(rows % launch.grid.y), unsigned(rows / launch.grid.y)};
}

bool is_valid(const Launch &launch) {
    const dim3 &grid = launch.grid, &block = launch.block;
    return grid.x && grid.y && grid.z && block.x && block.y && block.z && grid.x <= 0x7fffffff && grid.y <= 65535 &&
           grid.z <= 65535 && block.x <= 1024 && block.y <= 1024 && block.z <= 64 &&
           uint64_t(block.x) * block.y * block.z <= 1024;
}

// Blocks that the threads of the host take from, some at a time.
struct Work {
    const Launch &launch;
    uint64_t count, chunk;
    std::atomic<uint64_t> next;

    void run() {
        Block &block = own_block();
        for (;;) {
            uint64_t i = next.fetch_add(chunk, std::memory_order_relaxed);
            if (i >= count) return;
            for (const uint64_t end = std::min(count, i + chunk); i < end; i++)
                if (failure() || !block.run(launch, index_of(launch, i), false)) return;
        }
    }
};

// The first block on this thread tells how long one takes: others are woken only for what takes longer than waking.
void run_blocks(const Launch &launch) {
    using clock = std::chrono::steady_clock;
    constexpr double waking = 20e-6, piece = 10e-6;
    const uint64_t count = blocks_of(launch);
    const auto begin = clock::now();
    if (!own_block().run(launch, {0, 0, 0}, false)) return;
    const double each = std::chrono::duration<double>(clock::now() - begin).count() + 1e-9;
    Work work{launch, count, 1, {1}};
    const uint64_t share = count / (host_threads() * 4) + 1;
    work.chunk = std::max<uint64_t>(1, std::min<uint64_t>(share, uint64_t(piece / each)));
    if (host_threads() == 1 || double(count - 1) * each < waking) return work.run();
    on_all_threads([](void *work) { static_cast<Work *>(work)->run(); }, &work);
}

// All blocks on this thread, in the order of their threads.
bool run_in_order(const Launch &launch, bool descending, unsigned char pattern) {
    Block &block = own_block();
    block.shared().pattern = pattern;
    const uint64_t count = blocks_of(launch);
    for (uint64_t i = 0; i < count; i++)
        if (!block.run(launch, index_of(launch, descending ? count - 1 - i : i), descending)) return false;
    return true;
}

// The barrier of blocks that run at once.
struct Grid {
    explicit Grid(uint64_t blocks) : blocks(blocks) {}

    const uint64_t blocks;
    uint64_t arrived = 0, round = 0;
    std::mutex mutex;
    std::condition_variable next_round;

    // False if the kernel failed meanwhile.
    bool wait() {
        std::unique_lock<std::mutex> lock(mutex);
        if (++arrived == blocks) return arrived = 0, ++round, next_round.notify_all(), true;
        using clock = std::chrono::system_clock;  // of a steady one, glibc before 2.30 has no wait
        for (const uint64_t mine = round; mine == round;
             next_round.wait_until(lock, clock::now() + std::chrono::milliseconds(10)))
            if (failure()) return false;
        return true;
    }
};
Grid *grid;  // of the launch that runs, if its blocks run at once

// All blocks, each on a thread of its own.
bool run_at_once(const Launch &launch, bool descending, unsigned char pattern) {
    static auto &kept = *new std::vector<std::unique_ptr<Block>>;  // with their stacks, for the next launch
    Grid these(blocks_of(launch));
    grid = &these;
    while (kept.size() < these.blocks) kept.push_back(std::make_unique<Block>());
    std::atomic<bool> right{true};
    std::vector<std::thread> threads;
    for (uint64_t i = 0; i < these.blocks; i++)
        threads.emplace_back([&, i] {
            Block &block = *kept[i];
            if (checking) block.shared().pattern = pattern;
            if (!block.run(launch, index_of(launch, i), descending)) right = false;
        });
    for (std::thread &thread : threads) thread.join();
    grid = nullptr;
    return right;
}

}  // namespace

cudaError_t launch(const Launch &launch) {
    if (Block *block = Block::running()) {
        print("%s:%d: %s launches %s: CUDA on the CPU has no dynamic parallelism", launch.place.file, launch.place.line,
              where().text, launch.kernel);
        block->abandon(cudaErrorNotSupported);
    }
    if (const cudaError_t error = failure()) return record(error);
    if (!is_valid(launch)) return record(cudaErrorInvalidConfiguration);
    if (launch.shared > most_dynamic) return record(cudaErrorInvalidValue);
    constexpr uint64_t most_at_once = 1024;
    if (launch.together && blocks_of(launch) > most_at_once) return record(cudaErrorCooperativeLaunchTooLarge);
    static std::mutex &one_launch = *new std::mutex;
    std::lock_guard<std::mutex> lock(one_launch);
    const Interruptible interruptible(launch);
    if (checking) run_checked(launch, launch.together ? run_at_once : run_in_order);
    else if (launch.together) run_at_once(launch, false, 0);
    else run_blocks(launch);
    return record(failure());
}

Votes wait_for_block(int predicate, Place place) {
    if (!Block::running()) fatal("__syncthreads() outside of a kernel");
    return Block::running()->wait_for_block(predicate, place);
}
void wait_for_grid(Place place) {
    Block *block = Block::running();
    if (!block) fatal("a barrier of the grid outside of a kernel");
    if (!grid) unserved("a barrier of the grid in a launch that is not cooperative", place);
    const auto of_block = [&] { return block->wait_for_block(0, place); };
    of_block();
    if (!(threadIdx.x | threadIdx.y | threadIdx.z) && !grid->wait()) block->abandon(failure());
    of_block();
}
void let_others_run() {
    if (Block *block = Block::running()) block->let_others_run();
}
uint64_t together(Together operation, unsigned mask, uint64_t value, unsigned lane, Place place) {
    if (!Block::running()) fatal("an operation of a warp outside of a kernel");
    return Block::running()->together(operation, mask, value, lane, place);
}

}  // namespace cuda_on_cpu
