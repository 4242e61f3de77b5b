// cuda_on_cpu/runtime/pool.h: the host's threads that run blocks.
#pragma once

namespace cuda_on_cpu {

// How many run blocks: OMP_NUM_THREADS, else the processors that this process may use.
unsigned host_threads();

// Calls work(argument) on this thread and on all others of the pool at once; returns when all have returned. One call at
// a time.
void on_all_threads(void (*work)(void *), void *argument);

}  // namespace cuda_on_cpu
