// tests/support/cuda_recorder/recorder.h: three devices in place of the one of CUDA on the CPU, and what is asked of them.
//
// The recorder has functions of CUDA's runtime and passes most calls on to libcuda_on_cpu, so it must come before it: in
// the program itself, or by LD_PRELOAD. It tells what no GPU tells, and fails when it is told to.
#pragma once

#include <cuda_runtime_api.h>

#include <map>
#include <set>
#include <utility>
#include <vector>

namespace recorder {

// What there is, and what was done.
struct Machine {
    int devices = 3, current = 0;
    bool capturing = false;
    cudaError_t next = cudaSuccess, last_error = cudaSuccess;  // of the next work; of the last launch
    int enqueued = 0;
    std::set<void *> streams;  // of all works
    void *last_stream = nullptr;
    void *blas_stream = nullptr;  // of the last product by cuBLAS
    int blas_math_mode = -1;
};
extern Machine machine;

// What is allocated now, how often the host waited, and how often a device's memory was copied to another.
struct Memory {
    size_t blocks = 0, bytes = 0, pinned = 0;
    int waits = 0, peer_copies = 0, trims = 0;
};
extern Memory memory;

// Which streams there are and with what flags and priority, which ones wait for which, and who reaches whom.
struct Order {
    std::map<void *, std::pair<unsigned, int>> streams;
    std::set<void *> busy;
    std::vector<std::pair<void *, void *>> waits;  // a stream, and the one it waits for
    int events = 0;
    std::set<std::pair<int, int>> peers, pools;  // a device, and the one it reaches
};
extern Order order;

}  // namespace recorder
