// cub/block/block_radix_sort.cuh: sorts the keys of a block, and values with them, by their bits.
#pragma once

#include <cub/block/block_scan.cuh>
#include <cub/util_type.cuh>

namespace cub {

template <typename KeyT, typename ValueT, int ALL> struct BlockRadixSortStorage {
    cuda_on_cpu::Slots<KeyT, ALL> keys;
    cuda_on_cpu::Slots<ValueT, std::is_same_v<ValueT, NullType> ? 1 : ALL> values;
};
/* Keys are numbers; equal ones keep their order. Items come blocked: a thread has neighbours; they go blocked or striped. */
template <typename KeyT, int BLOCK_DIM_X, int ITEMS_PER_THREAD, typename ValueT = NullType, int RADIX_BITS = 4,
          bool MEMOIZE_OUTER_SCAN = true, BlockScanAlgorithm INNER_SCAN_ALGORITHM = BLOCK_SCAN_WARP_SCANS,
          cudaSharedMemConfig SMEM_CONFIG = cudaSharedMemBankSizeFourByte, int BLOCK_DIM_Y = 1, int BLOCK_DIM_Z = 1,
          int LEGACY_PTX_ARCH = 0>
class BlockRadixSort
    : public cuda_on_cpu::OfBlock<
          BlockRadixSortStorage<KeyT, ValueT, BLOCK_DIM_X * BLOCK_DIM_Y * BLOCK_DIM_Z * ITEMS_PER_THREAD>> {
    static constexpr int items = ITEMS_PER_THREAD, threads = BLOCK_DIM_X * BLOCK_DIM_Y * BLOCK_DIM_Z, bits = 8 * sizeof(KeyT);
    using Keys = KeyT (&)[items];
    using Values = ValueT (&)[items];

public:
    using BlockRadixSort::OfBlock::OfBlock;

    void Sort(Keys keys, int begin = 0, int end = bits) { sort<false>(keys, begin, end, false); }
    void Sort(Keys keys, Values values, int begin = 0, int end = bits) { sort<false>(keys, values, begin, end, false); }
    void SortDescending(Keys keys, int begin = 0, int end = bits) { sort<false>(keys, begin, end, true); }
    void SortDescending(Keys keys, Values values, int begin = 0, int end = bits) {
        sort<false>(keys, values, begin, end, true);
    }
    void SortBlockedToStriped(Keys keys, int begin = 0, int end = bits) { sort<true>(keys, begin, end, false); }
    void SortBlockedToStriped(Keys keys, Values values, int begin = 0, int end = bits) {
        sort<true>(keys, values, begin, end, false);
    }
    void SortDescendingBlockedToStriped(Keys keys, int begin = 0, int end = bits) { sort<true>(keys, begin, end, true); }
    void SortDescendingBlockedToStriped(Keys keys, Values values, int begin = 0, int end = bits) {
        sort<true>(keys, values, begin, end, true);
    }

private:
    template <bool striped> void sort(Keys keys, int begin, int end, bool descending) {
        NullType none[items];
        sort<striped>(keys, none, begin, end, descending);
    }
    template <bool striped, typename V> void sort(Keys keys, V (&values)[items], int begin, int end, bool descending) {
        constexpr bool has_values = !std::is_same_v<V, NullType>;
        auto &all = this->storage_;
        const size_t thread = this->thread_;
        for (size_t i = 0; i < items; i++) {
            all.keys.set(thread * items + i, keys[i]);
            if constexpr (has_values) all.values.set(thread * items + i, values[i]);
        }
        __syncthreads();
        if (thread == 0) {
            const auto order = cuda_on_cpu::radix_order(&all.keys[0], size_t(threads) * items, begin, end, descending);
            cuda_on_cpu::permute(&all.keys[0], &all.keys[0], order);
            if constexpr (has_values) cuda_on_cpu::permute(&all.values[0], &all.values[0], order);
        }
        __syncthreads();
        for (size_t i = 0; i < items; i++) {
            const size_t from = striped ? i * threads + thread : thread * items + i;
            keys[i] = all.keys[from];
            if constexpr (has_values) values[i] = all.values[from];
        }
    }
};

}  // namespace cub
