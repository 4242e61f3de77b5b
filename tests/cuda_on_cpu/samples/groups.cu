// tests/cuda_on_cpu/samples/groups.cu: cooperative groups: partitions, reductions, scans and copies, beside plain loops.
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>

#include <cstdio>
#include <cstdlib>
#include <vector>

#define REQUIRE(condition)                                                                                             \
    do                                                                                                                 \
        if (!(condition)) std::printf("%s:%d: %s\n", __FILE__, __LINE__, #condition), std::exit(1);                    \
    while (0)

namespace cg = cooperative_groups;
constexpr int THREADS = 64, RESULTS = 16;

struct Wide {
    double x, y, z;
};

__device__ int sum_of(cg::thread_group group, int *shared, int x) {
    for (unsigned i = group.size() / 2; i > 0; i /= 2) {
        shared[group.thread_rank()] = x;
        group.sync();
        if (group.thread_rank() < i) x += shared[group.thread_rank() + i];
        group.sync();
    }
    return x;
}

namespace {
extern __shared__ int dynamic[];
}
__device__ void fill(int *to, int thread) { to[thread] = 3 * thread; }
__global__ void dynamics(int *out) {
    const int thread = int(threadIdx.x), n = int(blockDim.x);
    fill(dynamic, thread);
    int *const second = (int *)dynamic + n;
    second[thread] = dynamic[thread] + 1;
    __syncthreads();
    out[thread] = dynamic[n - 1 - thread] + second[thread] + *(dynamic + n) + int(((char *)dynamic)[0]);
}

__global__ void groups(const int *in, int *out) {
    __shared__ int shared[THREADS], copied[THREADS];
    const cg::thread_block block = cg::this_thread_block();
    const cg::thread_block_tile<32> warp = cg::tiled_partition<32>(block);
    const auto eight = cg::tiled_partition<8>(warp);
    const int thread = int(block.thread_rank()), x = in[thread];
    int *const own = out + thread * RESULTS;
    own[0] = cg::reduce(eight, x, cg::plus<int>());
    own[1] = cg::reduce(warp, x, cg::greater<int>());
    own[2] = cg::inclusive_scan(warp, x);
    own[3] = cg::exclusive_scan(eight, x, cg::plus<int>());
    const auto labels = cg::labeled_partition(warp, x);
    own[4] = int(labels.size()), own[5] = int(labels.thread_rank()), own[6] = int(labels.meta_group_size());
    const auto halves = cg::binary_partition(warp, x > 2);
    own[7] = int(halves.size()), own[8] = cg::reduce(halves, x, cg::plus<int>());
    if (x % 2) {
        const auto odd = cg::coalesced_threads();
        const auto pairs = cg::tiled_partition<2>(odd);
        own[9] = int(odd.size()), own[10] = cg::reduce(pairs, x, cg::plus<int>());
    }
    const Wide wide = eight.shfl(Wide{double(x), 1, 2. * x}, 3);
    own[11] = int(wide.x + wide.z);
    own[12] = sum_of(block, shared, x);
    own[13] = sum_of(cg::tiled_partition(block, 16), shared + thread / 16 * 16, x);
    cg::memcpy_async(block, copied, in, sizeof(int) * THREADS);
    cg::wait(block);
    own[14] = copied[THREADS - 1 - thread];
    own[15] = int(cg::this_cluster().num_blocks() + cg::this_grid().block_rank() + cg::this_grid().num_blocks());
}

int main() {
    std::vector<int> x(THREADS), found(2 * THREADS * RESULTS);
    for (int i = 0; i < THREADS; i++) x[i] = 7 * i * i % 5;
    int *in, *out;
    cudaMalloc(&in, sizeof(int) * x.size());
    cudaMalloc(&out, sizeof(int) * found.size());
    cudaMemcpy(in, x.data(), sizeof(int) * x.size(), cudaMemcpyHostToDevice);
    groups<<<1, dim3(16, 4)>>>(in, out);
    REQUIRE(cudaDeviceSynchronize() == cudaSuccess);
    cudaMemcpy(found.data(), out, sizeof(int) * found.size(), cudaMemcpyDeviceToHost);
    const auto sum = [&](int begin, int end) {
        int total = 0;
        for (int i = begin; i < end; i++) total += x[i];
        return total;
    };
    for (int t = 0; t < THREADS; t++) {
        const int *const own = &found[t * RESULTS], warp = t / 32 * 32, eight = t / 8 * 8;
        REQUIRE(own[0] == sum(eight, eight + 8) && own[2] == sum(warp, t + 1) && own[3] == sum(eight, t));
        int most = 0, same = 0, before = 0, seen = 0, half = 0, halves = 0, odd = 0, odd_before = 0, first = 0, second = 0;
        bool labels[5] = {};
        for (int i = warp; i < warp + 32; i++) {
            most = x[i] > most ? x[i] : most;
            same += x[i] == x[t], before += i < t && x[i] == x[t];
            seen += !labels[x[i]], labels[x[i]] = true;
            if ((x[i] > 2) == (x[t] > 2)) half++, halves += x[i];
            odd += x[i] % 2, odd_before += i < t && x[i] % 2;
        }
        REQUIRE(own[1] == most && own[4] == same && own[5] == before && own[6] == seen);
        REQUIRE(own[7] == half && own[8] == halves);
        if (x[t] % 2) {
            for (int i = warp, rank = 0; i < warp + 32; i++)
                if (x[i] % 2) (rank == odd_before / 2 * 2 ? first : rank == odd_before / 2 * 2 + 1 ? second : most) = x[i], rank++;
            REQUIRE(own[9] == odd && own[10] == first + second);
        }
        REQUIRE(own[11] == 3 * x[eight + 3] && own[14] == x[THREADS - 1 - t] && own[15] == 2);
        if (t == 0) REQUIRE(own[12] == sum(0, THREADS));
        if (t % 16 == 0) REQUIRE(own[13] == sum(t, t + 16));
    }
    dynamics<<<1, 16, 2 * 16 * sizeof(int)>>>(out);
    cudaMemcpy(found.data(), out, sizeof(int) * 16, cudaMemcpyDeviceToHost);
    for (int t = 0; t < 16; t++) REQUIRE(found[t] == 3 * (15 - t) + 3 * t + 1 + 1);
    std::puts("right");
}
