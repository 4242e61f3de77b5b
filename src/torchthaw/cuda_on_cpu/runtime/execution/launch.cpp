// cuda_on_cpu/runtime/launch.cpp: a launch: its limits, and its blocks over the host's threads.
#include "block.h"
#include "checks/check.h"
#include "errors.h"
#include "checks/faults.h"
#include "interrupt.h"
#include "memory/memory.h"
#include "pool.h"
#include "checks/record.h"
#include "checks/report.h"
#include "streams.h"

#include <cuda_on_cpu/access.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstring>
#include <future>
#include <memory>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

namespace cuda_on_cpu {
namespace {

// A pointer, for a library has little room for TLS of its kind.
Block &own_block() {
    static thread_local const std::unique_ptr<Block> block(new Block);
    return *block;
}

// Dynamic shared memory beyond what every kernel may have must be asked for.
constexpr int dynamic_at_first = 48 << 10;
std::atomic<int> dynamic_allowed{dynamic_at_first};

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
class Work {
public:
    Work(const Launch &launch, bool descending, unsigned char pattern)
        : launch_(launch), count_(blocks_of(launch)), descending_(descending), pattern_(pattern) {}

    // Runs blocks until none is left.
    void run() {
        Block &block = own_block();
        if (checking) block.shared().pattern = pattern_;
        Piece piece;
        piece_ = &piece;
        while (!failure() && take(piece)) {
            while (piece.next < piece.end && !failure()) run(block, piece.next++);
            ended_.fetch_add(1, std::memory_order_relaxed);
        }
        piece_ = nullptr;
    }
    // Runs one more block; false if none is left.
    bool run_one() {
        Piece piece;
        piece_ = &piece;
        const bool any = take(piece);
        if (any) run(own_block(), piece.next++);
        piece_ = nullptr;
        return any;
    }
    // The block of this thread waits, maybe for one that has not started: another thread takes what this one had taken, or
    // further ones.
    void start_another() {
        const std::lock_guard<std::mutex> lock(mutex_);
        if (Piece &mine = *piece_; mine.next < mine.end) {
            given_back_.push_back(mine);
            mine.next = mine.end;
        }
        constexpr size_t most = 256;
        if ((given_back_.empty() && next_ >= count_) || others_.size() == most) return;
        try {
            others_.emplace_back([this] { run(); });
        } catch (const std::system_error &) {
            // The block waits alone, until its limit.
        }
    }
    void end() {
        for (;;) {
            std::vector<std::thread> others;
            {
                const std::lock_guard<std::mutex> lock(mutex_);
                others.swap(others_);
            }
            if (others.empty()) return;
            for (std::thread &other : others) other.join();
        }
    }

    uint64_t left() const { return count_ - std::min<uint64_t>(count_, next_); }
    // Pieces.
    uint64_t ended() const { return ended_; }
    void take_at_once(uint64_t chunk) { chunk_ = chunk; }

private:
    struct Piece {
        uint64_t next = 0, end = 0;
    };
    bool take(Piece &piece) {
        const uint64_t chunk = chunk_;
        piece.next = next_.fetch_add(chunk, std::memory_order_relaxed);
        piece.end = std::min(count_, piece.next + chunk);
        if (piece.next < count_) return true;
        next_ = count_;
        const std::lock_guard<std::mutex> lock(mutex_);
        if (given_back_.empty()) return false;
        piece = given_back_.back();
        given_back_.pop_back();
        return true;
    }
    void run(Block &block, uint64_t i) {
        block.run(launch_, index_of(launch_, descending_ ? count_ - 1 - i : i), descending_);
    }

    const Launch &launch_;
    const uint64_t count_;
    const bool descending_;
    const unsigned char pattern_;
    std::atomic<uint64_t> chunk_{1}, next_{0}, ended_{0};
    std::mutex mutex_;
    std::vector<Piece> given_back_;
    std::vector<std::thread> others_;
    static __thread Piece *piece_;  // of this thread
};
__thread Work::Piece *Work::piece_;
Work *work;  // of the launch that runs, if its blocks run one after another

// The first block on this thread tells how long one takes: others are woken only for what takes longer than waking.
void run_shared(Work &work) {
    using clock = std::chrono::steady_clock;
    constexpr double waking = 20e-6, piece = 10e-6;
    const auto begin = clock::now();
    work.run_one();
    const double each = std::chrono::duration<double>(clock::now() - begin).count() + 1e-9;
    const uint64_t left = work.left(), share = left / (host_threads() * 4) + 1;
    work.take_at_once(std::max<uint64_t>(1, std::min<uint64_t>(share, uint64_t(piece / each))));
    if (host_threads() == 1 || double(left) * each < waking) return work.run();
    on_all_threads([](void *work) { static_cast<Work *>(work)->run(); }, &work);
}

void run_blocks(const Launch &launch) {
    Work these(launch, false, 0);
    work = &these;
    run_shared(these);
    these.end();
    work = nullptr;
}

// All blocks on this thread, in the order of their threads.
bool run_in_order(const Launch &launch, bool descending, unsigned char pattern) {
    Work these(launch, descending, pattern);
    work = &these;
    these.run();
    these.end();
    work = nullptr;
    return !failure();
}

// The barrier of blocks that run at once.
struct Grid {
    explicit Grid(const Launch &launch) : launch(launch), blocks(blocks_of(launch)) {}

    const Launch &launch;
    const uint64_t blocks;
    uint64_t arrived = 0, round = 0;
    std::atomic<uint64_t> ended{0};
    std::mutex mutex;
    std::condition_variable changed;

    // False if the kernel failed meanwhile.
    bool wait() {
        std::unique_lock<std::mutex> lock(mutex);
        if (++arrived == blocks) return arrived = 0, ++round, changed.notify_all(), true;
        complain();
        using clock = std::chrono::system_clock;  // of a steady one, glibc before 2.30 has no wait
        for (const uint64_t mine = round; mine == round;
             changed.wait_until(lock, clock::now() + std::chrono::milliseconds(10)))
            if (failure()) return false;
        return true;
    }
    void end() {
        const std::lock_guard<std::mutex> lock(mutex);
        ++ended;
        complain();
    }

private:
    // Blocks that have ended never come.
    void complain() {
        if (!arrived || !ended || arrived + ended < blocks || failure()) return;
        tell(Rule::grid_barrier, launch.place, "kernel %s, launched at %s:%d: a barrier of the grid that not all blocks reach: %llu wait, %llu have ended",
              launch.kernel, launch.place.file, launch.place.line, static_cast<unsigned long long>(arrived),
              static_cast<unsigned long long>(ended));
        fail(cudaErrorLaunchFailure);
    }
};
Grid *grid;  // of the launch that runs, if its blocks run at once

// All blocks, each on a thread of its own. None starts before there are threads for all.
bool run_at_once(const Launch &launch, bool descending, unsigned char pattern) {
    static auto &kept = *new std::vector<std::unique_ptr<Block>>;  // with their stacks, for the next launch
    Grid these(launch);
    while (kept.size() < these.blocks) kept.push_back(std::make_unique<Block>());
    std::vector<std::thread> threads;
    threads.reserve(these.blocks);
    std::promise<bool> all;
    const std::shared_future<bool> start = all.get_future().share();
    const char *missing = nullptr;
    grid = &these;
    try {
        for (uint64_t i = 0; i < these.blocks; i++)
            threads.emplace_back([&, i, start] {
                if (!start.get()) return;
                Block &block = *kept[i];
                if (checking) block.shared().pattern = pattern;
                block.run(launch, index_of(launch, i), descending);
                these.end();
            });
    } catch (const std::system_error &error) {
        missing = std::strerror(error.code().value());
    }
    all.set_value(!missing);
    for (std::thread &thread : threads) thread.join();
    grid = nullptr;
    if (missing) {
        print("kernel %s, launched at %s:%d: expected %llu threads of the host for blocks that run at once, got %zu: %s",
              launch.kernel, launch.place.file, launch.place.line, static_cast<unsigned long long>(these.blocks),
              threads.size(), missing);
        return false;
    }
    return !failure();
}

}  // namespace

cudaError_t set_attribute(cudaFuncAttribute attribute, int value) {
    if (attribute != cudaFuncAttributeMaxDynamicSharedMemorySize) return cudaSuccess;
    if (value < 0 || size_t(value) > most_dynamic) return record(cudaErrorInvalidValue);
    int before = dynamic_allowed;
    while (before < value && !dynamic_allowed.compare_exchange_weak(before, value)) {}
    return cudaSuccess;
}

cudaError_t launch(const Launch &launch) {
    if (Block *block = Block::running()) {
        tell(Rule::unserved, launch.place, "%s:%d: %s launches %s: CUDA on the CPU has no dynamic parallelism", launch.place.file, launch.place.line,
              where().text, launch.kernel);
        block->abandon(cudaErrorNotSupported);
    }
    if (const cudaError_t error = initialize()) return error;
    if (!is_stream(launch.stream)) return record(cudaErrorInvalidResourceHandle);
    if (!is_valid(launch)) return record(cudaErrorInvalidConfiguration);
    if (launch.shared > size_t(dynamic_allowed.load())) return record(cudaErrorInvalidValue);
    constexpr uint64_t most_at_once = 1024;
    if (launch.together && blocks_of(launch) > most_at_once) return record(cudaErrorCooperativeLaunchTooLarge);
    if (const int i = argument_of_host(launch); i >= 0) {
        tell(Rule::host_memory, launch.place, "kernel %s, launched at %s:%d: argument %d%s%s: expected memory that a kernel can read, got %p, memory of the host",
              launch.kernel, launch.place.file, launch.place.line, i + 1, *launch.arguments ? ", " : "",
              argument_text(launch.arguments, i).c_str(), launch.pointers[i]);
        fail(cudaErrorIllegalAddress);
        return record(cudaErrorIllegalAddress);
    }
    static std::mutex &one_launch = *new std::mutex;
    std::lock_guard<std::mutex> lock(one_launch);
    name_faults();
    const Interruptible interruptible(launch);
    bool could = true;
    const Access access;
    Recorded recorded(launch);
    if (checking) could = run_checked(launch, launch.together ? run_at_once : run_in_order);
    else if (launch.together) could = run_at_once(launch, false, 0);
    else run_blocks(launch);
    recorded.end();
    if (!could && !failure()) return record(cudaErrorCooperativeLaunchTooLarge);
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
uint64_t blocks_ended() { return work ? work->ended() : grid ? grid->ended.load() : 0; }
void start_blocks() { work->start_another(); }

void let_others_run() {
    if (Block *block = Block::running()) block->let_others_run();
}
uint64_t together(Together operation, unsigned mask, uint64_t value, unsigned lane, Place place) {
    if (!Block::running()) fatal("an operation of a warp outside of a kernel");
    return Block::running()->together(operation, mask, value, lane, place);
}

}  // namespace cuda_on_cpu
