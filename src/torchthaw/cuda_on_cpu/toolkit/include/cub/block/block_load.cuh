// cub/block/block_load.cuh: loads a block's items from memory.
#pragma once

#include <cub/util_type.cuh>
#include <cuda_on_cpu/cub/arrangement.h>

namespace cub {

enum BlockLoadAlgorithm {
    BLOCK_LOAD_DIRECT,
    BLOCK_LOAD_STRIPED,
    BLOCK_LOAD_VECTORIZE,
    BLOCK_LOAD_TRANSPOSE,
    BLOCK_LOAD_WARP_TRANSPOSE,
    BLOCK_LOAD_WARP_TRANSPOSE_TIMESLICED,
};

/* Blocked: a thread has neighbours. Striped: thread t has number t of each BLOCK_THREADS items; warp striped: of each 32 of
   its warp. Items from number valid on are not read, and stay as they were, or get a default. */
template <typename T, int ITEMS, typename InputIteratorT>
void LoadDirectBlocked(int thread, InputIteratorT block, T (&items)[ITEMS]) {
    cuda_on_cpu::load(cuda_on_cpu::blocked<ITEMS>(thread), block, items);
}
template <typename T, int ITEMS, typename InputIteratorT>
void LoadDirectBlocked(int thread, InputIteratorT block, T (&items)[ITEMS], int valid) {
    cuda_on_cpu::load(cuda_on_cpu::blocked<ITEMS>(thread), block, items, valid);
}
template <typename T, int ITEMS> void LoadDirectBlockedVectorized(int thread, T *block, T (&items)[ITEMS]) {
    LoadDirectBlocked(thread, block, items);
}
template <int BLOCK_THREADS, typename T, int ITEMS, typename InputIteratorT>
void LoadDirectStriped(int thread, InputIteratorT block, T (&items)[ITEMS]) {
    cuda_on_cpu::load(cuda_on_cpu::striped<BLOCK_THREADS>(thread), block, items);
}
template <int BLOCK_THREADS, typename T, int ITEMS, typename InputIteratorT>
void LoadDirectStriped(int thread, InputIteratorT block, T (&items)[ITEMS], int valid) {
    cuda_on_cpu::load(cuda_on_cpu::striped<BLOCK_THREADS>(thread), block, items, valid);
}
template <typename T, int ITEMS, typename InputIteratorT>
void LoadDirectWarpStriped(int thread, InputIteratorT block, T (&items)[ITEMS]) {
    cuda_on_cpu::load(cuda_on_cpu::warp_striped<ITEMS>(thread), block, items);
}
template <typename T, int ITEMS, typename InputIteratorT>
void LoadDirectWarpStriped(int thread, InputIteratorT block, T (&items)[ITEMS], int valid) {
    cuda_on_cpu::load(cuda_on_cpu::warp_striped<ITEMS>(thread), block, items, valid);
}
template <typename T, int ITEMS, typename InputIteratorT, typename Default>
void LoadDirectBlocked(int thread, InputIteratorT block, T (&items)[ITEMS], int valid, Default rest) {
    for (T &item : items) item = rest;
    LoadDirectBlocked(thread, block, items, valid);
}
template <int BLOCK_THREADS, typename T, int ITEMS, typename InputIteratorT, typename Default>
void LoadDirectStriped(int thread, InputIteratorT block, T (&items)[ITEMS], int valid, Default rest) {
    for (T &item : items) item = rest;
    LoadDirectStriped<BLOCK_THREADS>(thread, block, items, valid);
}

template <typename T, int BLOCK_DIM_X, int ITEMS_PER_THREAD, BlockLoadAlgorithm ALGORITHM = BLOCK_LOAD_DIRECT,
          int BLOCK_DIM_Y = 1, int BLOCK_DIM_Z = 1, int LEGACY_PTX_ARCH = 0>
class BlockLoad : public cuda_on_cpu::OfBlock<NullType> {
public:
    using OfBlock::OfBlock;

    template <typename InputIteratorT> void Load(InputIteratorT block, T (&items)[ITEMS_PER_THREAD]) {
        cuda_on_cpu::load(arrangement(), block, items);
    }
    template <typename InputIteratorT> void Load(InputIteratorT block, T (&items)[ITEMS_PER_THREAD], int valid) {
        cuda_on_cpu::load(arrangement(), block, items, valid);
    }
    template <typename InputIteratorT, typename Default>
    void Load(InputIteratorT block, T (&items)[ITEMS_PER_THREAD], int valid, Default rest) {
        for (T &item : items) item = rest;
        Load(block, items, valid);
    }

private:
    cuda_on_cpu::Arrangement arrangement() const {
        if constexpr (ALGORITHM == BLOCK_LOAD_STRIPED)
            return cuda_on_cpu::striped<BLOCK_DIM_X * BLOCK_DIM_Y * BLOCK_DIM_Z>(int(thread_));
        else return cuda_on_cpu::blocked<ITEMS_PER_THREAD>(int(thread_));
    }
};

}  // namespace cub
