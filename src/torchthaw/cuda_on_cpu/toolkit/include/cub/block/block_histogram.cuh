// cub/block/block_histogram.cuh: counts the samples of a block in bins.
#pragma once

#include <cub/util_type.cuh>

namespace cub {

enum BlockHistogramAlgorithm { BLOCK_HISTO_SORT, BLOCK_HISTO_ATOMIC };

/* Samples are numbers from 0 to BINS - 1; the bins are in shared or in global memory. */
template <typename T, int BLOCK_DIM_X, int ITEMS_PER_THREAD, int BINS, BlockHistogramAlgorithm ALGORITHM = BLOCK_HISTO_SORT,
          int BLOCK_DIM_Y = 1, int BLOCK_DIM_Z = 1, int LEGACY_PTX_ARCH = 0>
class BlockHistogram : public cuda_on_cpu::OfBlock<NullType> {
    static constexpr int threads = BLOCK_DIM_X * BLOCK_DIM_Y * BLOCK_DIM_Z;

public:
    using OfBlock::OfBlock;

    template <typename Counter> void InitHistogram(Counter (&histogram)[BINS]) {
        for (int bin = int(thread_); bin < BINS; bin += threads) histogram[bin] = 0;
    }
    /* Adds to the bins as they are. */
    template <typename Counter> void Composite(T (&items)[ITEMS_PER_THREAD], Counter (&histogram)[BINS]) {
        for (const T &item : items) atomicAdd(&histogram[item], Counter(1));
    }
    template <typename Counter> void Histogram(T (&items)[ITEMS_PER_THREAD], Counter (&histogram)[BINS]) {
        InitHistogram(histogram);
        __syncthreads();
        Composite(items, histogram);
    }
};

}  // namespace cub
