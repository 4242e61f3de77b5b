// tests/cuda_on_cpu/samples/waits.cu: kernels whose threads wait for one another without a barrier; the program's argument
// names the one that runs.
#include <cooperative_groups.h>
#include <cstdio>
#include <cstring>

struct Mailbox {
    volatile int full;
    int value;
};
__device__ int lock_of_all = 0;

// Each thread waits for a later one, or a block for a later one: these end on a card.
__global__ void by_volatile(volatile int *flag, int *out) {
    if (threadIdx.x == 0)
        while (flag[0] == 0);
    else
        flag[0] = 7;
    out[threadIdx.x] = flag[0];
}
__global__ void by_cast(int *flag, int *out) {
    if (threadIdx.x == 0) {
        int seen;
        do {
            seen = *(volatile int *)flag;
        } while (seen != 7);
        out[0] = seen;
    } else {
        flag[0] = 7;
    }
}
__global__ void by_for(volatile int *flag, int *out) {
    if (threadIdx.x == 0) {
        for (;;) {
            if (*flag) break;
        }
        for (int i = 0; *flag < 7; i++) {
        }
    } else {
        *flag = 7;
    }
    out[threadIdx.x] = *flag;
}
__global__ void by_member(Mailbox *box, int *out) {
    if (threadIdx.x == 0) {
        while (!box->full) {
        }
        __threadfence();
        out[0] = box->value;
    } else {
        box->value = 7;
        __threadfence();
        box->full = 1;
    }
}
__global__ void by_atomic(int *flag, int *out) {
    if (threadIdx.x == 0)
        while (atomicAdd(flag, 0) == 0);
    else
        atomicExch(flag, 7);
    out[threadIdx.x] = *flag;
}
__global__ void by_exchange(int *flag, int *out) {
    if (threadIdx.x == 0)
        while (atomicCAS(flag, 7, 7) != 7) __nanosleep(10);
    else
        atomicCAS(flag, 0, 7);
    out[threadIdx.x] = *flag;
}
__global__ void by_lock(int *, int *out) {
    while (atomicCAS(&lock_of_all, 0, 1)) {
    }
    const int before = *(volatile int *)out;
    __nanosleep(1);  // another thread asks for the lock meanwhile
    *out = before + 1;
    __threadfence();
    atomicExch(&lock_of_all, 0);
}
__global__ void by_fence(int *flag, int *out) {
    if (threadIdx.x == 0)
        while (*flag == 0) __threadfence();
    else
        *flag = 7;
    out[threadIdx.x] = 7;
}
__global__ void by_block(volatile int *flag, int *out) {
    if (blockIdx.x + 1 < gridDim.x)
        while (flag[blockIdx.x + 1] == 0);
    out[blockIdx.x] = 7;
    flag[blockIdx.x] = 7;
}
// A block waits for the one before, which in descending order runs later.
__global__ void by_block_before(volatile int *flag, int *out) {
    if (blockIdx.x)
        while (flag[blockIdx.x - 1] == 0);
    out[blockIdx.x] = 7;
    flag[blockIdx.x] = 7;
}

// These never end.
__global__ void never_volatile(volatile int *flag, int *) {
    while (flag[0] == 0);  // VOLATILE
}
__global__ void never_atomic(int *flag, int *) {
    if (threadIdx.x == 3)
        while (!atomicAdd(flag, 0)) __nanosleep(100);
    __syncthreads();
}
__global__ void never_grid(int *, int *) {
    if (blockIdx.x) cooperative_groups::this_grid().sync();
}
// It only works for long.
__global__ void works(int *flag, int *out) {
    for (int i = 0; i < 3000000; i++) atomicAdd(flag, 1);
    out[threadIdx.x] = 7;
}

int main(int, char **arguments) {
    const char *which = arguments[1];
    int *flag, *out, values[8];
    cudaMalloc(&flag, sizeof values);
    cudaMalloc(&out, sizeof values);
    cudaMemset(flag, 0, sizeof values);
    cudaMemset(out, 0, sizeof values);
#define RUN(name, ...)                                                                                                 \
    if (!std::strcmp(which, #name)) name<<<__VA_ARGS__>>>(flag, out);
    RUN(by_volatile, 1, 2)
    RUN(by_cast, 1, 2)
    RUN(by_for, 1, 2)
    if (!std::strcmp(which, "by_member")) by_member<<<1, 2>>>(reinterpret_cast<Mailbox *>(flag), out);
    RUN(by_atomic, 1, 2)
    RUN(by_exchange, 1, 2)
    RUN(by_lock, 1, 7)
    RUN(by_fence, 1, 2)
    RUN(by_block, 8, 1)
    RUN(by_block_before, 8, 1)
    RUN(never_volatile, 1, 2)
    RUN(never_atomic, 1, 8)
    RUN(works, 2, 4)
    void *both[] = {&flag, &out};
    if (!std::strcmp(which, "never_grid")) cudaLaunchCooperativeKernel(never_grid, 3, 2, both);
    const cudaError_t error = cudaDeviceSynchronize();
    if (!error) cudaMemcpy(values, out, sizeof values, cudaMemcpyDeviceToHost);
    std::printf("%s %d\n", cudaGetErrorName(error), error ? 0 : values[0]);
}
