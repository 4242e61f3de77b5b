// tests/cuda_on_cpu/samples/program.cu: what a CUDA program does, each part with its own exit status.
#include <cooperative_groups.h>
#include <cuda_fp16.h>

#include <cstdio>
#include <cstdlib>
#include <vector>

#define REQUIRE(condition)                                                                                             \
    do                                                                                                                 \
        if (!(condition)) std::printf("%s:%d: %s\n", __FILE__, __LINE__, #condition), std::exit(1);                    \
    while (0)
#define RUN(kernel, ...) kernel<<<__VA_ARGS__>>>

__constant__ float weights[3];
__device__ int launches = 0;

template <typename T> __global__ void scale(T *x, T by, int n) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) x[i] *= by;
    if (blockIdx.x == 0 && threadIdx.x == 0) atomicAdd(&launches, 1);
}

// Each block reverses its part.
template <int N> __global__ void reverse(int *x) {
    __shared__ int tile[N];
    const int t = threadIdx.x;
    tile[t] = x[blockIdx.x * N + t];
    __syncthreads();
    x[blockIdx.x * N + t] = tile[N - 1 - t];
}

// The sum of a block's part, in dynamic shared memory.
__global__ void sums(const float *x, float *y) {
    extern __shared__ float partial[];
    const int t = threadIdx.x;
    partial[t] = x[blockIdx.x * blockDim.x + t];
    for (int half = blockDim.x / 2; half; half /= 2) {
        __syncthreads();
        if (t < half) partial[t] += partial[t + half];
    }
    if (t == 0) y[blockIdx.x] = partial[0];
}

__global__ void shape(unsigned *out) {
    const unsigned block = (blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
    const unsigned thread = (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
    out[block * blockDim.x * blockDim.y * blockDim.z + thread] = block * 1000 + thread;
}

__global__ void warp(int *out) {
    const int lane = threadIdx.x;
    int sum = lane;
    for (int by = 16; by; by /= 2) sum += __shfl_xor_sync(0xffffffff, sum, by);
    out[lane] = sum;
    out[32 + lane] = __shfl_up_sync(0xffffffff, lane, 1);
    out[64 + lane] = __shfl_down_sync(0xffffffff, lane, 3, 8);
    out[96 + lane] = __shfl_sync(0xffffffff, lane, 5, 16);
    out[128 + lane] = int(__ballot_sync(0xffffffff, lane % 3 == 0));
    out[160 + lane] = __any_sync(0xffffffff, lane == 7) * 2 + __all_sync(0xffffffff, lane < 32);
    if (lane < 8) out[192 + lane] = __shfl_xor_sync(0xff, lane, 1);
    else out[192 + lane] = int(__activemask());
    out[224 + lane] = int(__match_any_sync(0xffffffff, lane / 4));
}

// Threads that return early do not hold up the others.
__global__ void early(int *out, int n) {
    if (threadIdx.x >= n) return;
    __shared__ int count;
    if (threadIdx.x == 0) count = 0;
    __syncthreads();
    atomicAdd(&count, 1);
    __syncthreads();
    out[threadIdx.x] = count;
}

__global__ void votes(int *out) {
    const int t = threadIdx.x;
    out[0] = __syncthreads_count(t % 2);
    out[1] = __syncthreads_and(t < 64);
    out[2] = __syncthreads_or(t == 64);
}

__global__ void weighted(half *x, double *y) {
    x[threadIdx.x] = __float2half(weights[threadIdx.x] * __half2float(x[threadIdx.x]));
    atomicAdd(y, double(x[threadIdx.x]));
}

__global__ void groups(int *out) {
    namespace cg = cooperative_groups;
    const cg::thread_block block = cg::this_thread_block();
    const auto tile = cg::tiled_partition<8>(block);
    int sum = int(block.thread_rank());
    for (int by = 4; by; by /= 2) sum += tile.shfl_down(sum, by);
    out[block.thread_rank()] = tile.shfl(sum, 0);
    block.sync();
    if (threadIdx.x % 2) {
        const auto odd = cg::coalesced_threads();
        out[64 + block.thread_rank()] = int(odd.size() * 100 + odd.thread_rank());
    }
}

struct Pair {
    int a;
    float b;
};
__global__ void by_value(Pair pair, Pair *out, const float *nothing) { *out = {pair.a + (nothing == nullptr), pair.b}; }

template <typename T> struct Device {
    std::vector<T> host;
    T *data;
    explicit Device(std::vector<T> values) : host(values) {
        REQUIRE(cudaMalloc(&data, host.size() * sizeof(T)) == cudaSuccess);
        cudaMemcpy(data, host.data(), host.size() * sizeof(T), cudaMemcpyHostToDevice);
    }
    ~Device() { cudaFree(data); }
    const std::vector<T> &get() {
        cudaMemcpy(host.data(), data, host.size() * sizeof(T), cudaMemcpyDeviceToHost);
        return host;
    }
};

int evaluated = 0;
int once(int n) { return ++evaluated, n; }

int main() {
    Device<float> x(std::vector<float>(1000, 1.5f));
    scale<<<4, 64>>>(x.data, 2.f, once(1000));
    scale<float> << <dim3(2), 128, 0, nullptr>> >(x.data, 2.f, 500);
    RUN(scale, 1, 32)(x.data, 0.5f, 1);
    REQUIRE(evaluated == 1 && x.get()[0] == 3 && x.host[499] == 6 && x.host[999] == 3);
    int count = 0;
    REQUIRE(cudaMemcpyFromSymbol(&count, launches, sizeof count) == cudaSuccess && count == 3);

    std::vector<int> numbers(96);
    for (int i = 0; i < 96; i++) numbers[i] = i;
    Device<int> r(numbers);
    reverse<32><<<3, 32>>>(r.data);
    for (int i = 0; i < 96; i++) REQUIRE(r.get()[i] == i / 32 * 32 + 31 - i % 32);

    Device<float> ones(std::vector<float>(1024 * 8, 1)), totals(std::vector<float>(8));
    sums<<<8, 1024, 1024 * sizeof(float)>>>(ones.data, totals.data);
    for (float total : totals.get()) REQUIRE(total == 1024);

    Device<unsigned> s(std::vector<unsigned>(12 * 24));
    shape<<<dim3(2, 3, 2), dim3(4, 3, 2)>>>(s.data);
    for (unsigned i = 0; i < 12 * 24; i++) REQUIRE(s.get()[i] == i / 24 * 1000 + i % 24);

    Device<int> w(std::vector<int>(256));
    warp<<<1, 32>>>(w.data);
    w.get();
    for (int i = 0; i < 32; i++) {
        REQUIRE(w.host[i] == 496 && w.host[32 + i] == (i ? i - 1 : 0));
        REQUIRE(w.host[64 + i] == (i % 8 + 3 < 8 ? i + 3 : i) && w.host[96 + i] == i / 16 * 16 + 5);
        REQUIRE(unsigned(w.host[128 + i]) == 0x49249249u && w.host[160 + i] == 3);
        REQUIRE(i < 8 ? w.host[192 + i] == (i ^ 1) : unsigned(w.host[192 + i]) == 0xffffff00u);
        REQUIRE(unsigned(w.host[224 + i]) == 15u << i / 4 * 4);
    }
    Device<int> e(std::vector<int>(64));
    early<<<1, 64>>>(e.data, 40);
    REQUIRE(e.get()[0] == 40 && e.host[39] == 40 && e.host[40] == 0);
    Device<int> v(std::vector<int>(3));
    votes<<<1, 65>>>(v.data);
    REQUIRE(v.get()[0] == 32 && v.host[1] == 0 && v.host[2] == 1);

    Device<int> g(std::vector<int>(128));
    groups<<<1, 64>>>(g.data);
    REQUIRE(g.get()[0] == 28 && g.host[9] == 92 && g.host[64 + 1] == 1600 && g.host[64 + 63] == 1615);

    const float given[] = {1, 2, 3};
    REQUIRE(cudaMemcpyToSymbol(weights, given, sizeof given) == cudaSuccess);
    Device<half> h({half(1.f), half(1.5f), half(-2.f)});
    Device<double> d({0.0});
    weighted<<<1, 3>>>(h.data, d.data);
    REQUIRE(float(h.get()[1]) == 3 && float(h.host[2]) == -6 && d.get()[0] == -2);
    Device<Pair> p({Pair{}});
    by_value<<<1, 1>>>(Pair{4, 0.5f}, p.data, NULL);
    REQUIRE(p.get()[0].a == 5 && p.host[0].b == 0.5f);
    by_value<<<1, 1>>>(Pair{5, 0.5f}, p.data, 0);
    REQUIRE(p.get()[0].a == 6 && p.host[0].b == 0.5f);

    REQUIRE(cudaGetLastError() == cudaSuccess);
    scale<<<1, 2000>>>(x.data, 1.f, 1);
    REQUIRE(cudaPeekAtLastError() == cudaErrorInvalidConfiguration && cudaGetLastError() == cudaErrorInvalidConfiguration);
    scale<<<0, 1>>>(x.data, 1.f, 1);
    REQUIRE(cudaGetLastError() == cudaErrorInvalidConfiguration && cudaGetLastError() == cudaSuccess);
    REQUIRE(cudaSetDevice(1) == cudaErrorInvalidDevice && cudaGetLastError() == cudaErrorInvalidDevice);
    cudaStream_t stream;
    cudaEvent_t start, end;
    float time = -1;
    REQUIRE(cudaStreamCreate(&stream) == cudaSuccess && cudaEventCreate(&start) == cudaSuccess);
    REQUIRE(cudaEventCreate(&end) == cudaSuccess && cudaEventRecord(start, stream) == cudaSuccess);
    scale<<<1, 1, 0, stream>>>(x.data, 1.f, 1);
    REQUIRE(cudaEventRecord(end, stream) == cudaSuccess && cudaStreamSynchronize(stream) == cudaSuccess);
    REQUIRE(cudaEventElapsedTime(&time, start, end) == cudaSuccess && time >= 0);
    REQUIRE(cudaEventDestroy(end) == cudaSuccess && cudaStreamDestroy(stream) == cudaSuccess);
    std::printf("right\n");
}
