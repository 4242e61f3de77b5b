// tests/cuda_on_cpu/samples/cub_block.cu: cub's algorithms of a block and of a warp, beside plain loops.
#include <cub/cub.cuh>

#include <cstdio>
#include <cstdlib>
#include <random>
#include <vector>

#define REQUIRE(condition)                                                                                             \
    do                                                                                                                 \
        if (!(condition)) std::printf("%s:%d: %s\n", __FILE__, __LINE__, #condition), std::exit(1);                    \
    while (0)

constexpr int X = 20, Y = 4, THREADS = X * Y, ITEMS = 3, ALL = THREADS * ITEMS;

template <typename Kernel, typename... More> std::vector<int> run(Kernel kernel, const std::vector<int> &x, More... more) {
    int *in, *out;
    std::vector<int> found(size_t(2 * ALL + 8));
    cudaMalloc(&in, x.size() * sizeof(int));
    cudaMalloc(&out, found.size() * sizeof(int));
    cudaMemcpy(in, x.data(), x.size() * sizeof(int), cudaMemcpyHostToDevice);
    cudaMemset(out, 0, found.size() * sizeof(int));
    kernel<<<1, dim3(X, Y)>>>(in, out, more...);
    REQUIRE(cudaDeviceSynchronize() == cudaSuccess);
    cudaMemcpy(found.data(), out, found.size() * sizeof(int), cudaMemcpyDeviceToHost);
    cudaFree(in), cudaFree(out);
    return found;
}

__device__ int rank() { return threadIdx.y * X + threadIdx.x; }

__global__ void reduces(const int *in, int *out) {
    using Reduce = cub::BlockReduce<int, X, cub::BLOCK_REDUCE_RAKING, Y>;
    __shared__ typename Reduce::TempStorage storage;
    int items[ITEMS];
    cub::LoadDirectBlocked(rank(), in, items);
    const int sum = Reduce(storage).Sum(items);
    __syncthreads();
    const int most = Reduce(storage).Reduce(in[rank()], cub::Max());
    __syncthreads();
    const int few = Reduce(storage).Sum(in[rank()], 7);
    const int own = Reduce().Sum(1);
    if (rank() == 0) out[0] = sum, out[1] = most, out[2] = few, out[3] = own;
}

struct Running {
    int total;
    __device__ int operator()(int block) {
        const int before = total;
        total += block;
        return before;
    }
};
__global__ void scans(const int *in, int *out) {
    using Scan = cub::BlockScan<int, X, cub::BLOCK_SCAN_WARP_SCANS, Y>;
    __shared__ union {
        typename Scan::TempStorage scan;
        int other;
    } storage;
    int items[ITEMS], sums[ITEMS], total, one;
    cub::LoadDirectBlocked(rank(), in, items);
    Scan(storage.scan).ExclusiveSum(items, sums, total);
    cub::StoreDirectBlocked(rank(), out, sums);
    __syncthreads();
    Running running{1000};
    Scan(storage.scan).InclusiveScan(items, sums, cub::Sum(), running);
    cub::StoreDirectBlocked(rank(), out + ALL, sums);
    __syncthreads();
    Scan(storage.scan).ExclusiveScan(in[rank()], one, -100, cub::Max());
    if (rank() == THREADS - 1) out[2 * ALL] = total, out[2 * ALL + 1] = one;
    if (rank() == 0) out[2 * ALL + 2] = running.total, out[2 * ALL + 3] = one;
}

__global__ void sorts(const int *in, int *out) {
    using Sort = cub::BlockRadixSort<int, X, ITEMS, int, 4, true, cub::BLOCK_SCAN_WARP_SCANS, cudaSharedMemBankSizeFourByte, Y>;
    __shared__ typename Sort::TempStorage storage;
    int keys[ITEMS], places[ITEMS];
    cub::LoadDirectBlocked(rank(), in, keys);
    for (int i = 0; i < ITEMS; i++) places[i] = rank() * ITEMS + i;
    Sort(storage).SortDescending(keys, places);
    cub::StoreDirectBlocked(rank(), out, places);
    __syncthreads();
    Sort(storage).SortBlockedToStriped(keys);
    cub::StoreDirectStriped<THREADS>(rank(), out + ALL, keys);
}

__global__ void moves(const int *in, int *out, int valid) {
    using Load = cub::BlockLoad<int, X, ITEMS, cub::BLOCK_LOAD_TRANSPOSE, Y>;
    using Store = cub::BlockStore<int, X, ITEMS, cub::BLOCK_STORE_STRIPED, Y>;
    using Exchange = cub::BlockExchange<int, X, ITEMS, false, Y>;
    static_assert(sizeof(typename Load::TempStorage) % 16 == 0 && alignof(typename Store::TempStorage) >= 16);
    __shared__ typename Load::TempStorage loads;
    __shared__ typename Store::TempStorage stores;
    __shared__ typename Exchange::TempStorage exchanges;
    int items[ITEMS], ranks[ITEMS];
    Load(loads).Load(in, items, valid, -1);
    Exchange(exchanges).BlockedToStriped(items);
    Store(stores).Store(out, items);
    __syncthreads();
    for (int i = 0; i < ITEMS; i++) ranks[i] = ALL - 1 - (i * THREADS + rank());
    Exchange(exchanges).ScatterToStriped(items, ranks);
    Store(stores).Store(out + ALL, items, valid);
}

__global__ void marks(const int *in, int *out) {
    using Marks = cub::BlockDiscontinuity<int, X, Y>;
    using Counts = cub::BlockHistogram<int, X, ITEMS, 8, cub::BLOCK_HISTO_ATOMIC, Y>;
    __shared__ typename Marks::TempStorage storage;
    __shared__ typename Counts::TempStorage counts;
    __shared__ int bins[8];
    int items[ITEMS], heads[ITEMS], tails[ITEMS];
    cub::LoadDirectBlocked(rank(), in, items);
    Marks(storage).FlagHeadsAndTails(heads, tails, items, cub::Inequality());
    cub::StoreDirectBlocked(rank(), out, heads);
    cub::StoreDirectBlocked(rank(), out + ALL, tails);
    Counts(counts).Histogram(items, bins);
    __syncthreads();
    if (rank() < 8) out[2 * ALL + rank()] = bins[rank()];
}

struct Wide {
    double a, b, c;
    __device__ Wide operator+(const Wide &other) const { return {a + other.a, b + other.b, c + other.c}; }
};
__global__ void warps(const int *in, int *out) {
    using Reduce = cub::WarpReduce<int, 8>;
    using Scan = cub::WarpScan<int, 16>;
    using WideReduce = cub::WarpReduce<Wide>;
    __shared__ typename Reduce::TempStorage reduces[THREADS / 8];
    __shared__ typename Scan::TempStorage scans[THREADS / 16];
    __shared__ typename WideReduce::TempStorage wides[2];
    const int x = in[rank()], eight = rank() / 8, sixteen = rank() / 16;
    const int sum = Reduce(reduces[eight]).Sum(x), most = Reduce(reduces[eight]).Reduce(x, cub::Max(), 5);
    const int part = Reduce(reduces[eight]).HeadSegmentedSum(x, x % 3 == 0);
    int before, total;
    Scan(scans[sixteen]).ExclusiveSum(x, before, total);
    out[rank()] = before;
    out[THREADS + rank()] = total;
    if (rank() % 8 == 0) out[2 * THREADS + eight] = sum, out[2 * THREADS + 16 + eight] = most;
    if (rank() % 8 == 0 || x % 3 == 0) out[3 * THREADS + rank()] = part;
    if (rank() < 64) {
        const Wide all = WideReduce(wides[rank() / 32]).Sum(Wide{double(x), 1, .5});
        if (rank() % 32 == 0) out[4 * THREADS + rank() / 32] = int(all.a), out[4 * THREADS + 2 + rank() / 32] = int(all.b + all.c);
    }
}

int main() {
    std::mt19937 words(3);
    std::vector<int> x(ALL);
    for (int &each : x) each = std::uniform_int_distribution<int>(0, 7)(words);
    const auto sum = [&](int begin, int end) {
        int found = 0;
        for (int i = begin; i < end; i++) found += x[i];
        return found;
    };
    const auto most = [&](int begin, int end) { return *std::max_element(&x[begin], &x[end]); };

    auto found = run(reduces, x);
    REQUIRE(found[0] == sum(0, ALL) && found[1] == most(0, THREADS) && found[2] == sum(0, 7) && found[3] == THREADS);

    found = run(scans, x);
    for (int i = 0; i < ALL; i++) REQUIRE(found[i] == sum(0, i) && found[ALL + i] == 1000 + sum(0, i + 1));
    REQUIRE(found[2 * ALL] == sum(0, ALL) && found[2 * ALL + 1] == most(0, THREADS - 1));
    REQUIRE(found[2 * ALL + 2] == 1000 + sum(0, ALL) && found[2 * ALL + 3] == -100);

    found = run(sorts, x);
    std::vector<int> order(ALL), sorted = x;
    for (int i = 0; i < ALL; i++) order[i] = i;
    std::stable_sort(order.begin(), order.end(), [&](int a, int b) { return x[b] < x[a]; });
    std::sort(sorted.begin(), sorted.end());
    for (int i = 0; i < ALL; i++) REQUIRE(found[i] == order[i] && found[ALL + i] == sorted[i]);

    found = run(moves, x, ALL - 10);
    for (int i = 0; i < ALL; i++) {
        REQUIRE(found[i] == (i < ALL - 10 ? x[i] : -1));
        REQUIRE(found[ALL + i] == (i >= ALL - 10 ? 0 : i >= 10 ? x[ALL - 1 - i] : -1));
    }

    found = run(marks, x);
    int bins[8] = {};
    for (int i = 0; i < ALL; i++) {
        REQUIRE(found[i] == (i == 0 || x[i] != x[i - 1]) && found[ALL + i] == (i == ALL - 1 || x[i] != x[i + 1]));
        bins[x[i]]++;
    }
    for (int i = 0; i < 8; i++) REQUIRE(found[2 * ALL + i] == bins[i]);

    found = run(warps, x);
    for (int i = 0; i < THREADS; i++) {
        const int first = i / 16 * 16, eight = i / 8, end = eight * 8 + 8;
        REQUIRE(found[i] == sum(first, i) && found[THREADS + i] == sum(first, first + 16));
        int part = x[i];
        for (int j = i + 1; j < end && x[j] % 3; j++) part += x[j];
        if (i % 8 == 0 || x[i] % 3 == 0) REQUIRE(found[3 * THREADS + i] == part);
        if (i % 8 == 0) REQUIRE(found[2 * THREADS + eight] == sum(i, i + 8) && found[2 * THREADS + 16 + eight] == most(i, i + 5));
    }
    REQUIRE(found[4 * THREADS] == sum(0, 32) && found[4 * THREADS + 1] == sum(32, 64) && found[4 * THREADS + 2] == 48);
    std::puts("right");
}
