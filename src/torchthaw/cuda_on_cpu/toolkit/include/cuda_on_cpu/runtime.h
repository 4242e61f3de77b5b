// cuda_on_cpu/runtime.h: what compiled CUDA code calls in libcuda_on_cpu. Plain data and functions, so that the two may
// have different C++ libraries.
#pragma once

#include <cstddef>
#include <cstdint>

#include <driver_types.h>

#define CUDA_ON_CPU_EXPORT __attribute__((visibility("default")))
// The library is linked or loaded before the code that uses it, so its few bytes of TLS are found without a call.
#define CUDA_ON_CPU_TLS __thread __attribute__((tls_model("initial-exec"), visibility("default")))

// Those of the thread that runs.
extern CUDA_ON_CPU_TLS uint3 threadIdx, blockIdx;
extern CUDA_ON_CPU_TLS dim3 blockDim, gridDim;

namespace cuda_on_cpu {

// The number of what this file declares, and of how compiled code uses it. A change of either needs a new one, so that
// no object of other headers runs: it would read wrong memory, or wait for ever.
constexpr int interface = 5;
// Ends the process if the runtime has another number, with a line that names the file in which the address `inside` is.
CUDA_ON_CPU_EXPORT void expect_interface(int number, const void *inside);

// How the threads of a block follow each other: by `step` in x, until `edge`. A thread that has not waited is the last one
// that was started; `last` is that one while others run, and `held` is 1 while one runs that has waited. `questions`
// counts those of may_wait().
struct Progress {
    unsigned held, step, edge, questions;
    uint3 last;
};
extern CUDA_ON_CPU_TLS Progress progress;

// The end of a thread that has waited: tells the block, and goes back to the last one that was started.
CUDA_ON_CPU_EXPORT void end_held();
// From the end of a row of threads to the next row. False if there is none.
CUDA_ON_CPU_EXPORT bool next_row();

// Makes the next thread of the block the running one. False if none is left.
inline bool next_thread() {
    if (__builtin_expect(progress.held, 0)) end_held();
    threadIdx.x += progress.step;
    return threadIdx.x != progress.edge || next_row();
}

// A place in the source.
struct Place {
    const char *file;
    int line;
};

// What stands between <<< and >>>.
struct Shape {
    dim3 grid, block;
    size_t shared;
    cudaStream_t stream;
    Place place;
    bool together = false;
    Shape(dim3 grid, dim3 block, size_t shared = 0, cudaStream_t stream = nullptr, const char *file = __builtin_FILE(),
          int line = __builtin_LINE())
        : grid(grid), block(block), shared(shared), stream(stream), place{file, line} {}
};

struct Launch {
    const char *kernel;  // its text, such as "add<float>"
    Place place;         // of the launch
    dim3 grid, block;
    size_t shared;
    cudaStream_t stream;
    void (*run)(void *closure);  // runs threads until next_thread() is false
    void *closure;
    const char *arguments;        // their text
    const void *const *pointers;  // of each argument its value, if it is a pointer, else null
    int count;                    // of arguments
    bool together;                // its blocks run at once, and may wait for each other
    size_t closure_bytes;         // of the closure: a pointer, and copies of the arguments; 0 if it needs more than itself
};
// Runs all blocks. The error is also what cudaGetLastError() says.
CUDA_ON_CPU_EXPORT cudaError_t launch(const Launch &);

// A kernel whose address was taken as void *, with what launches it by its parameters.
using Unpack = cudaError_t (*)(const void *kernel, const Shape &, void **arguments);
CUDA_ON_CPU_EXPORT void know_kernel(const void *kernel, Unpack);
// cudaErrorInvalidDeviceFunction and a line for an address that is not known.
CUDA_ON_CPU_EXPORT cudaError_t launch_address(const void *kernel, const Shape &, void **arguments);

// An attribute of some kernel. A launch has a kernel's text alone, so what one kernel may have is allowed to all.
CUDA_ON_CPU_EXPORT cudaError_t set_attribute(cudaFuncAttribute, int value);

// Shared memory: a static array of a kernel has a number, which its first use gives it, and the same offset in each
// block. 0 is no number yet.
struct SharedArray {
    int number;
    const char *name;
    Place place;
};
CUDA_ON_CPU_EXPORT void *shared_array(SharedArray &, size_t bytes);
CUDA_ON_CPU_EXPORT void *dynamic_shared(const char *name, Place);

// A __device__ variable, whose value a check keeps and compares as that of an allocation.
struct CUDA_ON_CPU_EXPORT Variable {
    Variable(void *address, size_t bytes, const char *name, bool managed = false);
    ~Variable();
    void *address;
};

// A variable that code names as a symbol. Constants and pointers to functions are no Variable.
CUDA_ON_CPU_EXPORT void know_symbol(const void *address, size_t bytes);

// Memory of the host is the device's too, as that of thrust's vectors is.
CUDA_ON_CPU_EXPORT void share_host_memory();

// Barriers of a block. The sum of the predicates, and how many threads took part.
struct Votes {
    int sum, threads;
};
CUDA_ON_CPU_EXPORT Votes wait_for_block(int predicate, Place);

// A barrier of all blocks, of a launch whose blocks run at once.
CUDA_ON_CPU_EXPORT void wait_for_grid(Place);
// Other threads of the block go on: for a thread that waits for what another one writes.
CUDA_ON_CPU_EXPORT void let_others_run();
// The same now and then, at what a thread does over and over while it waits. True, for conditions of loops.
constexpr bool may_wait() {
    if (!__builtin_is_constant_evaluated() && __builtin_expect(++progress.questions % 64 == 0, 0)) let_others_run();
    return true;
}

// What the threads of a warp do together. `mask` has the lanes that take part, 0 those that run it now.
enum class Together { sync, shuffle, ballot, active, match_any, match_all, add, min, max, and_, or_, xor_ };
// shuffle: the value of `lane`, or the own one where that takes no part; ballot, active: a lane mask; match_any, match_all:
// the lanes that have the same value; the rest: the operation on all values, as int64_t.
CUDA_ON_CPU_EXPORT uint64_t together(Together, unsigned mask, uint64_t value, unsigned lane, Place);

// What a check compares less strictly: the array at `address` got sums of floats of `bytes` each, in any order.
CUDA_ON_CPU_EXPORT extern int checking;
CUDA_ON_CPU_EXPORT void note_float_atomic(const void *address, int bytes);
CUDA_ON_CPU_EXPORT void note_integer_atomic(const void *address);
// The same for a compare-and-swap, whose integer may be a float's bits.
CUDA_ON_CPU_EXPORT void note_swap(const void *address, int bytes);

// Ends the kernel with an error that stays: assert() in a kernel, __trap(), and what is not served.
[[noreturn]] CUDA_ON_CPU_EXPORT void assert_fail(const char *condition, const char *file, unsigned line,
                                                 const char *function);
[[noreturn]] CUDA_ON_CPU_EXPORT void trap(Place);
[[noreturn]] CUDA_ON_CPU_EXPORT void too_many_threads(unsigned most);
[[noreturn]] CUDA_ON_CPU_EXPORT void unserved(const char *what, Place);

}  // namespace cuda_on_cpu
