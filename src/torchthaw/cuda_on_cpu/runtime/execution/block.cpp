// cuda_on_cpu/runtime/block.cpp: which thread of a block runs next.
#include "block.h"

#include "checks/check.h"
#include "errors.h"
#include "checks/faults.h"
#include "checks/report.h"

#include <algorithm>
#include <exception>
#include <thread>

CUDA_ON_CPU_TLS uint3 threadIdx, blockIdx;
CUDA_ON_CPU_TLS dim3 blockDim, gridDim;

namespace cuda_on_cpu {

CUDA_ON_CPU_TLS Progress progress;

namespace {
__thread Block *running_block;

unsigned linear(uint3 thread) { return (thread.z * blockDim.y + thread.y) * blockDim.x + thread.x; }
}  // namespace

Block *Block::running() { return running_block; }
void end_held() { running_block->end_held(); }
bool next_row() { return running_block->next_row(); }

Block::Block() = default;

bool Block::run(const Launch &launch, uint3 index, bool descending) {
    launch_ = &launch;
    descending_ = descending;
    failed_ = false;
    blockIdx = index;
    blockDim = launch.block;
    gridDim = launch.grid;
    count_ = blockDim.x * blockDim.y * blockDim.z;
    progress.step = descending ? ~0u : 1;
    progress.edge = descending ? ~0u : blockDim.x;
    // One step before the first thread.
    progress.last = descending ? uint3{blockDim.x, blockDim.y - 1, blockDim.z - 1} : uint3{~0u, 0, 0};
    have_signal_stack();
    if (!stacks_.reserve() || !shared_.reserve()) {
        print("kernel %s, launched at %s:%d: the host has no memory for the stacks and the shared memory of a block",
              launch.kernel, launch.place.file, launch.place.line);
        fail(cudaErrorMemoryAllocation);
        return false;
    }
    shared_.begin_block(launch.shared);
    running_block = this;
    waiting_.begin();
    Fiber &first = fresh();
    now_ = &first;
    progress.held = progress.questions = 0;
    threadIdx = progress.last;
    change(host_, first);
    running_block = nullptr;
    return !failed_;
}

bool Block::next_row() {
    uint3 &thread = threadIdx;
    thread.x = descending_ ? blockDim.x - 1 : 0;
    thread.y += progress.step;
    if (thread.y == (descending_ ? ~0u : blockDim.y)) {
        thread.y = descending_ ? blockDim.y - 1 : 0;
        thread.z += progress.step;
        if (thread.z == (descending_ ? ~0u : blockDim.z)) {
            progress.last = descending_ ? uint3{0, 0, 0} : uint3{blockDim.x - 1, blockDim.y - 1, blockDim.z - 1};
            return false;
        }
    }
    return true;
}

// Threads that have not started, while all that have wait or have ended.
unsigned Block::left() const { return descending_ ? linear(progress.last) : count_ - 1 - linear(progress.last); }

Fiber &Block::fresh() {
    if (free_.empty()) {
        fibers_.push_back(std::make_unique<Fiber>());
        stacks_.prepare(*fibers_.back(), unsigned(fibers_.size() - 1), entry);
        return *fibers_.back();
    }
    Fiber &fiber = *free_.back();
    free_.pop_back();
    stacks_.prepare(fiber, 0, entry);
    return fiber;
}

void Block::entry() {
    arrive(*running_block->now_);
    running_block->body();
}

void Block::body() {
    bool thrown = true;
    try {
        launch_->run(launch_->closure);
        thrown = false;
    } catch (const std::exception &error) {
        tell(Rule::exception, launch_->place, "%s: a C++ exception: %s", where().text, error.what());
    } catch (...) {
        tell(Rule::exception, launch_->place, "%s: a C++ exception", where().text);
    }
    if (thrown) abandon(cudaErrorLaunchFailure);
    free_.push_back(now_);
    Fiber &ended = *now_;
    Fiber &next = choose();
    now_ = &next;
    change(ended, next, true);
    __builtin_unreachable();
}

// A new fiber, for the threads that have not started.
Fiber &Block::start() {
    progress.held = 0;
    threadIdx = progress.last;
    return fresh();
}

// The fiber that goes on: one that may, else a new one for the threads that have not started, else one of those that
// can be released now. The host's own stack when all threads have ended.
Fiber &Block::choose() {
    for (;;) {
        if (next_ready_ < ready_.size()) {
            Fiber &fiber = *ready_[next_ready_++];
            if (next_ready_ == ready_.size()) ready_.clear(), next_ready_ = 0;
            return fiber;
        }
        if (left()) return start();
        if (!held_) return host_;
        if (!release_some()) {
            report_deadlock();
            forget(cudaErrorLaunchFailure);
        }
    }
}

// After a failure no fiber of this block is resumed.
void Block::forget(cudaError_t error) {
    fail(error);
    failed_ = true;
    free_.clear();
    for (auto &fiber : fibers_) fiber->waits = Waits::no, free_.push_back(fiber.get());
    ready_.clear();
    next_ready_ = 0;
    held_ = 0;
    progress.last = descending_ ? uint3{0, 0, 0} : uint3{blockDim.x - 1, blockDim.y - 1, blockDim.z - 1};
    at_barrier_.clear();
    for (Warp &warp : warps_) warp.held = warp.arrived = 0;
}

void Block::abandon(cudaError_t error) {
    forget(error);
    Fiber &ended = *now_;
    now_ = &host_;
    change(ended, host_, true);
    __builtin_unreachable();
}

// The running thread keeps its fiber.
Fiber &Block::hold() {
    Fiber &fiber = *now_;
    fiber.thread = threadIdx;
    if (!progress.held) {
        progress.last = threadIdx;
        fiber.linear = linear(threadIdx);
        ++held_;
        Warp &warp = warps_[fiber.linear / 32];
        warp.held |= 1u << fiber.linear % 32;
        warp.lanes[fiber.linear % 32] = &fiber;
        progress.held = 1;
    }
    return fiber;
}

// To another fiber; returns when this one goes on.
void Block::give_way(Fiber &next) {
    Fiber &fiber = *now_;
    if (&next != &fiber) {
        now_ = &next;
        change(fiber, next);
    }
    now_ = &fiber;
    threadIdx = fiber.thread;
    progress.held = 1;
}

// Keeps the running thread until it is released.
void Block::wait(Waits waits, Place place) {
    Fiber &fiber = hold();
    fiber.waits = waits;
    fiber.place = place;
    if (waits == Waits::block) {
        at_barrier_.push_back(&fiber);
    } else {
        warps_[fiber.linear / 32].arrived |= 1u << fiber.linear % 32;
        complete(fiber.linear / 32);
    }
    give_way(choose());
}

// A thread that waits for another one, maybe of another block, is not kept: it asks again when the others of its block
// have had their turn.
void Block::let_others_run() {
    if (failure()) abandon(failure());
    const bool alone = !left() && next_ready_ == ready_.size();
    watch(alone);
    if (alone) {
        std::this_thread::yield();
        return;
    }
    constexpr size_t many = 4096;
    if (next_ready_ >= many) ready_.erase(ready_.begin(), ready_.begin() + ptrdiff_t(next_ready_)), next_ready_ = 0;
    ready_.push_back(&hold());
    give_way(left() ? start() : choose());
}

// Of a block whose threads only ask: other blocks may start, for it may wait for one; after the limit it ends.
void Block::watch(bool alone) {
    constexpr double start_others = 0.01;
    const double seconds = waiting_.since(went_on_ + left(), blocks_ended());
    if (seconds > start_others && !launch_->together) start_blocks();
    if (!longest_wait || seconds < longest_wait) return;
    tell(Rule::timeout, launch_->place, "%s, launched at %s:%d: its block has waited for %g s, in which no thread of it went on%s; threads may wait for "
          "each other for ever (the limit is TORCHTHAW_CUDA_TIMEOUT)",
          where().text, launch_->place.file, launch_->place.line, longest_wait,
          alone ? " and none but this one was left" : "");
    abandon(cudaErrorLaunchTimeout);
}

void Block::go_on(Fiber &fiber) {
    fiber.waits = Waits::no;
    ++went_on_;
    ready_.push_back(&fiber);
}

void Block::end_held() {
    Fiber &fiber = *now_;
    const unsigned warp = fiber.linear / 32;
    warps_[warp].held &= ~(1u << fiber.linear % 32);
    --held_;
    ++went_on_;
    progress.held = 0;
    threadIdx = progress.last;
    if (warps_[warp].arrived) complete(warp);  // it may have waited for this thread
}

Votes Block::wait_for_block(int predicate, Place place) {
    now_->predicate = predicate;
    wait(Waits::block, place);
    return votes_;
}

uint64_t Block::together(Together operation, unsigned mask, uint64_t value, unsigned lane, Place place) {
    Fiber &fiber = *now_;
    fiber.operation = operation;
    fiber.mask = mask;
    fiber.value = value;
    fiber.lane = lane;
    wait(Waits::warp, place);
    return fiber.value;
}

// Lanes whose threads have not started: they come, unlike those that ended.
unsigned Block::unstarted(unsigned warp) const {
    const unsigned first = warp * 32, last = std::min(count_, first + 32);  // of those that there are
    // Ascending: the threads from count - left on; descending: those before left.
    const unsigned begin = descending_ ? first : std::max(first, count_ - left());
    const unsigned end = descending_ ? std::min(last, left()) : last;
    if (begin >= end) return 0;
    const unsigned lanes = end - begin == 32 ? ~0u : (1u << (end - begin)) - 1;
    return lanes << (begin - first);
}

// Releases the lanes of a warp that wait for each other and are all there. False if there are none.
bool Block::complete(unsigned index) {
    Warp &warp = warps_[index];
    const unsigned alive = warp.held | unstarted(index);
    bool any = false;
    for (unsigned rest = warp.arrived; rest; rest &= rest - 1) {
        const unsigned lane = unsigned(__builtin_ctz(rest));
        if (!(warp.arrived >> lane & 1)) continue;
        const Fiber &fiber = *warp.lanes[lane];
        const unsigned wanted = (fiber.mask ? fiber.mask : ~0u) & alive;
        unsigned same = 0;
        for (unsigned others = warp.arrived & wanted; others; others &= others - 1) {
            const unsigned other = unsigned(__builtin_ctz(others));
            const Fiber &waiting = *warp.lanes[other];
            if (waiting.operation == fiber.operation && waiting.mask == fiber.mask) same |= 1u << other;
        }
        if (same == wanted && (wanted >> lane & 1)) release(index, same), any = true;
    }
    return any;
}

// The results of what `lanes` of a warp do together; they go on.
void Block::release(unsigned index, unsigned lanes) {
    Warp &warp = warps_[index];
    uint64_t values[32], results[32];
    unsigned order[32], n = 0;
    for (unsigned rest = lanes; rest; rest &= rest - 1) {
        const unsigned lane = unsigned(__builtin_ctz(rest));
        values[lane] = warp.lanes[lane]->value;
        order[n++] = lane;
    }
    const auto fold = [&](auto operation) {
        int64_t sum = int64_t(values[order[0]]);
        for (unsigned i = 1; i < n; i++) sum = operation(sum, int64_t(values[order[i]]));
        return uint64_t(sum);
    };
    const auto equal_to = [&](uint64_t value) {
        unsigned same = 0;
        for (unsigned i = 0; i < n; i++) same |= unsigned(values[order[i]] == value) << order[i];
        return same;
    };
    for (unsigned i = 0; i < n; i++) {
        const unsigned lane = order[i];
        const Fiber &fiber = *warp.lanes[lane];
        uint64_t &result = results[lane];
        switch (fiber.operation) {
        case Together::sync: result = 0; break;
        case Together::shuffle: result = lanes >> fiber.lane & 1 ? values[fiber.lane] : values[lane]; break;
        case Together::ballot: result = lanes & ~equal_to(0); break;
        case Together::active: result = lanes; break;
        case Together::match_any: result = equal_to(values[lane]); break;
        case Together::match_all: result = equal_to(values[lane]) == lanes ? lanes : 0; break;
        case Together::add: result = fold([](int64_t a, int64_t b) { return int64_t(uint64_t(a) + uint64_t(b)); }); break;
        case Together::min: result = fold([](int64_t a, int64_t b) { return std::min(a, b); }); break;
        case Together::max: result = fold([](int64_t a, int64_t b) { return std::max(a, b); }); break;
        case Together::and_: result = fold([](int64_t a, int64_t b) { return a & b; }); break;
        case Together::or_: result = fold([](int64_t a, int64_t b) { return a | b; }); break;
        case Together::xor_: result = fold([](int64_t a, int64_t b) { return a ^ b; }); break;
        }
    }
    warp.arrived &= ~lanes;
    for (unsigned i = 0; i < n; i++) {
        const unsigned lane = order[descending_ ? n - 1 - i : i];
        warp.lanes[lane]->value = results[lane];
        go_on(*warp.lanes[lane]);
    }
}

// When no thread can go on and none is left to start: lanes whose partners have ended, lanes that wait for those that
// run with them, or the whole block.
bool Block::release_some() {
    const unsigned warps = (count_ + 31) / 32;
    bool any = false;
    for (unsigned i = 0; i < warps; i++) any |= warps_[i].arrived && complete(i);
    if (any) return true;
    if (at_barrier_.size() == held_) {
        votes_ = {};
        for (Fiber *fiber : at_barrier_) votes_.sum += fiber->predicate, ++votes_.threads;
        if (checking) check_barrier(*launch_, at_barrier_, count_);
        for (Fiber *fiber : at_barrier_) go_on(*fiber);
        at_barrier_.clear();
        return true;
    }
    for (unsigned i = 0; i < warps; i++) {  // of a warp that is apart, those at one operation are the ones that run now
        Warp &warp = warps_[i];
        unsigned lanes = 0;
        const Fiber *first = nullptr;
        for (unsigned rest = warp.arrived; rest; rest &= rest - 1) {
            const unsigned lane = unsigned(__builtin_ctz(rest));
            const Fiber &fiber = *warp.lanes[lane];
            if (fiber.mask) continue;
            if (!first) first = &fiber;
            if (fiber.operation == first->operation && fiber.place.line == first->place.line) lanes |= 1u << lane;
        }
        if (lanes) release(i, lanes), any = true;
    }
    return any;
}

void Block::report_deadlock() {
    std::vector<Fiber *> waiting;
    for (auto &fiber : fibers_)
        if (fiber->waits != Waits::no) waiting.push_back(fiber.get());
    report_stuck(*launch_, waiting, count_);
}

}  // namespace cuda_on_cpu
