// benchmarks/peers/cuda_on_cpu.cu: kernels and the same loop in C, for benchmarks/cuda_on_cpu.py.

// 25 multiplications and 25 additions.
static inline __host__ __device__ float work(float x) {
#pragma GCC unroll 25
    for (int i = 0; i < 25; i++) x = x * 0.999f + 0.001f;
    return x;
}

__global__ void work_on(const float *x, float *y, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = work(x[i]);
}

template <int barriers> __global__ void wait(const float *x, float *y, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = i < n ? x[i] : 0;
    for (int k = 0; k < barriers; k++) {
        __syncthreads();
        sum += 1;
    }
    if (i < n) y[i] = sum;
}

extern "C" {
void run_kernel(const float *x, float *y, int n) { work_on<<<(n + 255) / 256, 256>>>(x, y, n); }
void run_loop(const float *x, float *y, int n) {
    for (int i = 0; i < n; i++) y[i] = work(x[i]);
}
void run_barriers(const float *x, float *y, int n) { wait<9><<<(n + 255) / 256, 256>>>(x, y, n); }
void run_no_barriers(const float *x, float *y, int n) { wait<0><<<(n + 255) / 256, 256>>>(x, y, n); }
}
