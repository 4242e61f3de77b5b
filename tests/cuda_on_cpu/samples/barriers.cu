// tests/cuda_on_cpu/samples/barriers.cu: cuda::barrier and cuda::pipeline order the threads of a block.
#include <cooperative_groups.h>
#include <cublas_api.h>
#include <cuda/barrier>
#include <cuda/pipeline>

#include <cstdio>
#include <cstdlib>

#define REQUIRE(condition)                                                                                             \
    do                                                                                                                 \
        if (!(condition)) std::printf("%s:%d: %s\n", __FILE__, __LINE__, #condition), std::exit(1);                    \
    while (0)

namespace cg = cooperative_groups;
using barrier = cuda::barrier<cuda::thread_scope_block>;
constexpr int threads = 96;

// Each thread reads what its mirror image wrote, many times.
__global__ void turns(int *to) {
    __shared__ barrier all;
    __shared__ int part[threads];
    if (threadIdx.x == 0) init(&all, threads);
    __syncthreads();
    int value = int(threadIdx.x);
    for (int i = 0; i < 5; i++) {
        part[threadIdx.x] = value + i;
        all.arrive_and_wait();
        value = part[threads - 1 - threadIdx.x];
        barrier::arrival_token token = all.arrive();
        all.wait(std::move(token));
    }
    to[threadIdx.x] = value;
}
// A half fills, the other half reads, and those that filled drop out before the last phase.
__global__ void drops(int *to) {
    __shared__ barrier all;
    __shared__ int part[threads], sum;
    if (threadIdx.x == 0) init(&all, threads), sum = 0;
    __syncthreads();
    part[threadIdx.x] = 1;
    if (threadIdx.x < threads / 2) {
        all.arrive_and_drop();
        return;
    }
    all.arrive_and_wait();
    atomicAdd(&sum, part[threadIdx.x - threads / 2]);
    all.arrive_and_wait();
    if (threadIdx.x == threads - 1) *to = sum;
}
__global__ void copies(const int *from, int *to) {
    __shared__ barrier all;
    __shared__ int part[threads];
    const cg::thread_block block = cg::this_thread_block();
    if (block.thread_rank() == 0) init(&all, threads);
    block.sync();
    cuda::memcpy_async(block, part, from, cuda::aligned_size_t<4>(sizeof part), all);
    all.arrive_and_wait();
    to[threadIdx.x] = part[threads - 1 - threadIdx.x];
}

constexpr int stages = 2, rounds = 7;
// All threads copy the next tiles while they work on this one.
__global__ void pipelined(const int *from, int *to) {
    __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, stages> state;
    __shared__ int tiles[stages][threads];
    const cg::thread_block block = cg::this_thread_block();
    auto pipe = cuda::make_pipeline(block, &state);
    int sum = 0, next = 0;
    for (int i = 0; i < rounds; i++) {
        for (; next < rounds && next < i + stages; next++) {
            pipe.producer_acquire();
            cuda::memcpy_async(block, tiles[next % stages], from + next * threads, sizeof tiles[0], pipe);
            pipe.producer_commit();
        }
        pipe.consumer_wait();
        sum += (i + 1) * tiles[i % stages][threads - 1 - threadIdx.x];
        pipe.consumer_release();
    }
    to[threadIdx.x] = sum;
}
// The first warp writes, the others read.
__global__ void roles(const int *from, int *to) {
    __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, stages> state;
    __shared__ int tiles[stages][threads];
    const cg::thread_block block = cg::this_thread_block();
    const bool writes = threadIdx.x < 32;
    auto pipe = cuda::make_pipeline(block, &state, writes ? cuda::pipeline_role::producer : cuda::pipeline_role::consumer);
    int sum = 0;
    for (int i = 0; i < rounds; i++) {
        if (writes) {
            pipe.producer_acquire();
            for (int j = int(threadIdx.x); j < threads; j += 32)
                cuda::memcpy_async(&tiles[i % stages][j], &from[i * threads + j], sizeof(int), pipe);
            pipe.producer_commit();
        } else {
            pipe.consumer_wait();
            sum += (i + 1) * tiles[i % stages][threads - 1 - threadIdx.x];
            pipe.consumer_release();
        }
    }
    to[threadIdx.x] = sum;
}
__global__ void alone(const int *from, int *to) {
    auto pipe = cuda::make_pipeline();
    int value = 0;
    pipe.producer_acquire();
    cuda::memcpy_async(&value, from + threadIdx.x, sizeof value, pipe);
    pipe.producer_commit();
    cuda::pipeline_consumer_wait_prior<0>(pipe);
    pipe.consumer_release();
    to[threadIdx.x] = value;
}

int main() {
    int *from, *to;
    cudaMallocManaged(&from, rounds * threads * sizeof(int));
    cudaMallocManaged(&to, threads * sizeof(int));
    for (int i = 0; i < rounds * threads; i++) from[i] = i * i % 1009;
    const auto done = [] { REQUIRE(cudaDeviceSynchronize() == cudaSuccess); };
    const auto weighted = [&](int i) {
        int sum = 0;
        for (int k = 0; k < rounds; k++) sum += (k + 1) * from[k * threads + threads - 1 - i];
        return sum;
    };
    turns<<<2, threads>>>(to), done();
    for (int i = 0; i < threads; i++) REQUIRE(to[i] == threads - 1 - i + 10);
    drops<<<1, threads>>>(to), done();
    REQUIRE(*to == threads / 2);
    copies<<<1, threads>>>(from, to), done();
    for (int i = 0; i < threads; i++) REQUIRE(to[i] == from[threads - 1 - i]);
    pipelined<<<1, threads>>>(from, to), done();
    for (int i = 0; i < threads; i++) REQUIRE(to[i] == weighted(i));
    roles<<<1, threads>>>(from, to), done();
    for (int i = 32; i < threads; i++) REQUIRE(to[i] == weighted(i));
    alone<<<1, threads>>>(from, to), done();
    for (int i = 0; i < threads; i++) REQUIRE(to[i] == from[i]);
    REQUIRE(CUBLAS_OP_T == 1);
    std::puts("right");
}
