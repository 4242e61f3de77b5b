// tests/support/stand_in/machine.cpp: the stand-in's blocks, threads and barriers, and the calls of the CUDA runtime.
#include <cuda_runtime.h>

#include <sys/mman.h>
#include <ucontext.h>

#include <cstdio>
#include <cstdlib>
#include <memory>
#include <utility>
#include <vector>

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/common_interface_defs.h>
#endif

dim3 threadIdx, blockIdx, blockDim, gridDim;

namespace cuda_on_host {

Machine machine;

namespace {

enum class Wait { none, warp, block, ended };

[[noreturn]] void fail(const char *what) {
    std::fprintf(stderr, "cuda_on_host: %s\n", what);
    std::abort();
}

// A thread of a block, on a stack of its own.
class Fiber {
public:
    Fiber() {
        stack_ = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (stack_ == MAP_FAILED) fail("no memory for a thread's stack");
    }
    ~Fiber() { munmap(stack_, size); }
    Fiber(const Fiber &) = delete;
    Fiber &operator=(const Fiber &) = delete;

    void begin(const std::function<void()> &body, dim3 index) {
        body_ = &body;
        thread = index;
        wait = Wait::none;
        getcontext(&context_);
        context_.uc_stack.ss_sp = stack_;
        context_.uc_stack.ss_size = size;
        context_.uc_link = nullptr;
        makecontext(&context_, entry, 0);
    }

    // From the scheduler into the thread, until that waits or ends.
    void resume() {
        running = this;
        change(&scheduler, &context_, &scheduler_fake_stack, stack_, size);
    }

    // From the thread back to the scheduler.
    void pause(Wait reason) {
        wait = reason;
        change(&context_, &scheduler, reason == Wait::ended ? nullptr : &fake_stack_, scheduler_stack,
               scheduler_stack_size);
    }

    static Fiber *running;
    dim3 thread;
    Wait wait = Wait::ended;

private:
    static constexpr size_t size = 256 * 1024;

    static void entry() {
        arrived(nullptr);
        (*running->body_)();
        running->pause(Wait::ended);
    }

    static void arrived([[maybe_unused]] void *fake_stack) {
#if defined(__SANITIZE_ADDRESS__)
        const void *from;
        size_t from_size;
        __sanitizer_finish_switch_fiber(fake_stack, &from, &from_size);
        if (!scheduler_stack) scheduler_stack = from, scheduler_stack_size = from_size;
#endif
    }

    static void change(ucontext_t *from, ucontext_t *to, [[maybe_unused]] void **fake_stack,
                       [[maybe_unused]] const void *stack, [[maybe_unused]] size_t stack_size) {
#if defined(__SANITIZE_ADDRESS__)
        __sanitizer_start_switch_fiber(fake_stack, stack, stack_size);
#endif
        swapcontext(from, to);
        arrived(fake_stack ? *fake_stack : nullptr);
    }

    static ucontext_t scheduler;
    static void *scheduler_fake_stack;
    static const void *scheduler_stack;
    static size_t scheduler_stack_size;

    ucontext_t context_;
    void *stack_, *fake_stack_ = nullptr;
    const std::function<void()> *body_ = nullptr;
};

Fiber *Fiber::running;
ucontext_t Fiber::scheduler;
void *Fiber::scheduler_fake_stack;
const void *Fiber::scheduler_stack;
size_t Fiber::scheduler_stack_size;

std::vector<std::unique_ptr<Fiber>> fibers;
char slots[32][32 * 8];  // per warp of a block

// Lets threads [begin, end) go on if all of them wait for `reason`.
bool release(unsigned begin, unsigned end, Wait reason) {
    for (unsigned i = begin; i < end; ++i)
        if (fibers[i]->wait != reason) return false;
    for (unsigned i = begin; i < end; ++i) fibers[i]->wait = Wait::none;
    return true;
}

void run_block(const std::function<void()> &body) {
    const dim3 shape = blockDim;
    const unsigned count = shape.count();
    while (fibers.size() < count) fibers.push_back(std::make_unique<Fiber>());
    for (unsigned i = 0; i < count; ++i)
        fibers[i]->begin(body, dim3(i % shape.x, i / shape.x % shape.y, i / shape.x / shape.y));
    for (unsigned ended = 0; ended < count;) {
        bool moved = false;
        for (unsigned k = 0; k < count; ++k) {
            Fiber &fiber = *fibers[machine.descending ? count - 1 - k : k];
            if (fiber.wait != Wait::none) continue;
            threadIdx = fiber.thread;
            fiber.resume();
            ended += fiber.wait == Wait::ended;
            moved = true;
        }
        for (unsigned first = 0; first < count; first += 32)
            moved |= release(first, first + 32 < count ? first + 32 : count, Wait::warp);
        moved |= release(0, count, Wait::block);
        if (!moved) fail("a barrier that not all threads reach");
    }
}

}  // namespace

unsigned thread_in_block() { return (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x; }

void *warp_slots() { return slots[thread_in_block() / 32]; }
void wait_for_block() { Fiber::running->pause(Wait::block); }
void wait_for_warp() { Fiber::running->pause(Wait::warp); }

cudaError_t enqueue(void *stream) {
    const cudaError_t status = machine.next;
    machine.next = cudaSuccess;
    if (status != cudaSuccess) return status;
    machine.streams.insert(stream);
    machine.last_stream = stream;
    ++machine.enqueued;
    return cudaSuccess;
}

void note_launch(cudaError_t status) {
    if (status != cudaSuccess) machine.last_error = status;
}

cudaError_t run(dim3 blocks, dim3 threads, void *stream, const std::function<void()> &thread) {
    if (blocks.count() == 0 || threads.count() == 0 || threads.count() > 1024 || blocks.y > 65535 || blocks.z > 65535)
        return cudaErrorInvalidConfiguration;
    const cudaError_t status = enqueue(stream);
    if (status != cudaSuccess) return status;
    gridDim = blocks;
    blockDim = threads;
    for (unsigned i = 0; i < blocks.count(); ++i) {
        blockIdx = dim3(i % blocks.x, i / blocks.x % blocks.y, i / blocks.x / blocks.y);
        run_block(thread);
    }
    return cudaSuccess;
}

}  // namespace cuda_on_host

using cuda_on_host::enqueue;
using cuda_on_host::machine;

const char *cudaGetErrorString(cudaError_t status) {
    return status == cudaErrorInsufficientDriver ? "CUDA driver version is insufficient for CUDA runtime version"
           : status == cudaErrorIllegalAddress   ? "an illegal memory access was encountered"
                                                 : "another error";
}

cudaError_t cudaGetLastError() { return std::exchange(machine.last_error, cudaSuccess); }

cudaError_t cudaGetDevice(int *device) {
    *device = machine.current;
    return machine.devices ? cudaSuccess : cudaErrorInsufficientDriver;
}

cudaError_t cudaSetDevice(int device) {
    if (device < 0 || device >= machine.devices) return cudaErrorInvalidDevice;
    machine.current = device;
    return cudaSuccess;
}

cudaError_t cudaGetDeviceCount(int *count) {
    *count = machine.devices;
    return machine.devices ? cudaSuccess : cudaErrorInsufficientDriver;
}

cudaError_t cudaDeviceGetAttribute(int *value, cudaDeviceAttr, int) {
    *value = machine.processors;
    return cudaSuccess;
}

cudaError_t cudaStreamIsCapturing(cudaStream_t, cudaStreamCaptureStatus *status) {
    *status = machine.capturing ? cudaStreamCaptureStatusActive : cudaStreamCaptureStatusNone;
    return cudaSuccess;
}

cudaError_t cudaMemcpyAsync(void *to, const void *from, size_t size, cudaMemcpyKind, cudaStream_t stream) {
    const cudaError_t status = enqueue(stream);
    if (status == cudaSuccess) std::memcpy(to, from, size);
    return status;
}

cudaError_t cudaMemsetAsync(void *to, int value, size_t size, cudaStream_t stream) {
    return cudaMemset2DAsync(to, size, value, size, 1, stream);
}

cudaError_t cudaMemset2DAsync(void *to, size_t pitch, int value, size_t width, size_t height, cudaStream_t stream) {
    const cudaError_t status = enqueue(stream);
    for (size_t row = 0; status == cudaSuccess && row < height; ++row)
        std::memset(static_cast<char *>(to) + row * pitch, value, width);
    return status;
}

// For tests in Python: the stream of the last work, the number of works, and what the next one fails with.
extern "C" {
void *stand_in_last_stream() { return machine.last_stream; }
int stand_in_enqueued() { return machine.enqueued; }
void stand_in_fail_next(int code) { machine.next = static_cast<cudaError_t>(code); }
}
