// cub/block/block_shuffle.cuh: items of other threads of a block.
#pragma once

#include <cuda_on_cpu/cub/cub.h>

namespace cub {

template <typename T, int BLOCK_DIM_X, int BLOCK_DIM_Y = 1, int BLOCK_DIM_Z = 1, int LEGACY_PTX_ARCH = 0>
class BlockShuffle : public cuda_on_cpu::OfBlock<cuda_on_cpu::Slots<T, BLOCK_DIM_X * BLOCK_DIM_Y * BLOCK_DIM_Z>> {
    static constexpr int threads = BLOCK_DIM_X * BLOCK_DIM_Y * BLOCK_DIM_Z;

public:
    using BlockShuffle::OfBlock::OfBlock;

    /* The input of the thread that is distance on; output stays where there is none. */
    void Offset(T input, T &output, int distance = 1) {
        share(input);
        const int from = thread() + distance;
        if (from >= 0 && from < threads) output = this->storage_[size_t(from)];
    }
    /* The same, from the last thread on to the first one. */
    void Rotate(T input, T &output, unsigned distance = 1) {
        share(input);
        output = this->storage_[(this->thread_ + distance) % unsigned(threads)];
    }
    /* Each item goes to the next place of the block: the first one of the block stays. suffix: the last item of all. */
    template <int ITEMS> void Up(T (&input)[ITEMS], T (&previous)[ITEMS]) {
        share(input[ITEMS - 1]);
        for (int i = ITEMS - 1; i > 0; i--) previous[i] = input[i - 1];
        if (thread() > 0) previous[0] = this->storage_[size_t(thread() - 1)];
    }
    template <int ITEMS> void Up(T (&input)[ITEMS], T (&previous)[ITEMS], T &suffix) {
        Up(input, previous);
        suffix = this->storage_[size_t(threads - 1)];
    }
    /* Each item goes to the place before it: the last one of the block stays. prefix: the first item of all. */
    template <int ITEMS> void Down(T (&input)[ITEMS], T (&next)[ITEMS]) {
        share(input[0]);
        for (int i = 0; i + 1 < ITEMS; i++) next[i] = input[i + 1];
        if (thread() + 1 < threads) next[ITEMS - 1] = this->storage_[size_t(thread() + 1)];
    }
    template <int ITEMS> void Down(T (&input)[ITEMS], T (&next)[ITEMS], T &prefix) {
        Down(input, next);
        prefix = this->storage_[0];
    }

private:
    int thread() const { return int(this->thread_); }
    void share(T input) {
        this->storage_.set(this->thread_, input);
        __syncthreads();
    }
};

}  // namespace cub
