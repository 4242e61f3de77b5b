// cub/block/block_store.cuh: stores a block's items in memory.
#pragma once

#include <cub/util_type.cuh>
#include <cuda_on_cpu/cub/arrangement.h>

namespace cub {

enum BlockStoreAlgorithm {
    BLOCK_STORE_DIRECT,
    BLOCK_STORE_STRIPED,
    BLOCK_STORE_VECTORIZE,
    BLOCK_STORE_TRANSPOSE,
    BLOCK_STORE_WARP_TRANSPOSE,
    BLOCK_STORE_WARP_TRANSPOSE_TIMESLICED,
};

/* Blocked: a thread has neighbours. Striped: thread t has number t of each BLOCK_THREADS items; warp striped: of each 32 of
   its warp. Items from number valid on are not written. */
template <typename T, int ITEMS, typename OutputIteratorT>
void StoreDirectBlocked(int thread, OutputIteratorT block, T (&items)[ITEMS]) {
    cuda_on_cpu::store(cuda_on_cpu::blocked<ITEMS>(thread), block, items);
}
template <typename T, int ITEMS, typename OutputIteratorT>
void StoreDirectBlocked(int thread, OutputIteratorT block, T (&items)[ITEMS], int valid) {
    cuda_on_cpu::store(cuda_on_cpu::blocked<ITEMS>(thread), block, items, valid);
}
template <typename T, int ITEMS> void StoreDirectBlockedVectorized(int thread, T *block, T (&items)[ITEMS]) {
    StoreDirectBlocked(thread, block, items);
}
template <int BLOCK_THREADS, typename T, int ITEMS, typename OutputIteratorT>
void StoreDirectStriped(int thread, OutputIteratorT block, T (&items)[ITEMS]) {
    cuda_on_cpu::store(cuda_on_cpu::striped<BLOCK_THREADS>(thread), block, items);
}
template <int BLOCK_THREADS, typename T, int ITEMS, typename OutputIteratorT>
void StoreDirectStriped(int thread, OutputIteratorT block, T (&items)[ITEMS], int valid) {
    cuda_on_cpu::store(cuda_on_cpu::striped<BLOCK_THREADS>(thread), block, items, valid);
}
template <typename T, int ITEMS, typename OutputIteratorT>
void StoreDirectWarpStriped(int thread, OutputIteratorT block, T (&items)[ITEMS]) {
    cuda_on_cpu::store(cuda_on_cpu::warp_striped<ITEMS>(thread), block, items);
}
template <typename T, int ITEMS, typename OutputIteratorT>
void StoreDirectWarpStriped(int thread, OutputIteratorT block, T (&items)[ITEMS], int valid) {
    cuda_on_cpu::store(cuda_on_cpu::warp_striped<ITEMS>(thread), block, items, valid);
}

template <typename T, int BLOCK_DIM_X, int ITEMS_PER_THREAD, BlockStoreAlgorithm ALGORITHM = BLOCK_STORE_DIRECT,
          int BLOCK_DIM_Y = 1, int BLOCK_DIM_Z = 1, int LEGACY_PTX_ARCH = 0>
class BlockStore : public cuda_on_cpu::OfBlock<NullType> {
public:
    using OfBlock::OfBlock;

    template <typename OutputIteratorT> void Store(OutputIteratorT block, T (&items)[ITEMS_PER_THREAD]) {
        cuda_on_cpu::store(arrangement(), block, items);
    }
    template <typename OutputIteratorT> void Store(OutputIteratorT block, T (&items)[ITEMS_PER_THREAD], int valid) {
        cuda_on_cpu::store(arrangement(), block, items, valid);
    }

private:
    cuda_on_cpu::Arrangement arrangement() const {
        if constexpr (ALGORITHM == BLOCK_STORE_STRIPED)
            return cuda_on_cpu::striped<BLOCK_DIM_X * BLOCK_DIM_Y * BLOCK_DIM_Z>(int(thread_));
        else return cuda_on_cpu::blocked<ITEMS_PER_THREAD>(int(thread_));
    }
};

}  // namespace cub
