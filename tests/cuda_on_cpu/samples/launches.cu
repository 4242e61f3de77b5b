// tests/cuda_on_cpu/samples/launches.cu: which shapes a launch may have, which threads of the host run it, and which pointers
// it takes.
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <mutex>
#include <set>

#define REQUIRE(condition)                                                                                             \
    do                                                                                                                 \
        if (!(condition)) std::printf("%s:%d: %s\n", __FILE__, __LINE__, #condition), std::exit(1);                    \
    while (0)

__device__ unsigned long long count;
__global__ void counts() {
    if (!(threadIdx.x | threadIdx.y | threadIdx.z)) atomicAdd(&count, 1ull);
}
__global__ void takes(const void *) {}

struct Pair {
    int first;
    float second;
};
template <typename T> struct Point {
    T x = 1, y = 1;
    Point() = default;
    Point(T x, T y) : x(x), y(y) {}
};
__global__ void sums(Pair pair, float2 numbers, Point<double> point, const Pair pairs, int one, double *sum) {
    *sum = pair.first + pair.second + numbers.x + numbers.y + point.x + point.y + pairs.first + one;
}
__global__ void of_pairs(Point<Pair> pairs, Point<int> none, double *sum) {
    *sum = pairs.x.first + pairs.y.second + none.x + none.y;
}

std::mutex mutex;
std::set<long> threads;
__global__ void notes_thread() {
    {
        const std::lock_guard<std::mutex> lock(mutex);
        threads.insert(syscall(SYS_gettid));
    }
    usleep(1000);
}

static cudaError_t launch(dim3 grid, dim3 block) {
    counts<<<grid, block>>>();
    return cudaGetLastError();
}

static void shapes() {
    const cudaError_t invalid = cudaErrorInvalidConfiguration;
    REQUIRE(launch({1, 65535, 1}, 1) == cudaSuccess && launch({1, 65536, 1}, 1) == invalid);
    REQUIRE(launch({1, 1, 65535}, 1) == cudaSuccess && launch({1, 1, 65536}, 1) == invalid);
    REQUIRE(launch({65536, 1, 1}, 1) == cudaSuccess && launch({0x80000000u, 1, 1}, 1) == invalid);
    REQUIRE(launch(1, {1024, 1, 1}) == cudaSuccess && launch(1, {1025, 1, 1}) == invalid);
    REQUIRE(launch(1, {1, 1024, 1}) == cudaSuccess && launch(1, {1, 1025, 1}) == invalid);
    REQUIRE(launch(1, {1, 1, 64}) == cudaSuccess && launch(1, {1, 1, 65}) == invalid);
    REQUIRE(launch(1, {32, 32, 1}) == cudaSuccess && launch(1, {32, 33, 1}) == invalid && launch(1, {16, 8, 8}) == cudaSuccess);
    REQUIRE(launch(1, {16, 8, 9}) == invalid);
    for (int i = 0; i < 3; i++) {
        unsigned size[3] = {1, 1, 1};
        size[i] = 0;
        REQUIRE(launch({size[0], size[1], size[2]}, 1) == invalid && launch(1, {size[0], size[1], size[2]}) == invalid);
    }
    unsigned long long found;
    REQUIRE(cudaMemcpyFromSymbol(&found, count, sizeof found) == cudaSuccess && found == 2 * 65535 + 65536 + 5);
}

static void host_threads(size_t expected) {
    const time_t end = time(nullptr) + 60;
    do notes_thread<<<64, 1>>>();
    while (threads.size() < expected && time(nullptr) < end);
    for (int i = 0; i < 10; i++) notes_thread<<<64, 1>>>();
    REQUIRE(threads.size() == expected);
}

// A pointer to an array or to its end; another one of the host is refused.
static void pointers() {
    char *pinned, *alone, on_stack[2];
    REQUIRE(cudaMallocHost(&pinned, 100) == cudaSuccess && cudaMallocHost(&alone, 1) == cudaSuccess);
    for (char *given : {pinned, pinned + 99, pinned + 100, alone, alone + 1}) {
        takes<<<1, 1>>>(given);
        REQUIRE(cudaDeviceSynchronize() == cudaSuccess);
    }
    takes<<<1, 1>>>(nullptr);
    REQUIRE(cudaDeviceSynchronize() == cudaSuccess);
    takes<<<1, 1>>>(on_stack);
    REQUIRE(cudaDeviceSynchronize() == cudaErrorIllegalAddress);
}

// The braces have the type of the parameter, as in a call.
static void braces() {
    double *sum;
    REQUIRE(cudaMallocManaged(&sum, sizeof(double)) == cudaSuccess);
    const int one = 1;
    int two = 2;
    sums<<<1, 1>>>({one, 2.5f}, {3, 4}, {5.0, double(two)}, {two * 3}, {one}, sum);
    REQUIRE(cudaDeviceSynchronize() == cudaSuccess && *sum == 1 + 2.5 + 3 + 4 + 5 + 2 + 6 + 1);
    of_pairs<<<dim3{1}, {1, 1, 1}>>>({{1, 2}, Pair{3, 4}}, {}, sum);
    REQUIRE(cudaDeviceSynchronize() == cudaSuccess && *sum == 1 + 4 + 1 + 1);
    [&] { of_pairs<<<1, 1>>>({{two, 0}, {0, 1}}, {two, /* of two */ two}, sum); }();
    REQUIRE(cudaDeviceSynchronize() == cudaSuccess && *sum == 2 + 1 + 2 + 2);
}

int main(int, char **words) {
    braces();
    shapes();
    host_threads(size_t(atoi(words[1])));
    pointers();
    std::printf("right\n");
}
