// tests/cuda_on_cpu/samples/cub_device.cu: cub's algorithms of a device, on arrays of several sizes, beside plain loops.
#include <cub/cub.cuh>

#include <cstdio>
#include <cstdlib>
#include <map>
#include <random>
#include <vector>

#define REQUIRE(condition)                                                                                             \
    do                                                                                                                 \
        if (!(condition)) std::printf("%s:%d: %s\n", __FILE__, __LINE__, #condition), std::exit(1);                    \
    while (0)

template <typename T> struct Array {
    T *data = nullptr;
    size_t n;
    explicit Array(size_t n) : n(n) { REQUIRE(cudaMalloc(&data, (n ? n : 1) * sizeof(T)) == cudaSuccess); }
    explicit Array(const std::vector<T> &from) : Array(from.size()) {
        cudaMemcpy(data, from.data(), n * sizeof(T), cudaMemcpyHostToDevice);
    }
    Array(const Array &) = delete;
    ~Array() { cudaFree(data); }
    std::vector<T> get(size_t count) const {
        std::vector<T> to(count);
        cudaMemcpy(to.data(), data, count * sizeof(T), cudaMemcpyDeviceToHost);
        return to;
    }
    std::vector<T> get() const { return get(n); }
    operator T *() const { return data; }
};

// Asks for the size, takes the memory, and calls again.
template <typename Call> void twice(Call call) {
    size_t bytes = 0;
    REQUIRE(call(nullptr, bytes) == cudaSuccess && bytes > 0);
    Array<char> storage(bytes);
    REQUIRE(call(static_cast<void *>(storage.data), bytes) == cudaSuccess);
    REQUIRE(cudaDeviceSynchronize() == cudaSuccess);
}
#define TWICE(function, ...) twice([&](void *storage, size_t &bytes) { return function(storage, bytes, __VA_ARGS__); })

std::mt19937 words(7);
template <typename T> std::vector<T> random(size_t n, int low, int high) {
    std::vector<T> x(n);
    for (T &each : x) each = T(std::uniform_int_distribution<int>(low, high)(words));
    return x;
}

struct Odd {
    __host__ __device__ bool operator()(int x) const { return x % 2 != 0; }
};
struct Twice {
    __host__ __device__ int operator()(int x) const { return 2 * x; }
};

void reductions(int n) {
    const auto x = random<int>(size_t(n), -50, 50);
    Array<int> in(x), out(1);
    Array<cub::KeyValuePair<int, int>> pair(1);
    int sum = 0, least = 2147483647, at = 1, evens = 5;
    for (int i = 0; i < n; i++) {
        sum += x[i], evens += 2 * x[i];
        if (x[i] < least) least = x[i], at = i;
    }
    TWICE(cub::DeviceReduce::Sum, in.data, out.data, n);
    REQUIRE(out.get()[0] == sum);
    TWICE(cub::DeviceReduce::Min, in.data, out.data, n);
    REQUIRE(out.get()[0] == least);
    TWICE(cub::DeviceReduce::ArgMin, in.data, pair.data, n);
    REQUIRE(pair.get()[0].key == at && pair.get()[0].value == least);
    TWICE(cub::DeviceReduce::Reduce, in.data, out.data, n, cub::Max(), -7, cudaStream_t(nullptr));
    REQUIRE(out.get()[0] == std::max(-7, n ? *std::max_element(x.begin(), x.end()) : -7));
    TWICE(cub::DeviceReduce::TransformReduce, in.data, out.data, n, cub::Sum(), Twice(), 5);
    REQUIRE(out.get()[0] == evens);
    cub::TransformInputIterator<int, Twice, int *> doubled(in.data, Twice());
    TWICE(cub::DeviceReduce::Sum, doubled, out.data, n);
    REQUIRE(out.get()[0] == 2 * sum);
    cub::CountingInputIterator<int> numbers(1);
    TWICE(cub::DeviceReduce::Sum, numbers, out.data, n);
    REQUIRE(out.get()[0] == n * (n + 1) / 2);
}

void scans(int n) {
    const auto x = random<int>(size_t(n), -50, 50), keys = random<int>(size_t(n), 0, 1);
    Array<int> in(x), out(x), key(keys);
    std::vector<int> inclusive, exclusive, by_key;
    for (int i = 0, sum = 0; i < n; i++) {
        exclusive.push_back(sum);
        inclusive.push_back(sum += x[i]);
        by_key.push_back(x[i] + (i && keys[i] == keys[i - 1] ? by_key[i - 1] : 0));
    }
    TWICE(cub::DeviceScan::InclusiveSum, in.data, out.data, n);
    REQUIRE(out.get() == inclusive);
    TWICE(cub::DeviceScan::ExclusiveSum, in.data, out.data, n, cudaStream_t(nullptr));
    REQUIRE(out.get() == exclusive);
    TWICE(cub::DeviceScan::InclusiveSumByKey, key.data, in.data, out.data, n);
    REQUIRE(out.get() == by_key);
    TWICE(cub::DeviceScan::ExclusiveScan, in.data, out.data, cub::Max(), -3, n);
    int most = -3;
    for (int i = 0; i < n; most = std::max(most, x[i++])) REQUIRE(out.get()[i] == most);
    Array<int> first(std::vector<int>{11});
    TWICE(cub::DeviceScan::ExclusiveScan, in.data, out.data, cub::Sum(), cub::FutureValue<int>(first.data), n);
    for (int i = 0; i < n; i++) REQUIRE(out.get()[i] == exclusive[i] + 11);
    TWICE(cub::DeviceScan::InclusiveScanInit, in.data, out.data, cub::Sum(), 3, n);
    for (int i = 0; i < n; i++) REQUIRE(out.get()[i] == inclusive[i] + 3);
    TWICE(cub::DeviceScan::InclusiveSum, in.data, n, cudaStream_t(nullptr));  // in place
    REQUIRE(in.get() == inclusive);
}

template <typename Key> void sorts(int n, int low, int high) {
    auto keys = random<Key>(size_t(n), low, high);
    if constexpr (std::is_floating_point_v<Key>)
        if (n > 3) keys[0] = Key(-0.), keys[1] = Key(0), keys[2] = -Key(INFINITY), keys[3] = Key(.5);
    std::vector<int> places(keys.size());
    for (int i = 0; i < n; i++) places[i] = i;
    Array<Key> in(keys), out{size_t(n)};
    Array<int> values(places), moved{size_t(n)};
    const auto order = [&](bool descending) {
        std::vector<int> found = places;
        std::stable_sort(found.begin(), found.end(), [&](int a, int b) {
            return descending ? keys[b] < keys[a] : keys[a] < keys[b];
        });
        return found;
    };
    TWICE(cub::DeviceRadixSort::SortPairs, in.data, out.data, values.data, moved.data, n);
    REQUIRE(moved.get() == order(false));
    TWICE(cub::DeviceRadixSort::SortPairsDescending, in.data, out.data, values.data, moved.data, n, 0, int(8 * sizeof(Key)));
    REQUIRE(moved.get() == order(true));
    for (int i = 0; i < n; i++) REQUIRE(out.get()[i] == keys[order(true)[i]]);
    TWICE(cub::DeviceMergeSort::StableSortPairs, out.data, moved.data, n, [](Key a, Key b) { return a < b; });
    for (int i = 0; i < n; i++) REQUIRE(out.get()[i] == keys[order(false)[i]]);

    // Two segments and a rest that no segment has.
    const std::vector<int> begins{0, n / 3}, ends{n / 3, n / 2};
    Array<int> from(begins), to(ends);
    cudaMemcpy(out.data, in.data, size_t(n) * sizeof(Key), cudaMemcpyDeviceToDevice);
    TWICE(cub::DeviceSegmentedRadixSort::SortKeys, in.data, out.data, n, 2, from.data, to.data);
    auto expected = keys;
    for (int s = 0; s < 2; s++) std::stable_sort(expected.begin() + begins[s], expected.begin() + ends[s]);
    REQUIRE(out.get() == expected);
    TWICE(cub::DeviceSegmentedSort::SortPairsDescending, in.data, out.data, values.data, moved.data, n, 2, from.data, to.data);
    for (int s = 0; s < 2; s++) std::stable_sort(expected.begin() + begins[s], expected.begin() + ends[s], std::greater<Key>());
    REQUIRE(out.get() == expected);

    cub::DoubleBuffer<Key> buffer(in.data, out.data);
    TWICE(cub::DeviceRadixSort::SortKeys, buffer, n);
    REQUIRE(buffer.Current() == out.data && buffer.Alternate() == in.data);
    for (int i = 0; i < n; i++) REQUIRE(out.get()[i] == keys[order(false)[i]]);
}

void bits(int n) {
    const auto keys = random<unsigned>(size_t(n), 0, 1 << 20);
    Array<unsigned> in(keys), out{size_t(n)};
    TWICE(cub::DeviceRadixSort::SortKeys, in.data, out.data, n, 4, 9);
    auto expected = keys;
    std::stable_sort(expected.begin(), expected.end(), [](unsigned a, unsigned b) { return (a >> 4 & 31) < (b >> 4 & 31); });
    REQUIRE(out.get() == expected);
}

void choices(int n) {
    const auto x = random<int>(size_t(n), 0, 3), flags = random<int>(size_t(n), 0, 1);
    Array<int> in(x), out{size_t(n)}, more{size_t(n)}, rest{size_t(n)}, flag(flags), counts(2), lengths{size_t(n)};
    std::vector<int> flagged, odd, unique, length, others;
    for (int i = 0; i < n; i++) {
        if (flags[i]) flagged.push_back(x[i]);
        if (x[i] % 2) odd.push_back(x[i]);
        else others.push_back(x[i]);
        if (!i || x[i] != x[i - 1]) unique.push_back(x[i]), length.push_back(0);
        length.back()++;
    }
    const auto taken = [&](const Array<int> &from) { return from.get(size_t(counts.get()[0])); };
    TWICE(cub::DeviceSelect::Flagged, in.data, flag.data, out.data, counts.data, n);
    REQUIRE(taken(out) == flagged);
    TWICE(cub::DeviceSelect::If, in.data, out.data, counts.data, n, Odd());
    REQUIRE(taken(out) == odd);
    TWICE(cub::DeviceSelect::Unique, in.data, out.data, counts.data, n);
    REQUIRE(taken(out) == unique);
    TWICE(cub::DeviceRunLengthEncode::Encode, in.data, out.data, lengths.data, counts.data, n);
    REQUIRE(taken(out) == unique && taken(lengths) == length);
    TWICE(cub::DeviceReduce::ReduceByKey, in.data, out.data, cub::ConstantInputIterator<int>(1), lengths.data, counts.data,
          cub::Sum(), n);
    REQUIRE(taken(out) == unique && taken(lengths) == length);
    TWICE(cub::DeviceRunLengthEncode::NonTrivialRuns, in.data, out.data, lengths.data, counts.data, n);
    std::vector<int> offsets, longer;
    for (int i = 0, at = 0; i < int(length.size()); at += length[i++])
        if (length[i] > 1) offsets.push_back(at), longer.push_back(length[i]);
    REQUIRE(taken(out) == offsets && taken(lengths) == longer);
    TWICE(cub::DevicePartition::If, in.data, out.data, counts.data, n, Odd());
    auto divided = odd;
    divided.insert(divided.end(), others.rbegin(), others.rend());
    REQUIRE(out.get() == divided && counts.get()[0] == int(odd.size()));
    TWICE(cub::DeviceSelect::If, in.data, counts.data, n, Odd());  // in place
    REQUIRE(taken(in) == odd);
}

void histograms(int n) {
    const auto x = random<float>(size_t(n), -3, 12);
    Array<float> in(x), bounds(std::vector<float>{-2, 0, 1, 9});
    Array<int> bins(5), others(3);
    TWICE(cub::DeviceHistogram::HistogramEven, in.data, bins.data, 6, 0.f, 10.f, n);
    TWICE(cub::DeviceHistogram::HistogramRange, in.data, others.data, 4, bounds.data, n);
    std::vector<int> even(5), range(3);
    for (float each : x) {
        if (each >= 0 && each < 10) even[int(each / 2)]++;
        if (each >= -2 && each < 9) range[each < 0 ? 0 : each < 1 ? 1 : 2]++;
    }
    REQUIRE(bins.get() == even && others.get() == range);

    // Pixels of three samples, of which two are counted, in rows that are longer than what is counted.
    const auto image = random<unsigned char>(size_t(4 * 3 * n), 0, 255);
    Array<unsigned char> pixels(image);
    Array<int> red(4), green(2);
    int *both[] = {red.data, green.data}, levels[] = {5, 3}, lower[] = {0, 100}, upper[] = {256, 200};
    twice([&](void *storage, size_t &bytes) {
        return cub::DeviceHistogram::MultiHistogramEven<3, 2>(storage, bytes, pixels.data, both, levels, lower, upper, n, 2,
                                                              size_t(6 * n));
    });
    std::vector<int> reds(4), greens(2);
    for (int row = 0; row < 2; row++)
        for (int i = 0; i < n; i++) {
            const unsigned char *pixel = &image[size_t(row * 6 * n + 3 * i)];
            reds[pixel[0] / 64]++;
            if (pixel[1] >= 100 && pixel[1] < 200) greens[(pixel[1] - 100) / 50]++;
        }
    REQUIRE(red.get() == reds && green.get() == greens);
}

void segments(int n) {
    const auto x = random<double>(size_t(n), -9, 9);
    const std::vector<int> begins{0, n / 4, n / 4}, ends{n / 4, n / 4, n};
    Array<double> in(x), out(3);
    Array<int> from(begins), to(ends);
    Array<cub::KeyValuePair<int, double>> pairs(3);
    TWICE(cub::DeviceSegmentedReduce::Sum, in.data, out.data, 3, from.data, to.data);
    for (int s = 0; s < 3; s++) {
        double sum = 0;
        for (int i = begins[s]; i < ends[s]; i++) sum += x[i];
        REQUIRE(out.get()[s] == sum);
    }
    TWICE(cub::DeviceSegmentedReduce::ArgMax, in.data, pairs.data, 3, from.data, to.data);
    REQUIRE(pairs.get()[1].key == 1 && pairs.get()[1].value == std::numeric_limits<double>::lowest());
    if (n) REQUIRE(pairs.get()[2].value == *std::max_element(x.begin() + n / 4, x.end()));
    TWICE(cub::DeviceAdjacentDifference::SubtractLeft, in.data, n);
    for (int i = 0; i < n; i++) REQUIRE(in.get()[i] == x[i] - (i ? x[i - 1] : 0));
}

__global__ void set(int *x, int n) {
    for (int i = int(threadIdx.x); i < n; i += int(blockDim.x)) x[i] = 1;
}
void in_order_of_the_stream() {
    cudaStream_t stream;
    cudaStreamCreate(&stream);
    Array<int> x(1000), sum(1);
    cudaMemsetAsync(x.data, 0, 1000 * sizeof(int), stream);
    set<<<1, 64, 0, stream>>>(x.data, 1000);
    TWICE(cub::DeviceReduce::Sum, x.data, sum.data, 1000, stream);
    REQUIRE(sum.get()[0] == 1000);
    TWICE(cub::DeviceFor::Bulk, 1000, [y = x.data](int i) { y[i] = i; });
    REQUIRE(x.get()[999] == 999);
    cudaStreamDestroy(stream);
}

int main() {
    for (int n : {0, 1, 2, 33, 257, 1000}) {
        reductions(n), scans(n), choices(n), histograms(n), segments(n), bits(n);
        sorts<int>(n, -20, 20);
        sorts<unsigned char>(n, 0, 255);
        sorts<long long>(n, -5, 5);
        sorts<float>(n, -20, 20);
        sorts<double>(n, -3, 3);
    }
    in_order_of_the_stream();
    std::puts("right");
}
