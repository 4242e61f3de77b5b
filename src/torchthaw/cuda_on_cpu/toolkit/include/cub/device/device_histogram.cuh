// cub/device/device_histogram.cuh: counts the samples of an array of a device in bins.
#pragma once

#include <cub/util_type.cuh>

namespace cub {

/* levels bounds make levels - 1 bins: a bin has its lower bound and not its upper one; what is outside of all is not counted.
   A pixel has CHANNELS samples, of which the first ACTIVE ones have a histogram. Rows are row_bytes apart. */
class DeviceHistogram {
    template <int CHANNELS, int ACTIVE, typename Samples, typename Counters, typename Levels, typename Bin>
    static cudaError_t count(void *storage, size_t &bytes, Samples samples, const Counters &histograms, const Levels &levels,
                             size_t columns, size_t rows, size_t row_bytes, cudaStream_t stream, Bin bin) {
        std::vector<std::decay_t<decltype(histograms[0])>> to;
        std::vector<int> bins;
        for (int c = 0; c < ACTIVE; c++) to.push_back(histograms[c]), bins.push_back(levels[c] - 1);
        const size_t row_samples = row_bytes / sizeof(cuda_on_cpu::ValueOf<Samples>);
        return cuda_on_cpu::on_device("cub::DeviceHistogram", storage, bytes, stream, [=]() mutable {
            for (size_t c = 0; c < ACTIVE; c++)
                for (int b = 0; b < bins[c]; b++) to[c][b] = 0;
            for (size_t row = 0; row < rows; row++)
                for (size_t column = 0; column < columns; column++)
                    for (size_t c = 0; c < ACTIVE; c++) {
                        const int found = bin(c, bins[c], samples[row * row_samples + column * CHANNELS + c]);
                        if (found >= 0 && found < bins[c]) ++to[c][found];
                    }
        });
    }
    template <int ACTIVE, typename Level> static auto even(const Level &lower, const Level &upper) {
        using L = std::decay_t<decltype(lower[0])>;
        std::vector<L> low, high;
        for (int c = 0; c < ACTIVE; c++) low.push_back(lower[c]), high.push_back(upper[c]);
        return [=](size_t c, int bins, auto sample) {
            using T = std::common_type_t<L, decltype(sample)>;
            const T x = T(sample), from = T(low[c]), to = T(high[c]);
            if (!(x >= from && x < to)) return -1;
            if constexpr (std::is_integral_v<T>) return int(uint64_t(x - from) * uint64_t(bins) / uint64_t(to - from));
            else return std::min(int((x - from) * (T(bins) / (to - from))), bins - 1);
        };
    }
    template <int ACTIVE, typename Levels> static auto range(const Levels &levels) {
        std::vector<std::decay_t<decltype(levels[0])>> bounds;
        for (int c = 0; c < ACTIVE; c++) bounds.push_back(levels[c]);
        return [=](size_t c, int bins, auto sample) {
            return int(std::upper_bound(bounds[c], bounds[c] + bins + 1, sample) - bounds[c]) - 1;
        };
    }

public:
    template <typename Samples, typename Counter, typename Level, typename N>
    static cudaError_t HistogramEven(void *storage, size_t &bytes, Samples samples, Counter *histogram, int levels, Level lower,
                                     Level upper, N n, cudaStream_t stream = nullptr, bool = false) {
        return count<1, 1>(storage, bytes, samples, &histogram, &levels, size_t(n), 1, 0, stream, even<1>(&lower, &upper));
    }
    template <typename Samples, typename Counter, typename Level, typename N>
    static cudaError_t HistogramEven(void *storage, size_t &bytes, Samples samples, Counter *histogram, int levels, Level lower,
                                     Level upper, N columns, N rows, size_t row_bytes, cudaStream_t stream = nullptr,
                                     bool = false) {
        return count<1, 1>(storage, bytes, samples, &histogram, &levels, size_t(columns), size_t(rows), row_bytes, stream,
                           even<1>(&lower, &upper));
    }
    template <int CHANNELS, int ACTIVE, typename Samples, typename Counters, typename Counts, typename Levels, typename N>
    static cudaError_t MultiHistogramEven(void *storage, size_t &bytes, Samples samples, Counters histograms, Counts levels,
                                          Levels lower, Levels upper, N pixels, cudaStream_t stream = nullptr, bool = false) {
        return count<CHANNELS, ACTIVE>(storage, bytes, samples, histograms, levels, size_t(pixels), 1, 0, stream,
                                       even<ACTIVE>(lower, upper));
    }
    template <int CHANNELS, int ACTIVE, typename Samples, typename Counters, typename Counts, typename Levels, typename N>
    static cudaError_t MultiHistogramEven(void *storage, size_t &bytes, Samples samples, Counters histograms, Counts levels,
                                          Levels lower, Levels upper, N columns, N rows, size_t row_bytes,
                                          cudaStream_t stream = nullptr, bool = false) {
        return count<CHANNELS, ACTIVE>(storage, bytes, samples, histograms, levels, size_t(columns), size_t(rows), row_bytes,
                                       stream, even<ACTIVE>(lower, upper));
    }
    /* bounds: levels numbers of the device, in increasing order. */
    template <typename Samples, typename Counter, typename Level, typename N>
    static cudaError_t HistogramRange(void *storage, size_t &bytes, Samples samples, Counter *histogram, int levels, Level *bounds,
                                      N n, cudaStream_t stream = nullptr, bool = false) {
        return count<1, 1>(storage, bytes, samples, &histogram, &levels, size_t(n), 1, 0, stream, range<1>(&bounds));
    }
    template <typename Samples, typename Counter, typename Level, typename N>
    static cudaError_t HistogramRange(void *storage, size_t &bytes, Samples samples, Counter *histogram, int levels, Level *bounds,
                                      N columns, N rows, size_t row_bytes, cudaStream_t stream = nullptr, bool = false) {
        return count<1, 1>(storage, bytes, samples, &histogram, &levels, size_t(columns), size_t(rows), row_bytes, stream,
                           range<1>(&bounds));
    }
    template <int CHANNELS, int ACTIVE, typename Samples, typename Counters, typename Counts, typename Bounds, typename N>
    static cudaError_t MultiHistogramRange(void *storage, size_t &bytes, Samples samples, Counters histograms, Counts levels,
                                           Bounds bounds, N pixels, cudaStream_t stream = nullptr, bool = false) {
        return count<CHANNELS, ACTIVE>(storage, bytes, samples, histograms, levels, size_t(pixels), 1, 0, stream,
                                       range<ACTIVE>(bounds));
    }
};

}  // namespace cub
